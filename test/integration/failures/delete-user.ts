import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { mysqlTableCreator } from 'drizzle-orm/mysql-core'
import { pgTableCreator } from 'drizzle-orm/pg-core'
import { sqliteTableCreator } from 'drizzle-orm/sqlite-core'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

const define = {
  pg: (prefix: string) => definePg({ foreignKeys: false, table: pgTableCreator((name) => prefix + name) }),
  mysql: (prefix: string) => defineMysql({ foreignKeys: false, table: mysqlTableCreator((name) => prefix + name) }),
  sqlite: (prefix: string) => defineSqlite({ foreignKeys: false, table: sqliteTableCreator((name) => prefix + name) }),
}

// NO ACTION is left out: RESTRICT is at least as strict on every database.
const actions = ['cascade', 'restrict', 'set null']

/** Tables whose foreign keys to the users table have one ON DELETE action, and the statements that create them. */
export interface TableSet {
  title: string
  prefix: string
  tables: Record<string, Table>
  migrations: string[]
}

/** Table sets without foreign keys and with each action, side by side in one database. */
export function tableSetsOf(dialect: DialectName): TableSet[] {
  const q = dialect === 'mysql' ? '`' : '"'
  return [undefined, ...actions].map((action, index) => {
    const prefix = `f${index}_`
    const { verificationTokensTable: _, ...tables } = define[dialect](prefix) as unknown as Record<string, Table>
    const { usersTable, accountsTable, sessionsTable, authenticatorsTable } = tables as Record<string, Table>
    const reference = action ? [`foreign key (${q}userId${q}) references ${prefix}user (id) on delete ${action}`] : []
    const accountKey = `primary key (provider, ${q}providerAccountId${q})`
    const owned = [
      createTable(accountsTable as Table, q, [accountKey, ...reference]),
      createTable(sessionsTable as Table, q, reference),
      createTable(authenticatorsTable as Table, q, reference),
    ]
    // SET NULL needs a column that can be null.
    const isNullable = action === 'set null'
    return {
      title: action ? `on delete ${action}` : 'no foreign keys',
      prefix,
      tables,
      migrations: [
        createTable(usersTable as Table, q),
        ...owned.map((statement) => (isNullable ? statement.replace(/(userId. \S+) not null/, '$1') : statement)),
      ],
    }
  })
}

/** Statements that insert a user with two accounts, two sessions and two authenticators. */
export function insertUser(dialect: DialectName, { prefix }: TableSet, id: string): string[] {
  const q = dialect === 'mysql' ? '`' : '"'
  const [user, expires] = [`'${id}'`, dialect === 'sqlite' ? '4000000000000' : `'2100-01-01'`]
  const insert = (table: string, columns: string[], ...rows: string[][]) =>
    `insert into ${prefix}${table} (${columns.map((name) => q + name + q)}) values ${rows.map((row) => `(${row})`)}`
  const twice = (row: (key: string) => string[]) => [`'${id} 1'`, `'${id} 2'`].map(row)
  const authenticator = ['userId', 'credentialID', 'providerAccountId', 'credentialPublicKey', 'counter', 'credentialDeviceType']
  return [
    insert('user', ['id', 'email'], [user, `'${id}@example.com'`]),
    insert('session', ['userId', 'sessionToken', 'expires'], ...twice((key) => [user, key, expires])),
    insert('account', ['userId', 'type', 'provider', 'providerAccountId'], ...twice((key) => [user, `'oauth'`, `'p'`, key])),
    insert('authenticator', [...authenticator, 'credentialBackedUp'], ...twice((key) => [user, key, key, `'k'`, '0', `'d'`, 'true'])),
  ]
}

type Run = (statement: string) => Promise<Record<string, unknown>[]>

/** Number of rows of a user per table. Matches the rows' own keys, because SET NULL clears `userId`. */
export async function countRows(run: Run, dialect: DialectName, { prefix }: TableSet, id: string): Promise<Record<string, number>> {
  const q = dialect === 'mysql' ? '`' : '"'
  const keys = { user: 'id', account: 'providerAccountId', session: 'sessionToken', authenticator: 'credentialID' }
  const counts = Object.entries(keys).map(
    ([table, key]) => `(select count(*) from ${prefix}${table} where ${q}${key}${q} like '${id}%') as ${q}${table}${q}`,
  )
  const [row] = await run(`select ${counts}`)
  return Object.fromEntries(Object.entries(row ?? {}).map(([table, count]) => [table, Number(count)]))
}

export const allRows = { user: 1, account: 2, session: 2, authenticator: 2 }
export const noRows = { user: 0, account: 0, session: 0, authenticator: 0 }
