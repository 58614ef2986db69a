import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as proxy } from 'drizzle-orm/pg-proxy'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Opened } from '../../../src/cli/database.js'
import { pendingMigrations } from '../../../src/cli/migrations.js'
import type { Settings } from '../../../src/cli/settings.js'
import { folderWith } from './files.js'

const migrations = { folder: 'drizzle', table: '__drizzle_migrations', schema: 'drizzle' }
const output = { write() {} }

const pendingOn = async (opened: Opened, files: Record<string, string>, say: (line: string) => void = () => expect.unreachable()) =>
  pendingMigrations(opened, { migrations } as Settings, { cwd: await folderWith(files), env: {}, stdout: output, stderr: output }, say)

const journal = (...times: number[]) => ({
  'drizzle/meta/_journal.json': JSON.stringify({ entries: times.map((when, index) => ({ idx: index, when, tag: `000${index}_x` })) }),
})
const folders = (...names: string[]) => Object.fromEntries(names.map((name) => [`drizzle/${name}/migration.sql`, 'select 1']))

/** A database in which migrations of these times were applied; without any, it has no table of migrations. */
function sqlite(...applied: number[]): Opened {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  if (applied.length > 0) client.exec('create table __drizzle_migrations (id integer primary key, hash text, created_at numeric)')
  for (const time of applied) client.prepare('insert into __drizzle_migrations (created_at) values (?)').run(time || null)
  return { db: drizzle({ client }) as never, dialect: 'sqlite', close: async () => {} }
}

const notApplied = (message: RegExp) => [
  { code: 'pending-migration', severity: 'error', message: expect.stringMatching(message), fix: 'npx drizzle-kit migrate' },
]

describe('migrations that were generated', () => {
  test.each([
    [[1_000], [1_000]],
    [
      [1_000, 2_000],
      [1_000, 2_000],
    ],
    [[1_000], [5_000]],
    [[], [1_000]],
  ])('at %j and applied at %j are all applied', async (generated, applied) => {
    expect(await pendingOn(sqlite(...applied), journal(...generated))).toEqual([])
  })

  test('and not applied are counted', async () => {
    expect(await pendingOn(sqlite(1_000), journal(1_000, 2_000))).toEqual(notApplied(/^1 migration was generated/))
    expect(await pendingOn(sqlite(1_000, 500), journal(1_000, 2_000, 3_000))).toEqual(notApplied(/^2 migrations were generated/))
  })

  test('and not applied are found while none was applied yet', async () => {
    // The table of migrations is empty but for a row without a time.
    expect(await pendingOn(sqlite(0), journal(1_000))).toEqual(notApplied(/^1 migration was/))
  })

  test('are of no interest to those who push', async () => {
    expect(await pendingOn(sqlite(), journal(1_000))).toEqual([])
  })

  test('may be folders, whose names begin with the time in UTC', async () => {
    const names = ['20260131120501_first', '20260228235959_second']
    const [first, second] = [Date.UTC(2026, 0, 31, 12, 5, 1), Date.UTC(2026, 1, 28, 23, 59, 59)]
    expect(await pendingOn(sqlite(second), folders(...names))).toEqual([])
    expect(await pendingOn(sqlite(second - 1), folders(...names))).toEqual(notApplied(/^1 migration was/))
    expect(await pendingOn(sqlite(first), folders(...names))).toEqual(notApplied(/^1 migration was/))
    expect(await pendingOn(sqlite(first - 1), folders(...names))).toEqual(notApplied(/^2 migrations were/))
  })

  test.each(['notes', '2026_plan', 'x20260131120501_first', '20260131120501', 'meta'])(
    'are not in a folder of the name %s',
    async (name) => {
      expect(await pendingOn(sqlite(1), folders(name))).toEqual([])
    },
  )

  test('are none in an app without a folder for them', async () => {
    expect(await pendingOn(sqlite(1), {})).toEqual([])
  })
})

describe('on PostgreSQL', () => {
  const opened = (query: (text: string) => { rows: unknown[][] }): Opened => ({
    db: proxy(async (text) => query(text)) as never,
    dialect: 'pg',
    close: async () => {},
  })

  test('the table of migrations is in a schema of its own', async () => {
    const query = vi.fn(() => ({ rows: [['1000']] }))
    expect(await pendingOn(opened(query), journal(1_000, 2_000))).toEqual(notApplied(/^1 migration was/))
    expect(query).toHaveBeenCalledExactlyOnceWith(expect.stringMatching(/from "drizzle"\."__drizzle_migrations"$/))
  })

  test('nothing is asked for in an app without migrations', async () => {
    const query = vi.fn(() => ({ rows: [] }))
    expect(await pendingOn(opened(query), {})).toEqual([])
    expect(await pendingOn(opened(query), folders('notes'))).toEqual([])
    expect(query).not.toHaveBeenCalled()
  })

  test.each([
    ['42501', 1],
    ['42P01', 0],
  ])('after the error %s, %i lines say that it cannot be read', async (code, lines) => {
    const said: string[] = []
    const query = () => {
      throw Object.assign(new Error('no'), { code })
    }
    expect(await pendingOn(opened(query), journal(1_000), (line) => said.push(line))).toEqual([])
    expect(said).toEqual(Array.from({ length: lines }, () => expect.stringContaining('__drizzle_migrations cannot be read')))
  })
})
