import { requireSettings } from '../query/connection.js'
import type { Dialect } from '../query/dialect.js'
import { operationError } from '../query/failures.js'
import { primaryOf } from '../query/internals.js'

const operation = 'checkSettings'

/** Checks the settings of a connection in one dialect. `checkSettings` of each entry point calls it. */
export async function checkSettingsIn(dialect: Dialect, db: unknown): Promise<void> {
  await requireSettings(primaryOf(db, operation), dialect).catch((error) => {
    throw operationError(operation, error, dialect.failures)
  })
}
