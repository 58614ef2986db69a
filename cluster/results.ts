import type { Machine } from '../test/support/versions.js'
import type { galera } from './galera/index.js'
import type { libsql } from './libsql.js'
import type { postgres } from './postgres.js'
import type { rqlite } from './rqlite.js'

type Result<Part extends (...args: never) => unknown> = Awaited<ReturnType<Part>>

/** What `test:cluster -- --write` records. */
export interface Results {
  machine: Machine
  /** The load average of the machine before the run, caused by other programs. */
  loadAverage: number
  minutes: number
  galera: Result<typeof galera>
  postgres: Result<typeof postgres>
  rqlite: Result<typeof rqlite>
  libsql: Result<typeof libsql>
}
