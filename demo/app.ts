import type { Assets } from './assets.js'
import type { LiveTables } from './database/store.js'
import type { Show } from './live.js'
import type { startMail } from './mail.js'
import type { Operation } from './operations.js'

export interface Options {
  port: number
  /** The library that signs users in. Auth.js by default. */
  library?: 'authjs' | 'better-auth'
  databaseUrl: string
  /** Signed cookies are for Auth.js only. */
  strategy: 'database' | 'jwt'
  secret?: string | undefined
  /** Hashes session tokens and encrypts OAuth tokens, with Auth.js only. */
  protect?: boolean
  log(line: string): void
}

/** What an application finds when it is opened. */
export interface Surroundings extends Omit<Options, 'port' | 'library'> {
  origin: string
  secret: string
  mail: Awaited<ReturnType<typeof startMail>>
  assets: Assets
  /** Registers what must be closed when the demo stops. */
  onStop(close: () => unknown): void
}

/** The application, with either library. */
export interface App {
  /** The tables, and the calls to the adapter, that the live view shows. */
  tables: LiveTables
  operations: Operation[]
  /** Shows the secrets of a row. By default, they are masked. */
  show?: Show | undefined
  handle(request: Request): Promise<Response>
}
