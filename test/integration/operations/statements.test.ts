import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openDatabase, openPg } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { openPool } from '../../support/pool.js'
import { tableSet, typesOf } from '../../support/table-sets.js'

/** The default tables, and columns of the users with these names. */
const withColumns = (dialect: DialectName, names: string[]) =>
  tableSet(dialect, { columns: { users: Object.fromEntries(names.map((name) => [name, typesOf[dialect].text(name)])) } })

const columns = Array.from({ length: 9 }, (_, index) => `c${index}`)

describe.each(inject('dialects'))('values on %s', (dialect) => {
  test('end up in their own columns, whatever these are called', async () => {
    const { adapter, close } = await openDatabase(dialect, withColumns(dialect, ['first', 'last', 'first last']))
    onTestFinished(close)
    type Names = { id: string; first?: string; last?: string; 'first last'?: string }
    const { createUser, updateUser } = adapter() as unknown as Record<'createUser' | 'updateUser', (user: object) => Promise<Names>>
    const { id } = await createUser({ email: 'ada@example.com' })
    expect(await updateUser({ id, first: 'Ada', last: 'Lovelace' })).toMatchObject({ first: 'Ada', last: 'Lovelace', 'first last': null })
    expect(await updateUser({ id, 'first last': 'Ada Lovelace' })).toMatchObject({ last: 'Lovelace', 'first last': 'Ada Lovelace' })
    expect(await createUser({ email: 'b@example.com', 'first last': 'B' })).toMatchObject({ first: null, last: null, 'first last': 'B' })
    expect(await createUser({ email: 'c@example.com', first: 'C', last: 'D' })).toMatchObject({ first: 'C', last: 'D', 'first last': null })
  })
})

describe.each(inject('dialects'))('statements on %s', (dialect) => {
  test('are bounded in the process: of more than a hundred, the least recently used is built again', async () => {
    const { adapter: create, db, close } = await openDatabase(dialect, withColumns(dialect, columns))
    onTestFinished(close)
    const { id } = await create().createUser({ email: 'ada@example.com' })
    const update = vi.spyOn(db as never as { update(): object }, 'update')
    const { updateUser } = create() as unknown as { updateUser(user: object): Promise<object> }
    /** Updates a set of columns, as the bits of a number. Returns whether the statement was built for that. */
    const isBuilt = async (set: number) => {
      update.mockClear()
      const names = columns.filter((_, index) => set & (1 << index))
      await updateUser({ id, ...Object.fromEntries(names.map((name) => [name, 'x'])) })
      return update.mock.calls.length > 0
    }
    const prepare = async (set: number) => {
      expect(await isBuilt(set), `${set}`).toBe(true)
      expect(await isBuilt(set), `${set}`).toBe(false)
    }
    const often = 511
    const seldom = 510
    for (const set of [seldom, often]) await prepare(set)
    for (let set = 1; set <= 120; set++) {
      await prepare(set)
      expect(await isBuilt(often), `${often} after ${set}`).toBe(false)
    }
    // Those that were used last are kept, also beyond the first hundred. The rest is prepared again, and kept.
    for (const set of [120, 60]) expect(await isBuilt(set), `${set}`).toBe(false)
    for (const set of [seldom, 1]) await prepare(set)
  })
})

describe.runIf(inject('dialects').includes('pg'))('prepared statements on PostgreSQL', () => {
  const drivers = {
    'postgres.js': (url: string) => {
      const client = postgres(url, { max: 1 })
      return { db: drizzle({ client }), run: (sql: string) => client.unsafe(sql), end: () => client.end() }
    },
    'node-postgres': (url: string) => {
      const client = openPool({ connectionString: url, max: 1 })
      return { db: drizzleNodePg({ client }), run: async (sql: string) => (await client.query(sql)).rows, end: () => client.end() }
    },
  }
  const both = Object.keys(drivers) as (keyof typeof drivers)[]

  async function open(driver: keyof typeof drivers) {
    const { tables, migrations } = withColumns('pg', columns)
    const { url, close } = await openPg({ migrations })
    const opened = drivers[driver](url)
    onTestFinished(async () => {
      await opened.end()
      await close()
    })
    return { ...opened, tables }
  }

  test.each(both)('are bounded on the server, however many sets of columns and limits callers choose: %s', async (driver) => {
    const { db, run, tables } = await open(driver)
    const adapter = DrizzleAdapter(db as never, tables) as unknown as {
      createUser(user: object): Promise<{ id: string }>
      updateUser(user: object): Promise<object>
      listSessions(userId: string, options: object): Promise<unknown[]>
    }
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    for (let set = 1; set < 256; set++) {
      const changed = columns.filter((_, index) => set & (1 << index))
      await adapter.updateUser({ id, ...Object.fromEntries(changed.map((name) => [name, `${set}`])) })
    }
    for (let limit = 1; limit <= 150; limit++) await adapter.listSessions(id, { limit })
    const [{ count } = { count: 0 }] = (await run('select count(*)::int as count from pg_prepared_statements')) as { count: number }[]
    expect(count).toBeLessThan(150)
  })
})
