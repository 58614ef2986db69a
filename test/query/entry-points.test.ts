import SQLite from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { describe, expect, test } from 'vitest'
import * as mysql from '../../src/mysql/index.js'
import * as pg from '../../src/pg/index.js'
import * as sqlite from '../../src/sqlite/index.js'
import { createTable } from '../helpers/ddl.js'
import { scripted } from './scripted.js'

// That each entry point works with its own database, and rejects the others.

interface EntryPoint {
  DrizzleAdapter(db: unknown, tables: object, options?: object): { getUser(id: string): Promise<unknown> }
  deleteExpired(db: unknown, tables: object, options?: object): Promise<unknown>
  defineTables(): object
}
const entryPoints = { pg, mysql, sqlite } as unknown as Record<string, EntryPoint>

const row = ['1', 'Ada', 'ada@example.com', null, null]
const ada = { id: '1', name: 'Ada', email: 'ada@example.com', emailVerified: null, image: null }

/** A database with a user and two expired sessions, one of them in each batch. */
const databases: Record<string, { reading(): unknown; sweeping(): unknown }> = {
  pg: { reading: () => scripted('pg', [row]).db, sweeping: () => scripted('pg', [[1]], [[1]], []).db },
  mysql: {
    reading: () => scripted('mysql', [row]).db,
    sweeping: () => scripted('mysql', { affectedRows: 1 }, { affectedRows: 1 }, { affectedRows: 0 }).db,
  },
  sqlite: { reading: openSqlite, sweeping: openSqlite },
}

function openSqlite() {
  const client = new SQLite(':memory:')
  for (const table of Object.values(sqlite.defineTables())) client.exec(createTable(table as Table, '"'))
  client.exec(`insert into user (id, name, email) values ('1', 'Ada', 'ada@example.com')`)
  client.exec(`insert into session values ('s1', '1', 0), ('s2', '1', 0)`)
  return drizzle({ client })
}

describe.each(Object.entries(entryPoints))('%s', (name, { DrizzleAdapter, deleteExpired, defineTables }) => {
  const tables = () => defineTables() as Record<'sessionsTable', object>
  const { reading, sweeping } = databases[name] as (typeof databases)[string]

  test('has an adapter', async () => {
    expect(await DrizzleAdapter(reading(), tables()).getUser('1')).toEqual(ada)
  })

  test('deletes what has expired', async () => {
    const { sessionsTable } = tables()
    const batches = { batch: 1, pause: 0 }
    expect(await deleteExpired(sweeping(), { sessionsTable }, batches)).toEqual({ sessions: 2, verificationTokens: 0, finished: true })
  })

  test('checks its options', async () => {
    expect(() => DrizzleAdapter(reading(), tables(), { retry: 'often' })).toThrow('DrizzleAdapter: ')
    await expect(deleteExpired(sweeping(), tables(), { batch: 0 })).rejects.toThrow('deleteExpired: ')
  })

  test.each(Object.keys(entryPoints).filter((other) => other !== name))('rejects a database of %s', async (other) => {
    const db = databases[other]?.reading()
    const place = `drizzle-auth-adapter/${other}`
    expect(() => DrizzleAdapter(db, tables())).toThrow(place)
    await expect(deleteExpired(db, tables())).rejects.toThrow(place)
  })
})
