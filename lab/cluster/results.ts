import type { Machine } from '../../test/support/versions.js'
import type { galera } from './galera/index.js'
import type { libsql } from './libsql.js'
import type { postgres } from './postgres.js'

/** Where and when a part ran. */
export interface Run {
  machine: Machine
  /** The load average of the machine before the run, caused by other programs. */
  loadAverage: number
}

type Result<Part extends (...args: never) => unknown> = Awaited<ReturnType<Part>> & { run: Run }

/** What `test:cluster -- --write` records, part by part. */
export interface Results {
  galera: Result<typeof galera>
  postgres: Result<typeof postgres>
  libsql: Result<typeof libsql>
}
