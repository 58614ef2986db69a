// Needs SQLite.
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as better from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleD1 } from 'drizzle-orm/d1'
import * as libsql from 'drizzle-orm/libsql/driver-core'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeAdapter, openDatabase, useDatabase } from '../../integration/failures/database.js'
import type { TableSet } from '../../integration/failures/delete-user.js'
import { allRows, countRows, insertUser, noRows, tableSetsOf } from '../../integration/failures/delete-user.js'
import { root } from '../../support/root.js'

// libSQL and miniflare are dependencies of the matrix only.
const load = createRequire(join(root, 'lab/matrix', 'package.json'))

// `drizzle-orm/libsql` imports @libsql/client, which is not installed here. Its core only wraps a given client.
const { construct: drizzleLibsql } = libsql as unknown as { construct(client: unknown, config: object): object }

type Row = Record<string, unknown>
interface Client {
  db: object
  run(statement: string): Promise<Row[]>
  /** Runs statements in one round trip. */
  batch(statements: string[]): Promise<unknown>
  close(): Promise<unknown>
}

const drivers: Record<string, () => Promise<Client>> = {
  async libSQL() {
    const { createClient } = load('@libsql/client')
    const file = join(tmpdir(), `t${crypto.randomUUID()}.sqlite`)
    const client = createClient({ url: `file:${file}` })
    for (const pragma of ['foreign_keys = on', 'journal_mode = wal', 'synchronous = off']) await client.execute(`pragma ${pragma}`)
    return {
      db: drizzleLibsql(client, {}),
      run: async (statement) => (await client.execute(statement)).rows as Row[],
      batch: (statements) => client.batch(statements, 'write'),
      async close() {
        client.close()
        await Promise.all(['', '-wal', '-shm'].map((suffix) => rm(file + suffix, { force: true })))
      },
    }
  },
  async D1() {
    const { Miniflare } = load('miniflare')
    const miniflare = new Miniflare({ modules: true, script: 'export default {}', d1Databases: ['DB'] })
    const client = await miniflare.getD1Database('DB')
    return {
      db: drizzleD1(client),
      run: async (statement) => (await client.prepare(statement).all()).results as Row[],
      batch: (statements) => client.batch(statements.map((statement) => client.prepare(statement))),
      close: () => miniflare.dispose(),
    }
  },
  // Each statement runs on a connection of its own, so there are no transactions.
  async 'a stateless proxy'() {
    const { url, run, execute, close } = await openDatabase('sqlite', { migrations: [] })
    return { db: openStatelessProxy(url), run, batch: (statements) => execute(...statements), close }
  },
}

function openStatelessProxy(file: string) {
  const runStatement = async (sql: string, params: unknown[], method: string): Promise<never> => {
    const client = new Database(file)
    try {
      client.pragma('foreign_keys = on')
      const statement = client.prepare(sql)
      if (!statement.reader) return statement.run(...params) as never
      return (method === 'object' ? statement.all(...params) : statement.raw().all(...params)) as never
    } finally {
      client.close()
    }
  }
  if (process.env.DRIZZLE === '0.45')
    return drizzle(async (sql, params, method) => {
      const rows = await runStatement(sql, params, method)
      return { rows: method === 'run' ? [] : rows }
    })
  // Drizzle 1.0 takes one function per method, and codecs to decode the rows.
  const executors = {
    all: (sql: string, params: unknown[], mode = 'array') => runStatement(sql, params, mode),
    get: async (sql: string, params: unknown[], mode = 'array') => (await runStatement(sql, params, mode))[0],
    run: (sql: string, params: unknown[]) => runStatement(sql, params, 'run'),
  }
  const { betterSQLite3Codecs: codecs } = better as never as { betterSQLite3Codecs: object }
  return drizzle(executors as never, { codecs } as never)
}

const tableSets = tableSetsOf('sqlite')
const withSqlite = describe.runIf(inject('dialects').includes('sqlite'))

withSqlite.each(Object.entries(drivers))('deleteUser with %s', (driver, open) => {
  let client: Client
  beforeAll(async () => {
    client = await open()
    const protections = ({ prefix }: TableSet) => [
      `create trigger ${prefix}raises before delete on ${prefix}user when old.id like 'raises%' begin select raise(abort, 'no'); end`,
    ]
    const ids = ['ada', 'eva', 'raises']
    await client.batch(tableSets.flatMap((tableSet) => [...tableSet.migrations, ...protections(tableSet)]))
    await client.batch(tableSets.flatMap((tableSet) => ids.flatMap((id) => insertUser('sqlite', tableSet, id))))
  })
  afterAll(() => client.close())

  /** The id of the deleted user or the kind of the error, and the rows that are left. */
  async function deleteAndCount(tableSet: TableSet, id: string) {
    const answer = await makeAdapter(client.db, tableSet.tables)
      .deleteUser(id)
      .catch(({ kind }) => kind)
    return { answer: answer?.id ?? answer, left: await countRows(client.run, 'sqlite', tableSet, id) }
  }

  const hasTransactions = driver !== 'a stateless proxy'

  test.each(tableSets)('deletes all rows of the user or none: $title', async (tableSet) => {
    // Without transactions, the user goes last, so that an interrupted call can be repeated.
    const left = hasTransactions ? allRows : { ...noRows, user: 1 }
    for (let call = 0; call < 2; call++) expect(await deleteAndCount(tableSet, 'raises')).toEqual({ answer: 'unknown', left })
    expect(await deleteAndCount(tableSet, 'ada')).toEqual({ answer: 'ada', left: noRows })
    expect(await deleteAndCount(tableSet, 'ada')).toEqual({ answer: null, left: noRows })
    expect(await countRows(client.run, 'sqlite', tableSet, 'eva')).toEqual(allRows)
  })
})

/** Deletes a user, and kills its own process before the given statement. */
const killingScript = `
  import Database from 'better-sqlite3'
  import { DrizzleAdapter } from 'drizzle-auth-adapter'
  import { defineTables } from 'drizzle-auth-adapter/sqlite'
  import { drizzle } from 'drizzle-orm/better-sqlite3'
  import { sqliteTableCreator } from 'drizzle-orm/sqlite-core'
  const [file, id, statement] = process.argv.slice(1)
  let statements = 0
  const logger = { logQuery: () => ++statements === Number(statement) && process.kill(process.pid, 'SIGKILL') }
  const db = drizzle({ client: new Database(file), logger })
  const tables = defineTables({ foreignKeys: false, table: sqliteTableCreator((name) => 'f0_' + name) })
  await DrizzleAdapter(db, tables).deleteUser(id)
`

withSqlite('deleteUser in a process that is killed', () => {
  const [tableSet] = tableSets as [TableSet]
  const database = useDatabase(() => openDatabase('sqlite', { migrations: tableSet.migrations }))

  test.each([
    [2, 'SIGKILL', allRows],
    [4, 'SIGKILL', allRows],
    [99, null, noRows],
  ])('has deleted all rows or none: killed at statement %i', async (statement, expectedSignal, left) => {
    const { url, run, execute } = database()
    const id = `killed${statement}`
    await execute(...insertUser('sqlite', tableSet, id))
    const child = execFile(process.execPath, ['--input-type=module', '-e', killingScript, url, id, `${statement}`], { cwd: root })
    const [, signal] = await once(child, 'exit')
    expect(signal).toBe(expectedSignal)
    expect(await countRows(run, 'sqlite', tableSet, id)).toEqual(left)
  })
})
