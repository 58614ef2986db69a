import type { Table } from 'drizzle-orm'
import type { Context } from './command.js'
import { Problem } from './command.js'
import type { Opened } from './database.js'
import { findTables, librariesOf } from './libraries.js'
import type { Settings } from './settings.js'
import { chooseTable, defaultTables } from './tables.js'

/** The tables with secrets: those of Auth.js, and the accounts of Better Auth. */
export interface SecretTables {
  sessionsTable?: Table | undefined
  accountsTable?: Table | undefined
  account?: Table | undefined
}

export const hasAccounts = ({ accountsTable, account }: SecretTables) => accountsTable !== undefined || account !== undefined

export interface TablesWanted {
  /** Whether the names are names in the database. */
  names: boolean
  sessions: string | undefined
  accounts: string | undefined
  only: 'sessions' | 'accounts' | undefined
}

/** The tables of the command, and the names of their libraries. */
export async function secretTables(
  opened: Opened,
  settings: Settings,
  { names, sessions, accounts, only }: TablesWanted,
  context: Context,
): Promise<{ tables: SecretTables; titles: string }> {
  const choose = (all: Record<string, Table>) => {
    const first = chooseTable(all, '--sessions', sessions, { expires: 'sessionsTable', expiresAt: 'session' })
    return chooseTable(first, '--accounts', accounts, { provider: 'accountsTable', providerId: 'account' })
  }
  const found = names
    ? librariesOf(await defaultTables(opened.dialect, { session: sessions, account: accounts }))
    : await findTables(opened, settings, context, choose)
  const { sessionsTable, accountsTable } = found.authjs ?? {}
  const account = found.betterAuth?.account
  const required = (table: unknown, option: string, name: string) => {
    if (!table)
      throw new Problem(
        `${settings.schemaSource} exports no ${name}. Pass the name of the export with ${option}, or skip the table with --only.`,
        2,
      )
  }
  if (!found.authjs && only === 'sessions')
    throw new Problem("the sessions of Better Auth stay plain: it lists and revokes them by their tokens. Leave out '--only sessions'.", 2)
  if (found.authjs && only !== 'accounts') required(sessionsTable, '--sessions', 'sessionsTable')
  if (only !== 'sessions') required(accountsTable ?? account, '--accounts', found.authjs ? 'accountsTable' : 'account')
  return {
    tables: { ...(only !== 'accounts' && { sessionsTable }), ...(only !== 'sessions' && { accountsTable, account }) },
    titles: found.titles,
  }
}
