import { AsyncLocalStorage } from 'node:async_hooks'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../support/connections.js'
import { makeAdapter, openDatabase } from '../../support/databases.js'

/** A `db` that stands for the database of the current request. Outside of a request there is none. */
function databaseOfTheMoment() {
  const current = new AsyncLocalStorage<object>()
  const db = new Proxy(
    {},
    {
      get(_, name) {
        const database = current.getStore()
        if (!database) throw new Error('there is no database outside of a request')
        const value = Reflect.get(database, name)
        return typeof value === 'function' ? value.bind(database) : value
      },
    },
  )
  return { db, within: <T>(database: object, run: () => Promise<T>) => current.run(database, run) }
}

describe.each(inject('dialects'))('the database of the moment on %s', (dialect) => {
  async function openTenants() {
    const tenants = [await openDatabase(dialect), await openDatabase(dialect)] as const
    onTestFinished(async () => {
      for (const { close } of tenants) await close()
    })
    return tenants
  }

  test('answers each call, and nothing of it is read before', async () => {
    const [a, b] = await openTenants()
    const { db, within } = databaseOfTheMoment()
    const adapter = makeAdapter(db, a.tables)
    const inA = <T>(run: () => Promise<T>) => within(a.db, run)
    const inB = <T>(run: () => Promise<T>) => within(b.db, run)
    const expires = new Date('2031-05-06T07:08:09.123Z')
    const admin = await inA(() => adapter.createUser({ email: 'admin@a.example' }))
    await inA(() => adapter.createSession({ sessionToken: 'token', userId: admin.id, expires }))
    expect(await inA(() => adapter.getSessionAndUser('token'))).toMatchObject({ user: admin })
    expect(await inB(() => adapter.getSessionAndUser('token'))).toBeNull()
    const other = await inB(() => adapter.createUser({ email: 'user@b.example' }))
    expect(await inA(() => adapter.getUser(other.id))).toBeNull()
    expect(await inB(() => adapter.getUser(other.id))).toEqual(other)
    expect(await inB(() => adapter.updateSession({ sessionToken: 'token', expires }))).toBeNull()
    expect(await inB(() => adapter.deleteUser(admin.id))).toBeNull()
    expect(await inA(() => adapter.getUser(admin.id))).toEqual(admin)
    expect(await inA(() => adapter.deleteUser(admin.id))).toEqual(admin)
    await expect(adapter.getUser('1')).rejects.toMatchObject({ name: 'AdapterOperationError' })
  })

  test('never gets a statement of another one, even if fifty requests take turns', async () => {
    const [a, b] = await openTenants()
    const { db, within } = databaseOfTheMoment()
    const adapter = makeAdapter(db, a.tables)
    await within(a.db, () => adapter.createUser({ id: 'ada', email: 'a@example.com' }))
    await within(b.db, () => adapter.createUser({ id: 'ada', email: 'b@example.com' }))
    const emails = await Promise.all(
      Array.from({ length: 50 }, (_, turn) => within(turn % 2 ? b.db : a.db, async () => (await adapter.getUser('ada'))?.email)),
    )
    expect(emails).toEqual(Array.from({ length: 50 }, (_, turn) => (turn % 2 ? 'b@example.com' : 'a@example.com')))
  })

  /** Runs a call of the adapter in a transaction. One of better-sqlite3 ends when its function returns: only what runs at once is inside. */
  async function inTransaction<T>(database: object, run: (inner: object) => Promise<T>): Promise<T> {
    const { transaction } = database as { transaction(run: (inner: object) => unknown): unknown }
    if (dialect !== 'sqlite') return (await transaction.call(database, run)) as T
    let result: Promise<T> | undefined
    transaction.call(database, (inner) => {
      result = run(inner)
    })
    return result as Promise<T>
  }

  test('is the transaction that it stands for, one after the other', async () => {
    const [a, b] = await openTenants()
    const { db, within } = databaseOfTheMoment()
    const adapter = makeAdapter(db, a.tables)
    const create = ({ db: database }: typeof a, id: string) =>
      inTransaction(database, (inner) => within(inner, () => adapter.createUser({ id, email: `${id}@example.com` })))
    for (const [tenant, id] of [
      [a, 'ada'],
      [b, 'bob'],
      [a, 'eve'],
    ] as const)
      await create(tenant, id)
    const found = (tenant: typeof a) =>
      within(tenant.db, async () => {
        const users = await Promise.all(['ada', 'bob', 'eve'].map((id) => adapter.getUser(id)))
        return users.map((user) => user?.id)
      })
    expect(await found(a)).toEqual(['ada', undefined, 'eve'])
    expect(await found(b)).toEqual([undefined, 'bob', undefined])
  })

  test('is asked by its own statements after it stood for another one during a call', async () => {
    const [a, b] = await openTenants()
    for (const tenant of [a, b]) await tenant.adapter().createUser({ id: tenant === a ? 'ada' : 'bob', email: 'x@example.com' })
    // New connections: on MySQL, the first call has to wait until their settings have been checked.
    const [inA, inB] = await Promise.all([connect[dialect](a.url), connect[dialect](b.url)])
    onTestFinished(async () => {
      for (const { close } of [inA, inB]) await close()
    })
    let current: object = inA.db
    const adapter = makeAdapter(new Proxy({}, { get: (_, name) => Reflect.get(current, name) }), a.tables)
    const first = adapter.getUser('ada')
    current = inB.db
    await first
    current = inA.db
    expect(await adapter.getUser('ada')).toMatchObject({ id: 'ada' })
    expect(await adapter.getUser('bob')).toBeNull()
  })
})

describe.runIf(inject('dialects').includes('mysql'))('a transaction of MySQL that has read before', () => {
  test('sees the rows that it is to write as they are now', async () => {
    const { db, tables, adapter: outside, close } = await openDatabase('mysql')
    onTestFinished(close)
    const expires = new Date('2031-05-06T07:08:09.123Z')
    const { transaction } = db as unknown as { transaction(run: (inner: object) => Promise<void>): Promise<void> }
    await transaction.call(db, async (inner) => {
      const adapter = makeAdapter(inner, tables)
      // With REPEATABLE READ, plain reads show the database as it was at the first of them.
      expect(await adapter.getUser('nobody')).toBeNull()
      const user = await outside().createUser({ email: 'ada@example.com' })
      const account = { userId: user.id, type: 'oauth' as const, provider: 'p', providerAccountId: '1', access_token: 'old' }
      await outside().linkAccount(account)
      for (const sessionToken of ['s', 'other']) await outside().createSession({ sessionToken, userId: user.id, expires })
      const other = (await outside().listSessions(user.id, { current: 'other' })).find(({ current }) => current)
      await outside().createVerificationToken({ identifier: 'i', token: 't', expires })
      expect(await adapter.useVerificationToken({ identifier: 'i', token: 't' })).toMatchObject({ token: 't' })
      expect(await adapter.deleteSession('s')).toMatchObject({ sessionToken: 's' })
      const current = { ...account, access_token: 'new' }
      await outside().updateAccount(current)
      expect(await adapter.updateAccount({ ...account, scope: 'stale' }, { unlessChanged: account })).toBeNull()
      expect(await adapter.updateAccount({ ...account, scope: 'fresh' }, { unlessChanged: current })).toMatchObject({ scope: 'fresh' })
      expect(await adapter.revokeSession(user.id, other?.id as string)).toBe(true)
      expect(await adapter.unlinkAccount(account)).toMatchObject({ provider: 'p' })
      expect(await adapter.deleteUser(user.id)).toMatchObject({ id: user.id })
    })
    expect(await outside().getUserByEmail('ada@example.com')).toBeNull()
  })
})

describe.runIf(inject('dialects').includes('mysql'))('an update on MySQL', () => {
  /** An adapter that runs a statement directly after its first UPDATE. `info` is what the driver says about how many rows matched. */
  async function openWith(statement: string, info: object = {}) {
    const { db, adapter, close } = await openDatabase('mysql')
    onTestFinished(close)
    const { $client: client } = db as unknown as { $client: { query(statement: { sql: string }, ...more: unknown[]): Promise<[object]> } }
    const query = client.query.bind(client)
    client.query = async (sent, ...more) => {
      const result = await query(sent, ...more)
      if (!sent.sql.startsWith('update')) return result
      client.query = query
      await query({ sql: statement })
      return [{ ...result[0], ...info }]
    }
    return adapter()
  }

  const insert = `insert into user (id, email, name) values ('ada', 'ada@example.com', 'old')`

  test('finds none if the row appears after it', async () => {
    const adapter = await openWith(insert)
    await expect(adapter.updateUser({ id: 'ada', name: 'new' })).rejects.toMatchObject({ kind: 'not-found' })
    expect(await adapter.getUser('ada')).toMatchObject({ name: 'old' })
  })

  test('changes that row with a driver that does not say how many rows matched', async () => {
    const adapter = await openWith(insert, { info: undefined })
    expect(await adapter.updateUser({ id: 'ada', name: 'new' })).toMatchObject({ name: 'new' })
    expect(await adapter.getUser('ada')).toMatchObject({ name: 'new' })
  })
})
