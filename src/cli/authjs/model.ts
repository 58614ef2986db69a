import type { Notice, Step } from '../moving/model.js'

export interface AuthjsOptions {
  /** Where the schema comes from, for messages. */
  schemaSource: string
  /** How long sessions last in the new app, in seconds. */
  expiresIn: number
  /** A table and a column with hashes of passwords. */
  password?: { table: string; column: string } | undefined
}

export interface AuthjsPlan {
  notices: Notice[]
  plan: Step[]
  cleanup: Step[]
  undo: Step[]
}

/** What the names of the old tables begin with. */
export const prefix = 'authjs_'
export const nothing = { plan: [], cleanup: [], undo: [] }
