import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { expectFailure } from '../../support/fails.js'
import { openPool } from '../../support/pool.js'
import * as pgSchema from '../../support/schema/pg.js'
import { changes, createRows, inserts, makeAdapter, openDatabase, useDatabase } from './database.js'
import { drivers } from './drivers.js'

describe.each(inject('dialects'))('on %s', (dialect) => {
  const database = useDatabase(
    () => openDatabase(dialect, { connections: 1 }),
    async ({ adapter }) => {
      await createRows(adapter, 'eva')
      await adapter.createUser({ id: 'bob', email: 'bob@example.com' })
    },
  )
  const code = { pg: /^25006$/, mysql: /^1792$/, sqlite: /^SQLITE_READONLY/ }[dialect]

  test('a read-only database can be read, and every write is an error of the kind read-only, without a change', async () => {
    const { adapter, execute, snapshot } = database()
    const setReadOnly = {
      pg: ['set default_transaction_read_only = on', 'set default_transaction_read_only = off'],
      mysql: ['set session transaction read only', 'set session transaction read write'],
      sqlite: ['pragma query_only = on', 'pragma query_only = off'],
    }
    const [on, off] = setReadOnly[dialect] as [string, string]
    const user = await adapter.createUser({ email: 'ada@example.com' })
    await execute(on)
    expect(await adapter.getUser(user.id)).toEqual(user)
    const before = await snapshot()
    for (const [operation, write] of Object.entries({ ...inserts, ...changes })) {
      // MariaDB forgets the setting when a statement has failed.
      await execute(on)
      const key = operation === 'createUser' ? 'secret' : operation in inserts ? 'bob' : 'eva'
      await expectFailure(write(adapter, key), operation, 'read-only', code, ['secret'])
    }
    expect(await snapshot()).toEqual(before)
    await execute(off)
    expect(await adapter.updateUser({ id: user.id, name: 'Ada' })).toEqual({ ...user, name: 'Ada' })
  })
})

test.runIf(inject('dialects').includes('sqlite'))(
  'a full disk is an error of the kind full, and writes succeed again when it has space',
  async () => {
    const { run, adapter, execute, close } = await openDatabase('sqlite')
    onTestFinished(close)
    const user = await adapter.createUser({ email: 'eva@example.com' })
    const name = 'secret'.repeat(2_000)
    const [row] = await run('pragma page_count')
    await execute(`pragma max_page_count = ${row?.page_count}`)
    await expectFailure(adapter.updateUser({ id: user.id, name }), 'updateUser', 'full', /^SQLITE_FULL$/, ['secret'])
    expect(await adapter.getUser(user.id)).toEqual(user)
    await execute('pragma max_page_count = 1000000')
    expect(await adapter.updateUser({ id: user.id, name })).toEqual({ ...user, name })
  },
)

test.each(drivers.filter(({ name }) => name !== 'node-postgres'))(
  'an account without a privilege is denied, and the error names the table: $name',
  async ({ dialect, connect }) => {
    const { execute, url, close } = await openDatabase(dialect)
    const account = `r${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
    const uri = new URL(url)
    uri.username = account
    if (dialect === 'pg') await execute(`create role ${account} login`, `grant select on "user" to ${account}`)
    else await execute(`create user ${account}`, `grant select on ${uri.pathname.slice(1)}.* to ${account}`)
    onTestFinished(async () => {
      await execute(...(dialect === 'pg' ? [`drop owned by ${account}`, `drop role ${account}`] : [`drop user ${account}`]))
      await close()
    })
    const adapter = connect(uri.href)
    expect(await adapter.getUser('ada')).toBeNull()
    const code = dialect === 'pg' ? /^42501$/ : /^1142$/
    await expectFailure(adapter.createUser({ email: 'secret-mail' }), 'createUser', 'denied', code, ['secret-mail'])
    await expect(adapter.createUser({ email: 'secret-mail' })).rejects.toMatchObject({ table: 'user' })
  },
)

interface Transactional {
  transaction(run: (tx: object) => Promise<unknown>): Promise<unknown>
}

describe.runIf(inject('dialects').includes('pg'))('a failed PostgreSQL transaction', () => {
  const database = useDatabase(
    () => openDatabase('pg'),
    ({ adapter }) => createRows(adapter, 'ada'),
  )

  test.each(['postgres.js', 'node-postgres'])('makes later operations fail with conflict: %s', async (driver) => {
    const { url, db } = database()
    const pool = openPool({ connectionString: url, max: 1 })
    onTestFinished(() => pool.end())
    const client = (driver === 'postgres.js' ? db : drizzleNodePg({ client: pool })) as unknown as Transactional
    const transaction = client.transaction(async (tx) => {
      const adapter = makeAdapter(tx, pgSchema)
      await expectFailure(adapter.createUser({ email: 'ada@example.com' }), 'createUser', 'duplicate', /^23505$/, [])
      await expectFailure(adapter.getUser('ada'), 'getUser', 'conflict', /^25P02$/, [])
      await expectFailure(adapter.deleteUser('ada'), 'deleteUser', 'conflict', /^25P02$/, [])
      throw new Error('the end')
    })
    await expect(transaction).rejects.toThrow('the end')
  })
})
