import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import * as libsql from 'drizzle-orm/libsql/driver-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../support/root.js'
import * as tables from '../../support/schema/sqlite.js'
import type { App } from './start.js'
import { cleanUp, migrations, newFile, startApp } from './start.js'

afterAll(cleanUp)

const withSqlite = inject('dialects').includes('sqlite')

const newUser = () => {
  const id = crypto.randomUUID()
  return { id, email: `${id}@example.com`, emailVerified: null }
}

/** The errors if the adapter and the app write concurrently, each one statement after another. */
async function failuresOf(app: App, users: { id: string }[]): Promise<unknown[]> {
  const creating = users.flatMap((user) => [
    { call: 'createUser', args: [user] },
    { call: 'getUser', args: [user.id] },
  ])
  const writingNotes = users.map(({ id }) => ({ own: `insert into note (text) values ('${id}')` }))
  const answers = await app.ask({ together: [{ inTurn: creating }, { inTurn: writingNotes }] })
  return (answers as { value: object[] }[]).flatMap(({ value }) => value).filter((answer) => 'error' in answer)
}

const settings = [
  { journal: 'wal', connections: 20 },
  { journal: 'wal', connections: 2 },
  { journal: 'delete', connections: 20 },
  { journal: 'delete', connections: 1 },
]

describe.runIf(withSqlite).each(settings)('in journal mode $journal, up to $connections connections', ({ journal, connections }) => {
  let file: string
  /** Another process, which writes to the same file. */
  let rival: App
  beforeAll(async () => {
    file = await newFile(journal)
    rival = await startApp('better-sqlite3', file)
  })

  /** Starts an app on libSQL, which has read the tables once. */
  async function openApp(): Promise<App> {
    const app = await startApp('libsql', file, { connections })
    onTestFinished(app.kill)
    await app.call('getUser', 'nobody')
    await app.own('select * from note')
    return app
  }

  const isInFile = async (table: string, column: string, value: string) =>
    ((await rival.own(`select 1 from ${table} where ${column} = '${value}'`)) as unknown[]).length > 0

  /** Makes a statement of the app fail because of a lock. libSQL's client then leaves it unfinished. */
  async function failOnLock(app: App) {
    await rival.own('begin immediate')
    await expect(app.own(`insert into note (text) values ('lost')`)).rejects.toThrow('database is locked')
    await rival.own('rollback')
  }

  test.each(['libsql', 'better-sqlite3'] as const)('the first statement of an app on %s waits for a lock', async (driver) => {
    const app = await startApp(driver, file, { connections })
    onTestFinished(app.kill)
    await rival.own('begin exclusive')
    const user = newUser()
    const creating = app.call('createUser', user)
    await sleep(100)
    await rival.own('rollback')
    expect(await creating).toMatchObject({ id: user.id })
    expect(await isInFile('user', 'id', user.id)).toBe(true)
  })

  test('on libSQL, a statement that waited for a lock is committed before it is acknowledged, and so are later ones', async () => {
    const app = await openApp()
    const [first, second, third] = [newUser(), newUser(), newUser()]
    await rival.own('begin immediate')
    const creating = app.call('createUser', first)
    await sleep(100)
    await rival.own('rollback')
    await creating
    expect(await isInFile('user', 'id', first.id)).toBe(true)
    await app.call('createUser', second)
    expect(await isInFile('user', 'id', second.id)).toBe(true)
    await rival.own(`insert into user (id, email) values ('${third.id}', '${third.email}')`)
    expect(await app.call('getUser', third.id)).toMatchObject({ id: third.id })
  })

  test('on libSQL, a write that is acknowledged after a statement of the app failed on a lock is committed', async () => {
    const app = await openApp()
    // At last, two connections have an unfinished statement.
    for (const user of [newUser(), newUser(), newUser()]) {
      await failOnLock(app)
      await app.call('createUser', user)
      expect(await isInFile('user', 'id', user.id)).toBe(true)
    }
  })

  test('on libSQL, a session that another process revokes after a statement of the app failed on a lock is revoked', async () => {
    const app = await openApp()
    const user = newUser()
    await app.call('createUser', user)
    await app.call('createSession', { sessionToken: user.id, userId: user.id, expires: new Date(Date.now() + 1e6) })
    await failOnLock(app)
    expect(await app.call('getSessionAndUser', user.id)).not.toBeNull()
    await rival.own('delete from session')
    expect(await app.call('getSessionAndUser', user.id)).toBeNull()
  })

  // In journal mode delete, a reader blocks a commit, too. With a single connection, that write fails as a conflict.
  const blockers =
    journal === 'delete' && connections > 1 ? ['begin immediate', 'begin exclusive', 'begin; select * from user'] : ['begin immediate']
  test.each(blockers)('on libSQL, no statement is left unfinished that was blocked by another process: %s', async (blocking) => {
    const app = await openApp()
    const [kept, deleted] = [newUser(), newUser()]
    for (const user of [kept, deleted]) await app.call('createUser', user)
    for (const statement of blocking.split('; ')) await rival.own(statement)
    const waiting = [
      app.call('createUser', newUser()),
      app.call('updateUser', { id: kept.id, name: 'Ada' }),
      app.call('getUser', kept.id),
      app.call('deleteUser', deleted.id),
    ]
    await sleep(100)
    await rival.own('rollback')
    await Promise.all(waiting)
    // Both fail if any statement is unfinished, on this connection or in another process.
    await app.own('vacuum')
    await rival.own('vacuum')
    expect(await rival.own(`select name from user where id in ('${kept.id}', '${deleted.id}')`)).toEqual([{ name: 'Ada' }])
  })

  test('on libSQL, an error about a row that cannot be read says whether the write happened', async () => {
    const app = await openApp()
    const token = { identifier: crypto.randomUUID(), token: 'unread' }
    await rival.own(`insert into "verificationToken" (identifier, token, expires) values ('${token.identifier}', 'unread', ${2n ** 60n})`)
    const error = (await app.call('useVerificationToken', token).catch((each) => each)) as Error
    expect(error.message).toContain('the driver does not return this value')
    const isWritten = error.message.includes('the write itself happened')
    expect(await isInFile('verificationToken', 'identifier', token.identifier)).toBe(!isWritten)
  })

  test('on libSQL, a transaction of the app continues while the adapter waits for it', async () => {
    const app = await openApp()
    const user = newUser()
    const transaction = app.ask({ transaction: `insert into note (text) values ('${user.id}')`, milliseconds: 300 })
    await sleep(100)
    // On another connection, if there is one, this leaves an unfinished statement.
    await expect(app.own(`insert into note (text) values ('lost')`)).rejects.toThrow()
    await app.call('createUser', user)
    await transaction
    expect(await isInFile('note', 'text', user.id)).toBe(true)
    expect(await isInFile('user', 'id', user.id)).toBe(true)
  })

  test('on libSQL, statements of the app and of the adapter do not block each other', async () => {
    const app = await openApp()
    const users = Array.from({ length: 60 }, newUser)
    expect(await failuresOf(app, users)).toEqual([])
    for (const { id } of users) expect([await isInFile('user', 'id', id), await isInFile('note', 'text', id)]).toEqual([true, true])
  })
})

test.runIf(withSqlite)('on libSQL, an in-memory database works without waiting for locks', async () => {
  const app = await startApp('libsql', ':memory:', { statements: await migrations() })
  onTestFinished(app.kill)
  const users = Array.from({ length: 30 }, newUser)
  expect(await failuresOf(app, users)).toEqual([])
  expect(await app.own('select count(*) as n from note')).toEqual([{ n: 30 }])
  for (const { id } of users) expect(await app.call('getUser', id)).toMatchObject({ id })
})

describe.runIf(withSqlite)('in the process of the app', () => {
  /** Opens a file with clients of libSQL that have these numbers of connections. */
  async function openClients(...connections: number[]) {
    const { createClient } = createRequire(join(root, 'lab/matrix', 'package.json'))('@libsql/client')
    const file = await newFile('wal')
    const clients = connections.map((concurrency) => createClient({ url: `file:${file}`, concurrency }))
    onTestFinished(() => {
      for (const client of clients) client.close()
    })
    return clients
  }

  // The core of Drizzle's driver only wraps a given client.
  const { construct } = libsql as unknown as { construct(client: unknown, config: object): object }
  const makeAdapter = (client: unknown) => DrizzleAdapter(construct(client, {}) as never, tables)

  // After so many microtasks, the adapter is finding out what kind of a database the client has.
  test.each([0, 1, 2, 3, 4, 5])('writes are committed although transactions of the app began with the first call: %i', async (turns) => {
    const [client, rival] = await openClients(1, 1)
    const { createUser } = makeAdapter(client)
    const creating = createUser?.(newUser())
    for (let turn = 0; turn < turns; turn++) await null
    const transaction = await client.transaction('deferred')
    await sleep(10)
    transaction.close()
    await creating
    const lock = await rival.transaction('write')
    await expect(client.execute(`insert into note (text) values ('lost')`)).rejects.toThrow('database is locked')
    lock.close()
    const user = newUser()
    await createUser?.(user)
    expect((await rival.execute(`select 1 from user where id = '${user.id}'`)).rows).toHaveLength(1)
  })

  test('deleteUser leaves no statement unfinished if `db` stands for another database', async () => {
    const [client, rival] = await openClients(2, 1)
    const inner = construct(client, {})
    const get = (_: object, name: string) => {
      const value = Reflect.get(inner, name)
      return typeof value === 'function' ? value.bind(inner) : value
    }
    const { createUser, deleteUser } = DrizzleAdapter(new Proxy({}, { get }) as never, tables)
    const user = newUser()
    await createUser?.(user)
    const lock = await rival.transaction('write')
    const deleting = deleteUser?.(user.id)
    await sleep(100)
    lock.close()
    expect(await deleting).toMatchObject({ id: user.id })
    await client.execute(`insert into note (text) values ('kept')`)
    expect((await rival.execute('select text from note')).rows).toMatchObject([{ text: 'kept' }])
  })

  test('the row of a write that cannot be read was written, in memory', async () => {
    const { createClient } = createRequire(join(root, 'lab/matrix', 'package.json'))('@libsql/client')
    const client = createClient({ url: ':memory:' })
    for (const statement of await migrations()) await client.execute(statement)
    await client.execute(`insert into "verificationToken" (identifier, token, expires) values ('ada', 'unread', ${2n ** 60n})`)
    const using = makeAdapter(client).useVerificationToken?.({ identifier: 'ada', token: 'unread' })
    await expect(using).rejects.toMatchObject({ kind: 'garbled', written: true })
    expect((await client.execute('select 1 from "verificationToken"')).rows).toEqual([])
  })

  test.each([1, 2])('a statement that ends its transaction fails with its own error, %i connections', async (connections) => {
    const [client] = await openClients(connections)
    const failing = `select raise(rollback, 'UNIQUE constraint failed: user.email')`
    await client.execute(`create trigger failing before insert on user begin ${failing}; end`)
    await expect(makeAdapter(client).createUser?.(newUser())).rejects.toMatchObject({ code: 'SQLITE_CONSTRAINT_TRIGGER' })
  })
})
