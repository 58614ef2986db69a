import { checkTables } from '../checks.js'
import { dialectOfTables } from '../dialects.js'
import { accountNames, keyOf, libraryTables } from '../library.js'
import type { AccountNames } from '../models.js'
import { keys, models } from '../models.js'
import { connect } from '../query/connection.js'
import type { OnError } from '../query/errors.js'
import { configError } from '../query/errors.js'
import { operationError } from '../query/failures.js'
import { checkDatabase } from '../query/internals.js'
import type { ModelTable } from '../query/table.js'
import { openTable } from '../query/table.js'
import type { AccountsTable, SessionsTable } from '../types.js'
import { checkAccountColumns, checkSessionColumns } from './columns.js'
import type { Parts } from './options.js'

/** The tables of Auth.js with secrets. Pass at least one of them. Other tables are ignored. */
export interface SecretTables {
  sessionsTable?: SessionsTable | undefined
  accountsTable?: AccountsTable
}

/** An accounts table, and the names of its columns. */
export interface OpenedAccounts {
  readonly table: ModelTable
  readonly names: AccountNames
}

export interface OpenedTables {
  sessions?: ModelTable
  /** The accounts tables of Auth.js, Better Auth, or both. */
  accounts: OpenedAccounts[]
  /** Replaces failures with errors that contain no values. */
  redact<T>(work: Promise<T>): Promise<T>
}

// One object, because tables are cached by their model.
const noModel = {}

/** Opens the given tables whose secrets are protected. Rows are read and written as they are stored. */
export function openTables(caller: string, db: unknown, tables: object, parts: Parts, onError?: OnError): OpenedTables {
  const { authjs: { sessionsTable, accountsTable } = {}, betterAuth } = libraryTables(Object(tables), caller)
  const account = betterAuth?.account
  if (!(sessionsTable && parts.sessions) && !((accountsTable ?? account) && parts.accounts))
    configError(
      `${caller}: the given tables have no secrets that are protected. Pass sessionsTable, accountsTable or both in the second argument, or a schema with the accounts of Better Auth`,
    )
  const dialect = dialectOfTables({ sessionsTable, accountsTable, account }, caller, 'the tables are not Drizzle tables')
  checkDatabase(caller, db, dialect.name)
  checkTables(caller, dialect.name, { sessionsTable, accountsTable: accountsTable as AccountsTable })
  const connection = connect(caller, dialect, db)
  const opened: OpenedTables = {
    accounts: [],
    redact: (work) =>
      work.catch((error) => {
        throw operationError(caller, error, dialect.failures, onError)
      }),
  }
  if (sessionsTable && parts.sessions) {
    opened.sessions = openTable(connection, sessionsTable, models.sessions, keys.sessions)
    checkSessionColumns(caller, opened.sessions.columns)
  }
  const addAccounts = (table: ModelTable, names: AccountNames, name?: string) => {
    checkAccountColumns(caller, table.columns, names, name)
    opened.accounts.push({ table, names })
  }
  if (accountsTable && parts.accounts)
    addAccounts(openTable(connection, accountsTable, models.accounts, keys.accounts), accountNames.authjs)
  if (account && parts.accounts)
    addAccounts(openTable(connection, account, noModel, keyOf(account, `${caller}: the table account`)), accountNames.betterAuth, 'account')
  return opened
}

/** The columns of accounts that are read to rewrite them. */
export function accountColumns({ table, names }: OpenedAccounts): string[] {
  return [...new Set([...table.key, ...Object.values(names)])]
}
