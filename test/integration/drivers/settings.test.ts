// Needs MySQL or MariaDB.
import { AdapterOperationError, checkSettings, DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import type { PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../../support/databases.js'
import * as tables from '../../support/schema/mysql.js'

/** A pool whose connections have settings of their own, and the statements that reach the server. */
async function openPool(options: PoolOptions = {}, setUp: string[] = []) {
  const { url: uri, run, close } = await openMysql()
  onTestFinished(close)
  const client = mysql.createPool({ uri, connectionLimit: 1, ...options })
  onTestFinished(() => client.end())
  client.pool.on('connection', (connection) => {
    for (const statement of setUp) connection.query(statement)
  })
  const statements: string[] = []
  const db = drizzle({ client, logger: { logQuery: (statement) => statements.push(statement) } })
  return { db, client, run, statements }
}

// As with `init_connect` on the server: mysql2 is not told of the change.
const untracked = "set session_track_system_variables = ''"

const refused: [string, RegExp, PoolOptions, string[]][] = [
  ['an empty sql_mode', /sql_mode is '', .*STRICT_TRANS_TABLES/, {}, ["set sql_mode = ''"]],
  ['NO_BACKSLASH_ESCAPES', /NO_BACKSLASH_ESCAPES/, {}, ["set sql_mode = 'STRICT_ALL_TABLES,NO_BACKSLASH_ESCAPES'"]],
  ['autocommit off', /autocommit is off/, {}, ['set autocommit = 0']],
  ['charset utf8, which has no characters of four bytes', /utf8mb4/, { charset: 'utf8' }, []],
  ['charset latin1', /utf8mb4/, { charset: 'latin1' }, []],
  ['latin1 in mysql2 and utf8mb4 on the server', /utf8mb4/, { charset: 'latin1' }, [untracked, 'set names utf8mb4']],
  ['utf8mb4 in mysql2 and latin1 on the server', /utf8mb4/, {}, [untracked, 'set names latin1']],
]

describe.runIf(inject('dialects').includes('mysql'))('a connection', () => {
  test.each(refused)('with %s is refused before a value is sent', async (_, message, options, setUp) => {
    const { db, run, statements } = await openPool(options, setUp)
    const adapter = DrizzleAdapter(db, tables)
    const failures = await Promise.all([
      adapter.createUser({ id: 'secret', email: 'secret' }).catch((error) => error),
      adapter.getUserByEmail('secret').catch((error) => error),
      checkSettings(db).catch((error) => error),
    ])
    for (const failure of failures) {
      expect(failure).toBeInstanceOf(AdapterOperationError)
      expect(failure).toMatchObject({ kind: 'settings', message: expect.stringMatching(message) })
    }
    expect(statements.filter((statement) => !statement.includes('@@sql_mode'))).toEqual([])
    expect(await run('select * from user')).toEqual([])
  })

  test('with autocommit off may be used in a transaction', async () => {
    const { db, run } = await openPool({}, ['set autocommit = 0'])
    await db.transaction(async (tx) => void (await DrizzleAdapter(tx, tables).createUser({ id: 'ada', email: 'ada@example.com' })))
    expect(await run('select cast(id as char) as id from user')).toEqual([{ id: 'ada' }])
    await expect(DrizzleAdapter(db, tables).getUser('ada')).rejects.toMatchObject({ kind: 'settings' })
  })

  test('is checked by itself if `db` stands for one of its transactions first', async () => {
    const { db } = await openPool({}, ['set autocommit = 0'])
    let inner: object | undefined
    // What a transaction does not have is that of the database around it, such as `$client`.
    const current = new Proxy({}, { get: (_, name) => Reflect.get(inner ?? db, name) ?? Reflect.get(db, name) })
    const adapter = DrizzleAdapter(current as never, tables)
    await db.transaction(async (tx) => {
      inner = tx
      expect(await adapter.getUser('ada')).toBeNull()
      inner = undefined
    })
    await expect(adapter.getUser('ada')).rejects.toMatchObject({ kind: 'settings' })
  })

  test('is checked also if `db` stands for it only once another one has been checked', async () => {
    const first = await openPool()
    const second = await openPool({}, ["set sql_mode = ''"])
    let current: object = first.db
    const adapter = DrizzleAdapter(new Proxy({}, { get: (_, name) => Reflect.get(current, name) }) as never, tables)
    const call = adapter.createUser({ id: 'secret', email: 'secret' }).catch((error) => error)
    await expect.poll(() => first.statements).toHaveLength(1)
    current = second.db
    expect(await call).toMatchObject({ kind: 'settings', written: false })
    expect(await second.run('select * from user')).toEqual([])
  })

  test('is checked once for all adapters and transactions of a client', async () => {
    const { db, statements } = await openPool()
    await Promise.all([1, 2, 3].map(() => DrizzleAdapter(db, tables).getUser('ada')))
    await db.transaction(async (tx) => DrizzleAdapter(tx, tables).getUser('ada'))
    await checkSettings(db)
    expect(statements.filter((statement) => statement.includes('@@sql_mode'))).toHaveLength(1)
  })

  test('is checked again if it could not be checked', async () => {
    const { db, client } = await openPool({}, ["set sql_mode = ''"])
    const adapter = DrizzleAdapter(db, tables)
    await expect(adapter.getUser('ada')).rejects.toMatchObject({ kind: 'settings' })
    await client.query("set sql_mode = 'TRADITIONAL'")
    expect(await adapter.getUser('ada')).toBeNull()
  })
})
