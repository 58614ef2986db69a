import type { DriverChoice } from './drivers.js'
import type { AuthParts, Framework } from './frameworks.js'

/** A library that `init` can set up. */
export interface Library {
  /** As `--library` takes it. */
  name: 'authjs' | 'better-auth'
  title: string
  /** If an app uses several of them, the first one counts. */
  frameworks: readonly Framework[]
  /** Whether a package shows that an app uses the library. */
  hasPackage(name: string): boolean
  /** Whether a file configures the library. */
  isConfiguration(text: string): boolean
  /** The names of a file for the tables, without extension, if the app has no other schema and if it has one. */
  schemaNames: readonly [alone: string, beside: string]
  /** Whether a file has the tables. */
  hasTables(text: string): boolean
  /** Whether the library can use the app's own users table. */
  takesUsers: boolean
  /** The text of the file with the tables. */
  tablesFile(driver: DriverChoice, casing?: string, users?: { name: string; path: string }): string
  /** For an app that already configures the library. */
  adapterLines(parts: AuthParts): string
  /** The text of a server that needs only Node.js. */
  serverFile(auth: string, usesTypeScript: boolean): string
  /** Packages for development. */
  devPackages: readonly string[]
  /** The variable with the secret. */
  secret: string
  /** The variable with the address of the app, if the library needs it. */
  url?: string
  /** The command that writes the tables, if there is one. The paths are as a shell takes them. */
  generate?(auth: string, schema: string): string
  /** What to do when the app runs. `origin` is its address. */
  tryIt(origin: string, base: string): { next: string; lines: string[] }
}
