import type { Table } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'
import type { AnyAdapter, Opened } from './database.js'
import { makeAdapter } from './database.js'

/** ON DELETE action of the foreign keys to the users table; `undefined` for tables without foreign keys. */
type Action = 'cascade' | 'no action' | 'restrict' | 'set null' | undefined

interface Kind {
  action: Action
  /** Whether the Drizzle tables declare the foreign keys that the database has. */
  declared: boolean
}

// Some keys are declared in the Drizzle tables, and some exist only in the database.
export const kinds: Kind[] = [
  { action: undefined, declared: false },
  { action: 'cascade', declared: true },
  { action: 'no action', declared: true },
  { action: 'no action', declared: false },
  { action: 'restrict', declared: false },
  { action: 'set null', declared: true },
  { action: 'set null', declared: false },
]

const titleOf = ({ action, declared }: Kind) =>
  action ? `on delete ${action}${declared ? '' : ', not declared in Drizzle'}` : 'no foreign keys'

/** Hand-written tables with one kind of foreign key. */
const tablesOf = {
  pg({ action, declared }: Kind, prefix: string) {
    const users = pg.pgTable(`${prefix}user`, { id: pg.text().primaryKey(), email: pg.text(), emailVerified: pg.timestamp() })
    const userId = () => (declared && action ? pg.text().references(() => users.id, { onDelete: action }) : pg.text())
    return {
      usersTable: users,
      accountsTable: pg.pgTable(`${prefix}account`, {
        userId: userId(),
        type: pg.text(),
        provider: pg.text(),
        providerAccountId: pg.text().primaryKey(),
      }),
      sessionsTable: pg.pgTable(`${prefix}session`, { userId: userId(), sessionToken: pg.text().primaryKey(), expires: pg.timestamp() }),
      authenticatorsTable: pg.pgTable(`${prefix}authenticator`, {
        userId: userId(),
        credentialID: pg.text().primaryKey(),
        providerAccountId: pg.text(),
        credentialPublicKey: pg.text(),
        counter: pg.integer(),
        credentialDeviceType: pg.text(),
        credentialBackedUp: pg.boolean(),
      }),
    }
  },
  mysql({ action, declared }: Kind, prefix: string) {
    const key = () => my.varchar({ length: 99 })
    const users = my.mysqlTable(`${prefix}user`, { id: key().primaryKey(), email: key(), emailVerified: my.datetime() })
    const userId = () => (declared && action ? key().references(() => users.id, { onDelete: action }) : key())
    return {
      usersTable: users,
      accountsTable: my.mysqlTable(`${prefix}account`, {
        userId: userId(),
        type: key(),
        provider: key(),
        providerAccountId: key().primaryKey(),
      }),
      sessionsTable: my.mysqlTable(`${prefix}session`, { userId: userId(), sessionToken: key().primaryKey(), expires: my.datetime() }),
      authenticatorsTable: my.mysqlTable(`${prefix}authenticator`, {
        userId: userId(),
        credentialID: key().primaryKey(),
        providerAccountId: key(),
        credentialPublicKey: key(),
        counter: my.int(),
        credentialDeviceType: key(),
        credentialBackedUp: my.boolean(),
      }),
    }
  },
  sqlite({ action, declared }: Kind, prefix: string) {
    const date = () => lite.integer({ mode: 'timestamp' })
    const users = lite.sqliteTable(`${prefix}user`, { id: lite.text().primaryKey(), email: lite.text(), emailVerified: date() })
    const userId = () => (declared && action ? lite.text().references(() => users.id, { onDelete: action }) : lite.text())
    return {
      usersTable: users,
      accountsTable: lite.sqliteTable(`${prefix}account`, {
        userId: userId(),
        type: lite.text(),
        provider: lite.text(),
        providerAccountId: lite.text().primaryKey(),
      }),
      sessionsTable: lite.sqliteTable(`${prefix}session`, { userId: userId(), sessionToken: lite.text().primaryKey(), expires: date() }),
      authenticatorsTable: lite.sqliteTable(`${prefix}authenticator`, {
        userId: userId(),
        credentialID: lite.text().primaryKey(),
        providerAccountId: lite.text(),
        credentialPublicKey: lite.text(),
        counter: lite.integer(),
        credentialDeviceType: lite.text(),
        credentialBackedUp: lite.integer({ mode: 'boolean' }),
      }),
    }
  },
}

/** Tables with one kind of foreign key, and the statements that create them. */
export function defineTableSet(dialect: DialectName, kind: Kind, prefix: string) {
  const q = dialect === 'mysql' ? '`' : '"'
  const tables = tablesOf[dialect](kind, prefix) as Record<string, Table>
  const { usersTable, ...others } = tables
  const reference = `foreign key (${q}userId${q}) references ${q}${prefix}user${q} (${q}id${q}) on delete ${kind.action}`
  return {
    ...kind,
    prefix,
    tables,
    title: titleOf(kind),
    migrations: [
      createTable(usersTable as Table, q),
      ...Object.values(others).map((table) => createTable(table, q, kind.action ? [reference] : [])),
    ],
    createAdapter: ({ db }: Pick<Opened, 'db'>) => makeAdapter(db, tables),
  }
}

export type TableSet = ReturnType<typeof defineTableSet>

/** Creates a user with two accounts, two sessions and two authenticators. */
export async function createUserWithRows(adapter: AnyAdapter, userId: string) {
  const user = await adapter.createUser({ id: userId, email: `${userId}@example.com` })
  const rest = { credentialPublicKey: 'k', counter: 0, credentialDeviceType: 'd', credentialBackedUp: true }
  await Promise.all(
    [`${userId} 1`, `${userId} 2`].flatMap((key): Promise<unknown>[] => [
      adapter.createSession({ userId, sessionToken: key, expires: new Date(4e12) }),
      adapter.linkAccount({ userId, type: 'oauth', provider: 'p', providerAccountId: key }),
      adapter.createAuthenticator({ userId, credentialID: key, providerAccountId: key, ...rest }),
    ]),
  )
  return user
}

/** The same rows as SQL, for drivers where single calls are slow. */
export function insertStatements({ prefix }: TableSet, id: string): string[] {
  return [
    `insert into ${prefix}user (id, email) values ('${id}', '${id}@example.com')`,
    `insert into ${prefix}session ("userId", "sessionToken", expires) values ('${id}', '${id} 1', 1), ('${id}', '${id} 2', 1)`,
    `insert into ${prefix}account ("userId", "providerAccountId") values ('${id}', '${id} 1'), ('${id}', '${id} 2')`,
    `insert into ${prefix}authenticator ("userId", "credentialID") values ('${id}', '${id} 1'), ('${id}', '${id} 2')`,
  ]
}

/** Number of rows of a user per table. Matches the rows' own keys, because SET NULL clears `userId`. */
export async function countRows(
  { run, q }: Pick<Opened, 'run' | 'q'>,
  { prefix }: TableSet,
  userId: string,
): Promise<Record<string, number>> {
  const keys = { user: 'id', account: 'providerAccountId', session: 'sessionToken', authenticator: 'credentialID' }
  const counts = Object.entries(keys).map(
    ([table, key]) => `(select count(*) from ${q}${prefix}${table}${q} where ${q}${key}${q} like '${userId}%') as ${q}${table}${q}`,
  )
  const [row] = await run(`select ${counts}`)
  return Object.fromEntries(Object.entries(row ?? {}).map(([table, count]) => [table, Number(count)]))
}

export const allRows = { user: 1, account: 2, session: 2, authenticator: 2 }
export const noRows = { user: 0, account: 0, session: 0, authenticator: 0 }
