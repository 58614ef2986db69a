import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import * as better from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleD1 } from 'drizzle-orm/d1'
import * as libsql from 'drizzle-orm/libsql/driver-core'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, inject, test } from 'vitest'
import { root } from '../../support/root.js'
import type { Opened } from './database.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import type { TableSet } from './foreign-keys.js'
import { allRows, countRows, createUserWithRows, defineTableSet, insertStatements, kinds, noRows } from './foreign-keys.js'

// libSQL and miniflare are dependencies of the matrix only.
const matrix = join(root, 'matrix')
const load = createRequire(join(matrix, 'package.json'))

// `drizzle-orm/libsql` imports @libsql/client, which is not installed here. Its core only wraps a given client.
const { construct: drizzleLibsql } = libsql as unknown as { construct(client: unknown, config: object): object }

type Row = Record<string, unknown>
interface Client {
  db: object
  all(statement: string): Promise<Row[]>
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
      all: async (statement) => (await client.execute(statement)).rows as Row[],
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
      all: async (statement) => (await client.prepare(statement).all()).results as Row[],
      batch: (statements) => client.batch(statements.map((statement) => client.prepare(statement))),
      close: () => miniflare.dispose(),
    }
  },
}

// One table set per code path: no keys, keys that block the deletion of the user, keys that clear `userId`.
const tableSets = kinds
  .filter(({ action, declared }) => !action || (action === 'no action' && !declared) || action === 'set null')
  .map((kind, index) => defineTableSet('sqlite', kind, `f${index}_`))

/** Prevents the deletion of users whose id starts with a word. */
const blockers = ({ prefix }: TableSet) => [
  `create trigger ${prefix}raises before delete on ${prefix}user when old.id like 'raises%' begin select raise(abort, 'no'); end`,
  `create trigger ${prefix}keeps before delete on ${prefix}user when old.id like 'keeps%' begin select raise(ignore); end`,
  `create table ${prefix}post (author text references ${prefix}user (id))`,
]

describe.runIf(inject('dialects').includes('sqlite')).each(Object.entries(drivers))('deleteUser with %s', (_name, open) => {
  let batch: Client['batch']
  const database = useDatabase(async () => {
    const client = await open()
    batch = client.batch
    await batch(tableSets.flatMap((tableSet) => [...tableSet.migrations, ...blockers(tableSet)]))
    return { db: client.db, run: client.all, close: client.close, q: '"' } as unknown as Opened
  })
  const createUsers = (...ids: string[]) => batch(tableSets.flatMap((tableSet) => ids.flatMap((id) => insertStatements(tableSet, id))))
  const always = <T>(expected: T) => Object.fromEntries(tableSets.map(({ title }) => [title, expected]))

  /** Calls `deleteUser` for each kind of foreign key: its result or error kind, and the remaining rows. */
  async function deleteAndCount(id: string) {
    const found: Record<string, object> = {}
    for (const tableSet of tableSets) {
      const answer = await makeAdapter(database().db, tableSet.tables)
        .deleteUser(id)
        .catch(({ kind }) => kind)
      found[tableSet.title] = { answer: answer?.id ?? answer, left: await countRows(database(), tableSet, id) }
    }
    return found
  }

  test('deletes all rows of the user and no others', async () => {
    await createUsers('ada', 'eva')
    expect(await deleteAndCount('ada')).toEqual(always({ answer: 'ada', left: noRows }))
    expect(await deleteAndCount('ada')).toEqual(always({ answer: null, left: noRows }))
    for (const tableSet of tableSets) expect(await countRows(database(), tableSet, 'eva')).toEqual(allRows)
  })

  test.each([
    ['a trigger that raises', 'raises', 'unknown'],
    ['a trigger that skips the deletion', 'keeps', null],
    ['a reference from an application table', 'posted', 'still-referenced'],
  ])('deletes nothing when the user is protected by %s', async (_blocker, word, answer) => {
    await createUsers(`${word} ada`)
    if (word === 'posted') await batch(tableSets.map(({ prefix }) => `insert into ${prefix}post values ('posted ada')`))
    expect(await deleteAndCount(`${word} ada`)).toEqual(always({ answer, left: allRows }))
  })

  // NO ACTION requires a batch or a transaction.
  const tableSet = tableSets.find(({ action }) => action === 'no action') as TableSet

  test('leaves a usable connection after a failure', async () => {
    const adapter = makeAdapter(database().db, tableSet.tables)
    await createUsers('raises zoe')
    await expect(adapter.deleteUser('raises zoe')).rejects.toMatchObject({ operation: 'deleteUser' })
    const user = await adapter.createUser({ id: 'zoe', email: 'zoe@example.com' })
    expect(await adapter.getUser('zoe')).toEqual(user)
    expect(await adapter.deleteUser('zoe')).toEqual(user)
  })

  test('returns the user to exactly one of several callers', async () => {
    const adapter = makeAdapter(database().db, tableSet.tables)
    await createUsers('amy')
    const answers = await Promise.all(Array.from({ length: 6 }, () => adapter.deleteUser('amy')))
    expect(answers.filter((answer) => answer !== null)).toMatchObject([{ id: 'amy' }])
    expect(await countRows(database(), tableSet, 'amy')).toEqual(noRows)
  })
})

const allTableSets = kinds.map((kind, index) => defineTableSet('sqlite', kind, `f${index}_`))

/** A stateless proxy: each statement runs on its own connection, so BEGIN and COMMIT have no effect. */
function openProxy(file: string) {
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
  if (process.env.DRIZZLE === 'drizzle 0.45')
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

describe.runIf(inject('dialects').includes('sqlite'))('deleteUser with a proxy without batches and transactions', () => {
  const database = useDatabase(() =>
    openDatabase('sqlite', {
      migrations: allTableSets.flatMap((tableSet) => [...tableSet.migrations, ...blockers(tableSet)]),
      tables: allTableSets[0]?.tables as object,
    }),
  )
  const connect = ({ tables }: TableSet) => makeAdapter(openProxy((database().client as unknown as { name: string }).name), tables)

  const deleteAndCount = async (tableSet: TableSet, id: string) => {
    await createUserWithRows(tableSet.createAdapter(database()), id)
    const answer = await connect(tableSet)
      .deleteUser(id)
      .catch(({ kind }) => kind)
    return { answer: answer?.id ?? answer, left: await countRows(database(), tableSet, id) }
  }

  test.each(allTableSets.filter(({ action }) => !action || action === 'cascade'))(
    'deletes all rows of the user: $title',
    async (tableSet) => {
      expect(await deleteAndCount(tableSet, 'ada')).toEqual({ answer: 'ada', left: noRows })
    },
  )

  test.each(allTableSets.filter(({ action }) => action && action !== 'cascade'))(
    'fails with still-referenced and deletes nothing: $title',
    async (tableSet) => {
      expect(await deleteAndCount(tableSet, 'ada')).toEqual({ answer: 'still-referenced', left: allRows })
      // It succeeds once the application has deleted the referencing rows.
      const { run } = database()
      for (const table of ['session', 'account', 'authenticator'])
        await run(`delete from ${tableSet.prefix}${table} where "userId" = 'ada' returning 1`)
      expect(await connect(tableSet).deleteUser('ada')).toMatchObject({ id: 'ada' })
    },
  )

  test.each(allTableSets)('deletes nothing when a trigger protects the user: $title', async (tableSet) => {
    const { answer, left } = await deleteAndCount(tableSet, 'keeps ada')
    expect(['still-referenced', null]).toContain(answer)
    expect(left).toEqual(allRows)
    expect((await deleteAndCount(tableSet, 'raises ada')).left).toEqual(allRows)
  })
})
