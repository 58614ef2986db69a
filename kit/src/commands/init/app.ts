import type { Choices } from './choices.js'
import type { Project } from './project.js'

/** An app that `init` sets up: the choices for it, and what to do. */
export interface App extends Choices {
  project: Project
  /** The folder of the tables, `db.ts` and `auth.ts`. */
  dir: string
  extension: string
  files: { path: string; text: string; mode?: number }[]
  /** Files that stay as they are. */
  kept: string[]
  /** What the user has to add. */
  advice: { title: string; text?: string }[]
  /** The file with the tables, and the setting `schema` of drizzle-kit that includes it. */
  tables: string
  schema: string
  auth: string
  db: string
  /** The server to try it with, in a folder without an app. */
  server?: string
  /** The file with the environment variables, and its text if it exists or will be written. */
  env: { path: string; text: string; isIgnored: boolean }
}
