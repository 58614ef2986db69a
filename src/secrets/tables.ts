import { checkTables } from '../checks.js'
import { dialectOfTables } from '../dialects.js'
import { keys, models } from '../models.js'
import { connect } from '../query/connection.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { checkDatabase } from '../query/internals.js'
import type { Table } from '../query/table.js'
import { openTable } from '../query/table.js'
import type { AccountsTable, SessionsTable } from '../types.js'
import { checkAccountColumns, checkSessionColumns } from './columns.js'
import type { Parts } from './options.js'

/** The tables with secrets. Pass at least one of them. Other tables are ignored. */
export interface SecretTables {
  sessionsTable?: SessionsTable | undefined
  accountsTable?: AccountsTable
}

export interface OpenedTables {
  sessions?: Table
  accounts?: Table
  /** Replaces failures with errors that contain no values. */
  redact<T>(work: Promise<T>): Promise<T>
}

/** Opens the given tables whose secrets are protected. Rows are read and written as they are stored. */
export function openTables(caller: string, db: unknown, tables: SecretTables, parts: Parts, onError?: OnError): OpenedTables {
  const { sessionsTable, accountsTable } = tables ?? {}
  if (!(sessionsTable && parts.sessions) && !(accountsTable && parts.accounts))
    configError(
      `${caller}: none of the given tables has protected secrets. Pass sessionsTable, accountsTable or both in the second argument`,
    )
  const dialect = dialectOfTables({ sessionsTable, accountsTable }, caller, 'the tables are not Drizzle tables')
  checkDatabase(caller, db, dialect.name)
  checkTables(caller, dialect.name, { sessionsTable, accountsTable: accountsTable as AccountsTable })
  const connection = connect(caller, dialect, db)
  const opened: OpenedTables = {
    redact: (work) =>
      work.catch((error) => {
        throw operationError(caller, error, dialect.failures, onError)
      }),
  }
  if (sessionsTable && parts.sessions) {
    opened.sessions = openTable(connection, sessionsTable, models.sessions, keys.sessions)
    checkSessionColumns(caller, opened.sessions.columns)
  }
  if (accountsTable && parts.accounts) {
    opened.accounts = openTable(connection, accountsTable, models.accounts, keys.accounts)
    checkAccountColumns(caller, opened.accounts.columns)
  }
  return opened
}
