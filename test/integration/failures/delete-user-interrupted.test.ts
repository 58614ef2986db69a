import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { openProxy } from '../../support/proxy.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import { allRows, countRows, createUserWithRows, defineTableSet, kinds, noRows } from './foreign-keys.js'

const dialects = inject('dialects')
const tableSetsOf = (dialect: 'pg' | 'mysql' | 'sqlite') => {
  // One table set per code path: RESTRICT is handled like NO ACTION.
  const chosen = kinds.filter(
    ({ action, declared }) => action !== 'restrict' && declared === (action === 'cascade' || action === 'set null'),
  )
  const tableSets = chosen.map((kind, index) => defineTableSet(dialect, kind, `f${index}_`))
  return { tableSets, migrations: tableSets.flatMap(({ migrations }) => migrations), tables: tableSets[0]?.tables as object }
}

/** One connection through a TCP proxy that can be cut. */
async function connect(dialect: 'pg' | 'mysql', url: string) {
  const proxy = await openProxy(url)
  onTestFinished(proxy.close)
  if (dialect === 'pg') {
    // The query for array types would count as a request.
    const client = postgres(proxy.url, { max: 1, fetch_types: false })
    onTestFinished(() => client.end({ timeout: 1 }))
    return { proxy, db: drizzlePg({ client }) }
  }
  const client = mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
  onTestFinished(() => client.end())
  return { proxy, db: drizzleMysql({ client }) }
}

const servers = dialects.filter((dialect) => dialect !== 'sqlite') as ('pg' | 'mysql')[]

describe.each(servers)('deleteUser on %s after a lost connection', (dialect) => {
  const { tableSets, ...options } = tableSetsOf(dialect)
  const database = useDatabase(() => openDatabase(dialect, options))

  test.each(['request', 'answer'] as const)(
    'has deleted the user or nothing, and a second call deletes the rest: lost %s',
    async (lost) => {
      const { proxy, db } = await connect(dialect, database().url)
      const found: Record<string, Set<string>> = {}
      for (const tableSet of tableSets) {
        const plain = tableSet.createAdapter(database())
        const adapter = makeAdapter(db, tableSet.tables)
        const outcomes = new Set<string>()
        // Cut at the first request, the second and so on, until the operation needs fewer requests.
        for (let request = 1, isDone = false; !isDone; request++) {
          const id = `${lost}${request}`
          await createUserWithRows(plain, id)
          await adapter.getUser(id)
          proxy.loseAt(request, lost)
          isDone = await adapter.deleteUser(id).then(
            () => true,
            ({ kind }) => outcomes.add(kind) && false,
          )
          proxy.loseAt(0, lost)
          const left = await countRows(database(), tableSet, id)
          // While the user exists, so do all of its rows.
          if (left.user) expect(left, tableSet.title).toEqual(allRows)
          const again = await plain.deleteUser(id)
          expect(left.user ? again?.id : again).toBe(left.user ? id : null)
          expect(await countRows(database(), tableSet, id), tableSet.title).toEqual(noRows)
          expect(request).toBeLessThan(20)
        }
        found[tableSet.title] = outcomes
      }
      // At least one call was interrupted.
      for (const outcomes of Object.values(found)) expect([...outcomes]).toEqual(['unreachable'])
    },
  )
})

const withSqlite = describe.runIf(dialects.includes('sqlite'))

withSqlite('deleteUser on sqlite after the process ended', () => {
  const { tableSets, ...options } = tableSetsOf('sqlite')
  const database = useDatabase(() => openDatabase('sqlite', options))

  test('has deleted the user or nothing, and a second call deletes the rest', async () => {
    const { client } = database() as unknown as { client: Parameters<typeof drizzleSqlite>[0] }
    for (const tableSet of tableSets) {
      const plain = tableSet.createAdapter(database())
      let interruptions = 0
      for (let statement = 1, isDone = false; !isDone; statement++) {
        const id = `stopped${statement}`
        await createUserWithRows(plain, id)
        let statements = 0
        const stop = { logQuery: () => ++statements === statement && expect.fail('the process has ended') }
        const adapter = makeAdapter(drizzleSqlite({ client, logger: stop } as never), tableSet.tables)
        isDone = await adapter.deleteUser(id).then(
          () => true,
          () => !++interruptions,
        )
        const left = await countRows(database(), tableSet, id)
        if (left.user) expect(left, tableSet.title).toEqual(allRows)
        expect((await plain.deleteUser(id))?.id).toBe(left.user ? id : undefined)
        expect(await countRows(database(), tableSet, id), tableSet.title).toEqual(noRows)
        expect(statement).toBeLessThan(20)
      }
      expect(interruptions, tableSet.title).toBeGreaterThan(0)
    }
  })

  // A child process runs the built package and kills itself before a statement.
  test('does so after SIGKILL, too', async () => {
    const tables = defineSqlite({ foreignKeys: false })
    const migrations = Object.values(tables).map((table) => createTable(table as Table, '"'))
    const { client, adapter, run, close } = await openDatabase('sqlite', { migrations: migrations, tables })
    onTestFinished(close)
    const killedAt = async (statement: number) => {
      const id = `killed${statement}`
      await createUserWithRows(adapter, id)
      const child = execFile(process.execPath, [
        '--input-type=module',
        '-e',
        killingScript,
        (client as { name: string }).name,
        id,
        `${statement}`,
      ])
      const [code, signal] = await once(child, 'exit')
      const [user] = await run(`select * from "user" where id = '${id}'`)
      const left = await Promise.all(
        ['account', 'session', 'authenticator'].map((table) => run(`select * from ${table} where "userId" = '${id}'`)),
      )
      if (user) expect(left.map((rows) => rows.length)).toEqual([2, 2, 2])
      expect((await adapter.deleteUser(id))?.id).toBe(user ? id : undefined)
      for (const table of ['account', 'session', 'authenticator'])
        expect(await run(`select * from ${table} where "userId" = '${id}'`)).toEqual([])
      return signal ?? code
    }
    const exits = await Promise.all([1, 2, 3, 99].map(killedAt))
    expect([exits[0], exits[3]]).toEqual(['SIGKILL', 0])
  })
})

/** Deletes a user and kills the process before the given statement. */
const killingScript = `
  import Database from 'better-sqlite3'
  import { DrizzleAdapter } from 'drizzle-auth-adapter'
  import { defineTables } from 'drizzle-auth-adapter/sqlite'
  import { drizzle } from 'drizzle-orm/better-sqlite3'
  const [file, id, statement] = process.argv.slice(1)
  let statements = 0
  const logger = { logQuery: () => ++statements === Number(statement) && process.kill(process.pid, 'SIGKILL') }
  const db = drizzle({ client: new Database(file), logger })
  await DrizzleAdapter(db, defineTables({ foreignKeys: false })).deleteUser(id)
`
