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
import { makeAdapter, openDatabase, useDatabase } from './database.js'

const newName = () => `r${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`

describe.runIf(inject('dialects').includes('mysql'))('a MySQL account', () => {
  const database = useDatabase(() => openDatabase('mysql'))

  /** Creates an account and connects with it. */
  async function connect(statement: (name: string) => string, { password = '', rights = 'all' } = {}) {
    const { execute, url } = database()
    const name = newName()
    await execute(statement(name), `grant ${rights} on ${new URL(url).pathname.slice(1)}.* to ${name}`)
    onTestFinished(() => execute(`drop user ${name}`))
    const uri = new URL(url)
    uri.username = name
    uri.password = password
    const client = mysql.createPool({ uri: uri.href, connectionLimit: 1 })
    onTestFinished(() => client.end())
    return makeAdapter(drizzleMysql({ client }), mysqlSchema)
  }

  const isMariadb = async () => /mariadb/i.test(`${(await database().run('select version() as version'))[0]?.version}`)

  test('cannot log in when it is locked', async () => {
    const adapter = await connect((name) => `create user ${name} account lock`)
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^(3118|4151)$/, [])
  })

  test('cannot log in when its password has expired', async () => {
    const adapter = await connect((name) => `create user ${name} identified by 'p' password expire`, { password: 'p' })
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^(1820|1862)$/, [])
  })

  test('cannot log in with a wrong password', async () => {
    const adapter = await connect((name) => `create user ${name} identified by 'p'`, { password: 'secret-password' })
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^1045$/, ['secret-password'])
  })

  test('cannot log in when it is blocked after failed logins', async ({ skip }) => {
    if (await isMariadb()) skip('MariaDB has only a server-wide setting for this')
    const adapter = await connect((name) => `create user ${name} identified by 'p' failed_login_attempts 1 password_lock_time 1`, {
      password: 'q',
    })
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^(1045|3955)$/, [])
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^3955$/, [])
  })

  test('cannot log in over TCP when it uses unix_socket', async ({ skip }) => {
    if (!(await isMariadb())) skip('unix_socket is a plugin of MariaDB')
    const adapter = await connect((name) => `create user ${name} identified via unix_socket`)
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^1698$/, [])
  })

  test('is denied without the required privilege', async () => {
    const adapter = await connect((name) => `create user ${name}`, { rights: 'select' })
    expect(await adapter.getUser('ada')).toBeNull()
    await expectFailure(adapter.createUser({ email: 'secret-mail' }), 'createUser', 'denied', /^1142$/, ['secret-mail'])
  })
})

const withPg = describe.runIf(inject('dialects').includes('pg'))

withPg('a PostgreSQL role', () => {
  const database = useDatabase(() => openDatabase('pg'))

  async function connect(statement: (name: string) => string) {
    const { execute, url } = database()
    const name = newName()
    await execute(statement(name))
    onTestFinished(() => execute(`drop owned by ${name}`, `drop role ${name}`))
    const uri = new URL(url)
    uri.username = name
    const client = postgres(uri.href, { max: 1 })
    onTestFinished(() => client.end())
    return makeAdapter(drizzlePg({ client }), pgSchema)
  }

  test('cannot log in without the LOGIN attribute', async () => {
    const adapter = await connect((name) => `create role ${name} nologin`)
    await expectFailure(adapter.getUser('ada'), 'getUser', 'login', /^28000$/, [])
  })

  test('is denied without privileges, and the error names the table', async () => {
    const adapter = await connect((name) => `create role ${name} login`)
    await expectFailure(adapter.getSessionAndUser('ada'), 'getSessionAndUser', 'denied', /^42501$/, [])
    await expect(adapter.getSessionAndUser('ada')).rejects.toMatchObject({ table: 'session' })
    await expect(adapter.deleteSession('ada')).rejects.toMatchObject({ table: 'session', kind: 'denied' })
  })
})

withPg('a failed PostgreSQL transaction', () => {
  const database = useDatabase(() => openDatabase('pg'))

  test.each(['postgres.js', 'node-postgres'])('makes later operations fail with conflict: %s', async (driver) => {
    const { adapter, url, db } = database()
    const email = `${driver}@example.com`
    await adapter.createUser({ email })
    const pool = openPool({ connectionString: url, max: 1 })
    onTestFinished(() => pool.end())
    interface Transactional {
      transaction(run: (tx: object) => Promise<unknown>): Promise<unknown>
    }
    const client = (driver === 'postgres.js' ? db : drizzleNodePg({ client: pool })) as unknown as Transactional
    const transaction = client.transaction(async (tx) => {
      // With default retries: nothing is retried in a transaction.
      const within = makeAdapter(tx, pgSchema, { retry: {} })
      await expectFailure(within.createUser({ email }), 'createUser', 'duplicate', /^23505$/, [email])
      await expectFailure(within.getUser('ada'), 'getUser', 'conflict', /^25P02$/, [])
      await expectFailure(within.deleteSession('ada'), 'deleteSession', 'conflict', /^25P02$/, [])
      await expectFailure(within.deleteUser('ada'), 'deleteUser', 'conflict', /^25P02$/, [])
      await expectFailure(within.updateUser({ id: 'ada', name: 'x' }), 'updateUser', 'conflict', /^25P02$/, [])
      throw new Error('the end')
    })
    await expect(transaction).rejects.toThrow('the end')
  })
})
