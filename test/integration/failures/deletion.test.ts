import type { Tables } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { getTableName } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { int } from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { integer } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { integer as integerOfSqlite } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

type AnyAdapter = ReturnType<typeof DrizzleAdapter<ReturnType<typeof definePg>>>

// With a column whose name the adapter could use for itself in its statement.
const tablesOf = {
  pg: () => definePg({ foreignKeys: false, columns: { accounts: { part: integer('part') } } }),
  mysql: () => defineMysql({ foreignKeys: false, columns: { accounts: { part: int('part') } } }),
  sqlite: () => defineSqlite({ foreignKeys: false, columns: { accounts: { part: integerOfSqlite('part') } } }),
}
interface Transactional {
  transaction<T>(run: (tx: never) => Promise<T>): Promise<T>
}

const ownedTables = ['session', 'authenticator', 'account'] as const

interface Setting {
  constraint?: string | undefined
  indexed?: boolean
  connections?: number
  /** Statements to run after the tables are created. */
  afterwards?: string[]
}

async function open(dialect: DialectName, { constraint, indexed = true, connections = 1, afterwards = [] }: Setting = {}) {
  const q = dialect === 'mysql' ? '`' : '"'
  const tables = tablesOf[dialect]()
  const reference = constraint ? [`foreign key (${q}userId${q}) references ${q}user${q}(${q}id${q}) ${constraint}`] : []
  const index = dialect === 'mysql' && indexed ? [`index (${q}userId${q})`] : []
  const { usersTable, accountsTable, sessionsTable, authenticatorsTable } = tables as Record<string, Table>
  const migrations = [
    createTable(usersTable as Table, q),
    createTable(accountsTable as Table, q, [...reference, ...index, `primary key (provider, ${q}providerAccountId${q})`]),
    ...[sessionsTable, authenticatorsTable].map((table) => createTable(table as Table, q, [...reference, ...index])),
  ]
  const { db, client, run, close } = await openDatabase(dialect, { migrations: [...migrations, ...afterwards], connections })
  onTestFinished(close)
  const adapter = DrizzleAdapter(db as never, tables as Tables) as unknown as AnyAdapter
  const countOwned = async (userId: string) => {
    const counts = ownedTables.map(
      (table) => `(select count(*) from ${q}${table}${q} where ${q}userId${q} = '${userId}') as ${q}${table}${q}`,
    )
    const [row] = await run(`select ${counts}`)
    return Object.fromEntries(ownedTables.map((table) => [table, Number(row?.[table])]))
  }
  return { adapter, db: db as unknown as Transactional, client, tables, run, countOwned, q }
}

/** Creates sessions, accounts and authenticators of a user. */
async function createOwned(adapter: AnyAdapter, userId: string, { session = 2, account = 2, authenticator = 2 } = {}) {
  for (let n = 0; n < session; n++) await adapter.createSession({ sessionToken: `${userId} ${n}`, userId, expires: new Date() })
  for (let n = 0; n < account; n++) await adapter.linkAccount({ userId, type: 'oauth', provider: 'p', providerAccountId: `${userId} ${n}` })
  for (let n = 0; n < authenticator; n++) {
    const key = { credentialID: `${userId} ${n}`, userId, providerAccountId: 'a', credentialPublicKey: 'k' }
    await adapter.createAuthenticator({ ...key, counter: 0, credentialDeviceType: 'd', credentialBackedUp: true })
  }
}

const none = { session: 0, authenticator: 0, account: 0 }

describe.each(inject('dialects'))('deleteUser on %s', (dialect) => {
  test.each([undefined, 'on delete cascade', 'on delete restrict', 'on delete no action'])(
    'deletes all that belongs to the user and nothing else; foreign keys: %s',
    async (constraint) => {
      const { adapter, countOwned } = await open(dialect, { constraint })
      const users = await Promise.all(['ada', 'eva', 'zoe'].map((id) => adapter.createUser({ id, email: `${id}@example.com` })))
      await createOwned(adapter, 'ada', { session: 3, account: 3, authenticator: 3 })
      await createOwned(adapter, 'eva')
      expect(await adapter.deleteUser('ada')).toEqual(users[0])
      expect(await countOwned('ada')).toEqual(none)
      expect(await countOwned('eva')).toEqual({ session: 2, authenticator: 2, account: 2 })
      expect(await adapter.deleteUser('ada')).toBeNull()
      // A user without any other rows.
      expect(await adapter.deleteUser('zoe')).toEqual(users[2])
      expect(await adapter.getUser('eva')).toEqual(users[1])
    },
  )

  test('deletes the orphaned rows of a user who no longer exists', async () => {
    const { adapter, run, countOwned, q } = await open(dialect)
    await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    await createOwned(adapter, 'ada')
    if (dialect === 'sqlite') await run(`delete from "user" returning *`)
    else await run(`delete from ${q}user${q}`)
    expect(await adapter.deleteUser('ada')).toBeNull()
    expect(await countOwned('ada')).toEqual(none)
  })

  test('returns the user to exactly one of twenty concurrent callers', async () => {
    const { adapter, countOwned } = await open(dialect)
    const user = await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    await createOwned(adapter, 'ada')
    const answers = await Promise.all(Array.from({ length: 20 }, () => adapter.deleteUser('ada')))
    expect(answers.filter((answer) => answer !== null)).toEqual([user])
    expect(await countOwned('ada')).toEqual(none)
  })
})

const servers = inject('dialects').filter((dialect) => dialect !== 'sqlite')

/** Triggers that make a single statement fail in which sessions and their user are deleted. */
const triggers = {
  pg: [
    `create function forget() returns trigger language plpgsql as $$ begin delete from session where "userId" = old.id; return old; end $$`,
    'create trigger forget before delete on "user" for each row execute function forget()',
  ],
  mysql: ['create trigger touch after delete on `session` for each row update `user` set name = null where id = old.userId'],
}

describe.each(servers as ('pg' | 'mysql')[])('deleteUser on %s', (dialect) => {
  test('deletes table by table if triggers make a single statement fail', async () => {
    const { adapter, countOwned } = await open(dialect, { afterwards: triggers[dialect] })
    const user = await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    await createOwned(adapter, 'ada')
    expect(await adapter.deleteUser('ada')).toEqual(user)
    expect(await countOwned('ada')).toEqual(none)
  })

  test('deletes table by table in a transaction, too', async () => {
    const { adapter, db, tables, countOwned } = await open(dialect, { afterwards: triggers[dialect] })
    const user = await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    await createOwned(adapter, 'ada')
    const within = (tx: never) => DrizzleAdapter(tx, tables as Tables) as unknown as AnyAdapter
    expect(await db.transaction((tx) => within(tx).deleteUser('ada'))).toEqual(user)
    expect(await countOwned('ada')).toEqual(none)
  })

  test("invalidates every table in Drizzle's cache", async () => {
    const { client, tables } = await open(dialect)
    const invalidated: string[] = []
    class RecordingCache extends Cache {
      override strategy = () => 'explicit' as const
      override get = async () => undefined
      override put = async () => {}
      override async onMutate({ tables }: { tables?: unknown }) {
        for (const table of [tables].flat()) invalidated.push(typeof table === 'string' ? table : getTableName(table as Table))
      }
    }
    const options = { client, cache: new RecordingCache() } as never
    const db = dialect === 'pg' ? drizzlePg(options) : drizzleMysql(options)
    const adapter = DrizzleAdapter(db as never, tables as Tables) as unknown as AnyAdapter
    await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    invalidated.length = 0
    await adapter.deleteUser('ada')
    expect([...new Set(invalidated)].sort()).toEqual(['account', 'authenticator', 'session', 'user'])
  })
})

describe.runIf(inject('dialects').includes('mysql'))('deleteUser on mysql', () => {
  // A key with a quote is not sent as a parameter but written into the statement.
  test.each([
    ['ada', true],
    ['a"da', true],
    ['ada', false],
  ])('does not combine the rows of one table with those of another: %s, with an index on userId: %s', async (id, indexed) => {
    const { adapter, run, countOwned } = await open('mysql', { indexed })
    await adapter.createUser({ id, email: 'a@example.com' })
    await adapter.createUser({ id: 'eva', email: 'e@example.com' })
    const counts = { session: 40, authenticator: 12, account: 12 }
    await createOwned(adapter, id, counts)
    await createOwned(adapter, 'eva', counts)
    const reads = async () => {
      const rows = await run(`show session status like 'Handler_read%'`)
      return rows.reduce((sum, { Value }) => sum + Number(Value), 0)
    }
    const before = await reads()
    await adapter.deleteUser(id)
    // MySQL may read a table again for each row of a smaller one. All combinations would be 5,760.
    expect((await reads()) - before).toBeLessThan(4_000)
    expect(await countOwned(id)).toEqual(none)
    expect(await countOwned('eva')).toEqual(counts)
  })

  test('returns the user to one caller only, even if a session is created in between', async () => {
    const { adapter, client, tables, run, countOwned } = await open('mysql', { connections: 3 })
    const user = await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    // The slow caller has read the user. Before its DELETE, another caller deletes the user, and a session is created that no foreign key
    // rejects.
    const slow = new Proxy(client as object, {
      get: (target, name) => {
        const value = Reflect.get(target, name)
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value
        return async (statement: { sql: string }, ...more: unknown[]) => {
          if (statement.sql.startsWith('delete')) {
            expect(await adapter.deleteUser('ada')).toEqual(user)
            await run(`insert into session values ('late', 'ada', now())`)
          }
          return value.call(target, statement, ...more)
        }
      },
    })
    const other = DrizzleAdapter(drizzleMysql({ client: slow as never }) as never, tables as Tables) as unknown as AnyAdapter
    expect(await other.deleteUser('ada')).toBeNull()
    // The next call finds no user, and deletes the orphaned session.
    expect(await adapter.deleteUser('ada')).toBeNull()
    expect(await countOwned('ada')).toEqual(none)
  })

  test('keeps the session of another user whose token is equal under the collation', async () => {
    const { adapter, run, countOwned } = await open('mysql')
    for (const id of ['ada', 'eva']) await adapter.createUser({ id, email: `${id}@example.com` })
    await run('alter table `session` drop primary key, modify sessionToken varchar(100) character set utf8mb4 collate utf8mb4_general_ci')
    await adapter.createSession({ sessionToken: 'abc', userId: 'ada', expires: new Date() })
    await adapter.createSession({ sessionToken: 'ABC', userId: 'eva', expires: new Date() })
    await adapter.deleteUser('ada')
    expect([await countOwned('ada'), await countOwned('eva')]).toEqual([none, { ...none, session: 1 }])
  })

  test('works with sql_safe_updates, which rejects writes that do not use a key', async () => {
    const { adapter, run, countOwned } = await open('mysql')
    await run('set sql_safe_updates = 1')
    const user = await adapter.createUser({ id: 'ada', email: 'a@example.com' })
    await createOwned(adapter, 'ada')
    expect(await adapter.deleteUser('ada')).toEqual(user)
    expect(await countOwned('ada')).toEqual(none)
  })
})
