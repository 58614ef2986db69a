import { checkTables } from '../checks.js'
import { models } from '../contract.js'
import { detectDialect } from '../detect.js'
import { isTransaction, primaryOf } from '../query/detection.js'
import type { SqlDialect, TableStatements, Writes } from '../query/dialect.js'
import { configError } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { createRows } from '../query/rows.js'
import type { AccountsTable, SessionsTable } from '../types.js'
import { checkAccountColumns, checkSessionColumns } from './columns.js'
import type { Parts } from './options.js'

/** The tables that hold secrets; at least one of them. Other tables are ignored. */
export interface SecretTables {
  sessionsTable?: SessionsTable | undefined
  accountsTable?: AccountsTable
}

export interface OpenedTables {
  sql: SqlDialect
  writes: Writes
  sessions?: TableStatements
  accounts?: TableStatements
  /** Makes failures errors without values. */
  redact<T>(work: Promise<T>): Promise<T>
}

/** The statements of those tables that are given and whose secrets are protected. */
export function openTables(caller: string, db: unknown, tables: SecretTables, parts: Parts): OpenedTables {
  const dialect = detectDialect(db, caller)
  const database = primaryOf(db, caller)
  const { sessionsTable, accountsTable } = tables ?? {}
  if (!(sessionsTable && parts.sessions) && !(accountsTable && parts.accounts))
    configError(
      `${caller}: no table is given whose secrets are protected. Pass sessionsTable, accountsTable or both in the second argument`,
    )
  checkTables(caller, dialect.name, database, { sessionsTable, accountsTable: accountsTable as AccountsTable })
  const sql = dialect.forDriver?.(database, {}) ?? dialect.sql
  const connection = { db: database, sql, writes: dialect.writes, retry: isTransaction(database) ? (false as const) : {} }
  const opened: OpenedTables = {
    sql,
    writes: dialect.writes,
    redact: (work) =>
      work.catch((error) => {
        throw operationError(caller, error, sql.failures)
      }),
  }
  if (sessionsTable && parts.sessions) {
    opened.sessions = createRows(connection, sessionsTable, models.sessions, ['sessionToken']).internals.statements
    checkSessionColumns(caller, opened.sessions)
  }
  if (accountsTable && parts.accounts) {
    opened.accounts = createRows(connection, accountsTable, models.accounts, ['provider', 'providerAccountId']).internals.statements
    checkAccountColumns(caller, opened.accounts)
  }
  return opened
}
