import type Database from 'better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { expectFailure } from '../../support/fails.js'
import { openPool } from '../../support/pool.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import type { Opened } from './database.js'
import { createRows, makeAdapter, openDatabase, useDatabase } from './database.js'

const newName = () => `r${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`

describe.each(inject('dialects'))('on %s', (dialect) => {
  const database = useDatabase(() => openDatabase(dialect, { connections: 1 }))
  const codes = { pg: [/^25006$/, /^53100$/], mysql: [/^1792$/, /^1114$/], sqlite: [/^SQLITE_READONLY/, /^SQLITE_FULL$/] }
  const [readOnlyCode, fullCode] = codes[dialect]

  test('a database that is read-only can be read, and a write is read-only', async () => {
    const { adapter, execute } = database()
    const setReadOnly = {
      pg: ['set default_transaction_read_only = on', 'set default_transaction_read_only = off'],
      mysql: ['set session transaction read only', 'set session transaction read write'],
      sqlite: ['pragma query_only = on', 'pragma query_only = off'],
    }
    const [on, off] = setReadOnly[dialect] as [string, string]
    const user = await adapter.createUser({ email: 'ada@example.com' })
    await execute(on)
    expect(await adapter.getUser(user.id)).toEqual(user)
    await expectFailure(adapter.createUser({ email: 'secret' }), 'createUser', 'read-only', readOnlyCode, ['secret'])
    await execute(off)
    expect(await adapter.updateUser({ id: user.id, name: 'Ada' })).toEqual({ ...user, name: 'Ada' })
  })

  /** Makes every write fail as on a full disk. On servers, a trigger raises the error. */
  const fillDisk: Record<typeof dialect, (opened: Opened) => Promise<unknown>> = {
    pg: ({ execute }) =>
      execute(
        `create function fail() returns trigger language plpgsql as $$ begin raise exception 'no space' using errcode = '53100'; end $$`,
        `create trigger fail before update on "user" for each row execute function fail()`,
      ),
    mysql: ({ execute }) =>
      execute(
        `create trigger fail before update on user for each row signal sqlstate 'HY000' set message_text = 'full', mysql_errno = 1114`,
      ),
    sqlite: async ({ client }) => {
      const database = client as Database.Database
      database.pragma(`max_page_count = ${database.pragma('page_count', { simple: true })}`)
    },
  }

  test('a full disk is full', async () => {
    const { adapter } = database()
    const user = await adapter.createUser({ email: 'eva@example.com' })
    await fillDisk[dialect](database())
    const name = 'secret'.repeat(2_000)
    await expectFailure(adapter.updateUser({ id: user.id, name }), 'updateUser', 'full', fullCode, ['secret'])
    expect(await adapter.getUser(user.id)).toEqual(user)
  })
})

const withMysql = describe.runIf(inject('dialects').includes('mysql'))
const withPg = describe.runIf(inject('dialects').includes('pg'))

withMysql('a MySQL account', () => {
  const database = useDatabase(() => openDatabase('mysql'))

  /** Creates an account and connects with it. */
  async function connect(statement: (name: string) => string, rights = 'all') {
    const { execute, url } = database()
    const name = newName()
    await execute(statement(name), `grant ${rights} on ${new URL(url).pathname.slice(1)}.* to ${name}`)
    onTestFinished(() => execute(`drop user ${name}`))
    const uri = new URL(url)
    uri.username = name
    const client = mysql.createPool({ uri: uri.href, connectionLimit: 1 })
    onTestFinished(() => client.end())
    return makeAdapter(drizzleMysql({ client }), mysqlSchema)
  }

  test('cannot log in when it is locked', async () => {
    const adapter = await connect((name) => `create user ${name} account lock`)
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^(3118|4151)$/, [])
  })

  test('is denied without the required privilege', async () => {
    const adapter = await connect((name) => `create user ${name}`, 'select')
    expect(await adapter.getUser('ada')).toBeNull()
    await expectFailure(adapter.createUser({ email: 'secret-mail' }), 'createUser', 'denied', /^1142$/, ['secret-mail'])
  })
})

withPg('a PostgreSQL role', () => {
  const database = useDatabase(() => openDatabase('pg'))

  test('is denied without privileges, and the error names the table', async () => {
    const { execute, url } = database()
    const uri = new URL(url)
    uri.username = newName()
    await execute(`create role ${uri.username} login`)
    onTestFinished(() => execute(`drop owned by ${uri.username}`, `drop role ${uri.username}`))
    const client = postgres(uri.href, { max: 1 })
    onTestFinished(() => client.end())
    const adapter = makeAdapter(drizzlePg({ client }), pgSchema)
    await expectFailure(adapter.getSessionAndUser('ada'), 'getSessionAndUser', 'denied', /^42501$/, [])
    await expect(adapter.deleteSession('ada')).rejects.toMatchObject({ table: 'session', kind: 'denied' })
  })
})

interface Transactional {
  transaction(run: (tx: object) => Promise<unknown>): Promise<unknown>
}

withPg('a failed PostgreSQL transaction', () => {
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
