import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openProxy } from '../../support/proxy.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import type { TableSet } from './delete-user.js'
import { allRows, countRows, insertUser, noRows, tableSetsOf } from './delete-user.js'

/** Tables of the app that prevent the deletion of a user: at its statement, and where it is possible at the end of the transaction. */
const protections = (dialect: DialectName) => (dialect === 'mysql' ? ['post'] : ['post', 'late'])

const createProtection = (dialect: DialectName, prefix: string, name: string) =>
  `create table ${prefix}${name} (author ${dialect === 'mysql' ? 'varbinary(1020)' : 'text'},
    foreign key (author) references ${prefix}user (id) ${name === 'late' ? 'deferrable initially deferred' : ''})`

interface Transactional {
  transaction<T>(run: (tx: object) => Promise<T>): Promise<T>
}

describe.each(inject('dialects'))('deleteUser on %s', (dialect) => {
  const tableSets = tableSetsOf(dialect)
  const [withoutKeys] = tableSets as [TableSet]
  const database = useDatabase(() =>
    openDatabase(dialect, {
      migrations: tableSets.flatMap(({ migrations, prefix }) => [
        ...migrations,
        ...protections(dialect).map((name) => createProtection(dialect, prefix, name)),
      ]),
    }),
  )
  const adapterOf = ({ tables }: TableSet, options?: object) => makeAdapter(database().db, tables, options)
  const insert = (tableSet: TableSet, id: string) => database().execute(...insertUser(dialect, tableSet, id))
  const count = (tableSet: TableSet, id: string) => countRows(database().run, dialect, tableSet, id)

  test.each(tableSets)('deletes the user and all rows of the user, and no others: $title', async (tableSet) => {
    const adapter = adapterOf(tableSet)
    for (const id of ['ada', 'eva']) await insert(tableSet, id)
    expect(await adapter.deleteUser('ada')).toMatchObject({ id: 'ada', email: 'ada@example.com' })
    expect(await adapter.deleteUser('ada')).toBeNull()
    expect(await count(tableSet, 'ada')).toEqual(noRows)
    expect(await count(tableSet, 'eva')).toEqual(allRows)
  })

  test.each(tableSets)('deletes nothing if the user cannot be deleted: $title', async (tableSet) => {
    for (const name of protections(dialect)) {
      const id = `${name} ada`
      await insert(tableSet, id)
      await database().execute(`insert into ${tableSet.prefix}${name} values ('${id}')`)
      await expect(adapterOf(tableSet).deleteUser(id), name).rejects.toMatchObject({ kind: 'still-referenced' })
      expect(await count(tableSet, id), name).toEqual(allRows)
    }
  })

  /** Deletes a user in a transaction of the app. Drizzle's better-sqlite3 transactions are synchronous, so there the test sends BEGIN itself. */
  async function inTransaction(tableSet: TableSet, id: string, end: 'commit' | 'rollback') {
    const { db, execute } = database()
    if (dialect === 'sqlite') {
      await execute('begin')
      const answer = await adapterOf(tableSet).deleteUser(id)
      await execute(end)
      return answer
    }
    let answer: unknown
    const transaction = (db as unknown as Transactional).transaction(async (tx) => {
      answer = await makeAdapter(tx, tableSet.tables).deleteUser(id)
      if (end === 'rollback') throw new Error(end)
    })
    await transaction.catch(({ message }) => expect(message).toBe(end))
    return answer
  }

  test.each(tableSets)('takes part in a transaction of the app: $title', async (tableSet) => {
    for (const id of ['zoe', 'amy']) await insert(tableSet, id)
    expect(await inTransaction(tableSet, 'zoe', 'commit')).toMatchObject({ id: 'zoe' })
    expect(await count(tableSet, 'zoe')).toEqual(noRows)
    expect(await inTransaction(tableSet, 'amy', 'rollback')).toMatchObject({ id: 'amy' })
    expect(await count(tableSet, 'amy')).toEqual(allRows)
  })

  test('returns the user to one of twenty concurrent callers', async () => {
    await insert(withoutKeys, 'kim')
    const adapter = adapterOf(withoutKeys, { retry: {} })
    const deleted = await Promise.all(Array.from({ length: 20 }, () => adapter.deleteUser('kim')))
    expect(deleted.filter((user) => user !== null)).toMatchObject([{ id: 'kim' }])
    expect(await count(withoutKeys, 'kim')).toEqual(noRows)
  })

  test('deletes the rows of a user who no longer exists, also in a transaction of the app', async () => {
    for (const id of ['max', 'mia']) {
      await insert(withoutKeys, id)
      await database().execute(`delete from ${withoutKeys.prefix}user where id = '${id}'`)
    }
    expect(await adapterOf(withoutKeys).deleteUser('max')).toBeNull()
    expect(await inTransaction(withoutKeys, 'mia', 'commit')).toBeNull()
    for (const id of ['max', 'mia']) expect(await count(withoutKeys, id)).toEqual(noRows)
  })
})

const servers = inject('dialects').filter((dialect) => dialect !== 'sqlite') as ('pg' | 'mysql')[]

describe.each(servers)('deleteUser on %s', (dialect) => {
  const [tableSet] = tableSetsOf(dialect) as [TableSet]
  const database = useDatabase(() => openDatabase(dialect, { migrations: tableSet.migrations }))
  const insert = (id: string) => database().execute(...insertUser(dialect, tableSet, id))
  const count = (id: string) => countRows(database().run, dialect, tableSet, id)

  test('has deleted all rows or none if the connection is lost', async () => {
    const proxy = await openProxy(database().url)
    onTestFinished(proxy.close)
    const client =
      dialect === 'pg' ? postgres(proxy.url, { max: 1, fetch_types: false }) : mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
    onTestFinished(() => client.end({ timeout: 1 }))
    const adapter = makeAdapter(dialect === 'pg' ? drizzlePg({ client } as never) : drizzleMysql({ client } as never), tableSet.tables)
    let requests = 0
    // Loses the first request, then the second and so on, until the operation needs fewer.
    for (let isDone = false; !isDone; ) {
      const id = `lost ${++requests}.`
      await insert(id)
      await adapter.getUser(id)
      proxy.loseAt(requests, 'request')
      isDone = await adapter.deleteUser(id).then(
        () => true,
        ({ kind }) => kind !== 'unreachable',
      )
      proxy.loseAt(0, 'request')
      expect(await count(id)).toEqual(isDone ? noRows : allRows)
    }
    // On MySQL BEGIN, the user with a lock, four deletions, and COMMIT.
    expect(requests).toBeGreaterThan(dialect === 'pg' ? 1 : 6)
  })
})

test.runIf(inject('dialects').includes('pg'))(
  'deleteUser on pg deletes nothing if a foreign key with RESTRICT protects a session that is created meanwhile',
  async () => {
    const restricting = tableSetsOf('pg')[2] as TableSet
    const { db, url, run, execute, close } = await openDatabase('pg', { migrations: restricting.migrations })
    const client = postgres(url, { max: 1 })
    onTestFinished(async () => {
      await client.end()
      await close()
    })
    await execute(...insertUser('pg', restricting, 'ada'))
    const adapter = makeAdapter(db, restricting.tables)
    let deleting: Promise<unknown> | undefined
    await client.begin(async (signIn) => {
      await signIn`insert into f2_session ("userId", "sessionToken", expires) values ('ada', 'ada 3', '2100-01-01')`
      deleting = adapter.deleteUser('ada').catch((error) => error)
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await run(waiting)).length === 0);
    })
    expect(await deleting).toMatchObject({ kind: 'still-referenced' })
    expect(await run('select "sessionToken" from f2_session order by 1')).toHaveLength(3)
    expect(await adapter.deleteUser('ada')).toMatchObject({ id: 'ada' })
    expect(await countRows(run, 'pg', restricting, 'ada')).toEqual(noRows)
  },
)

describe.runIf(inject('dialects').includes('sqlite'))('deleteUser with a driver of SQLite that cannot wait', () => {
  async function open() {
    const opened = await openDatabase('sqlite')
    onTestFinished(opened.close)
    const { id } = await opened.adapter.createUser({ id: 'ada', email: 'ada@example.com' })
    await opened.adapter.createSession({ sessionToken: 't', userId: id, expires: new Date(4e12) })
    const rows = async () => [await opened.run('select * from user'), await opened.run('select * from session')].map(({ length }) => length)
    const { $client: client } = opened.db as unknown as { $client: { inTransaction: boolean } }
    return { ...opened, rows, client }
  }

  test('is a part of a transaction of the app, whose callback cannot be async', async () => {
    const { db, tables, rows } = await open()
    const { transaction } = db as unknown as { transaction(run: (tx: { rollback(): void }) => unknown): void }
    let deleting: Promise<unknown> = Promise.resolve()
    const run = (end: (tx: { rollback(): void }) => void) =>
      transaction.call(db, (tx) => {
        deleting = makeAdapter(tx, tables).deleteUser('ada')
        end(tx)
      })
    expect(() => run((tx) => tx.rollback())).toThrow(/rollback/i)
    expect(await deleting).toMatchObject({ id: 'ada' })
    expect(await rows()).toEqual([1, 1])
    run(() => {})
    expect(await deleting).toMatchObject({ id: 'ada' })
    expect(await rows()).toEqual([0, 0])
  })

  test('leaves no transaction open, and no row deleted, if a statement or the commit fails', async () => {
    const { adapter, execute, rows, client } = await open()
    await execute(`create trigger raises before delete on user begin select raise(abort, 'no'); end`)
    await expect(adapter.deleteUser('ada')).rejects.toMatchObject({ kind: 'unknown' })
    expect([client.inTransaction, await rows()]).toEqual([false, [1, 1]])
    const post = 'create table post (author text references user(id) deferrable initially deferred)'
    await execute('drop trigger raises', post, `insert into post values ('ada')`)
    await expect(adapter.deleteUser('ada')).rejects.toMatchObject({ kind: 'still-referenced' })
    expect([client.inTransaction, await rows()]).toEqual([false, [1, 1]])
  })
})
