import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openDatabase } from '../helpers/databases.js'
import type { DialectName } from '../helpers/dialects.js'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import * as sqliteSchema from '../schema/sqlite.js'
import type { OldRows } from './app.js'
import { migrateSqlite, openApp, shown } from './app.js'
import { expectRows, expectTokens, signIn } from './rows.js'
import { shapeOf } from './shape.js'

interface Scenario {
  name: string
  dialect: DialectName
  characterSet?: string
  timeZone?: string
  /** Files of test/moving that go in front of the generated migration, and behind it. */
  before: string[]
  after?: string[]
  /** What becomes of an address. */
  email?: (email: string) => string
}

const mysql = { dialect: 'mysql', before: ['mysql-before.sql'], after: ['mysql-after.sql'] } as const

const scenarios: Scenario[] = [
  { name: 'sqlite', dialect: 'sqlite', before: ['emails.sql'] },
  { name: 'pg', dialect: 'pg', before: ['emails.sql'] },
  { ...mysql, name: 'mysql, tables in latin1', characterSet: 'latin1', before: [...mysql.before], after: [...mysql.after] },
  {
    ...mysql,
    name: 'mysql, tables in utf8mb4, addresses in lower case',
    before: ['mysql-lower.sql', ...mysql.before],
    after: [...mysql.after],
    email: (email) => email.toLowerCase(),
  },
  {
    ...mysql,
    name: 'mysql, sessions in a time zone of their own',
    timeZone: '+05:30',
    before: ['time-zone.sql', ...mysql.before],
    after: [...mysql.after],
  },
]

const chosen = scenarios.filter(({ dialect }) => inject('dialects').includes(dialect))
const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }

/** An app on the official adapter that has moved over, as docs/moving.md says. */
async function move({ dialect, characterSet, timeZone, before, after = [], email = (same) => same }: Scenario) {
  const app = await openApp(dialect, { ...(characterSet && { characterSet }), ...(timeZone && { timeZone }) })
  const texts = async (names: string[]) => (await Promise.all(names.map(shown))).join('')
  const [head, tail] = [await texts(before), await texts(after)]
  await app.prepare((text) => head + text + tail)
  if (dialect === 'sqlite') await migrateSqlite(app.kit, app.database.url)
  else await app.kit.migrate()
  const users = app.old.users.map((user) => ({ ...user, email: email(user.email ?? `${user.id}@no-email.invalid`) }))
  const adapter = DrizzleAdapter(app.database.db as never, schemas[dialect]) as unknown as Adapter
  return { adapter, old: { ...app.old, users } as OldRows, run: app.database.run, close: app.close }
}

// All at once: most of the time goes into waiting for drizzle-kit.
const moves = new Map<Scenario, ReturnType<typeof move>>()
beforeAll(async () => {
  for (const scenario of chosen) moves.set(scenario, move(scenario))
  await Promise.allSettled(moves.values())
})

describe.each(chosen)('moving over: $name', (scenario) => {
  const { dialect, characterSet } = scenario
  let run: Awaited<ReturnType<typeof move>>['run']
  let adapter: Adapter
  let old: OldRows
  let close: (() => Promise<void>) | undefined

  beforeAll(async () => {
    ;({ adapter, old, run, close } = (await moves.get(scenario)) as Awaited<ReturnType<typeof move>>)
  })
  afterAll(() => close?.())

  test('the old database had rows of every kind', () => {
    const names = old.users.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['Ada', 'Zo\u00eb \u00c5str\u00f6m', 'Grace', 'Silent']))
    // Latin 1 has no emoji; the collations of utf8mb4 take one of these two for the other.
    expect(names.includes('\u4e2d\u6587 \u{1F600}')).toBe(characterSet !== 'latin1')
    expect(names.includes('J\u00f6')).toBe(dialect !== 'mysql' || characterSet === 'latin1')
    for (const rows of Object.values(old)) expect(rows.length).toBeGreaterThanOrEqual(2)
  })

  test('every row is found, with every value', () => expectRows(adapter, old))
  test('every verification token works once', () => expectTokens(adapter, old))
  test('users sign in as before, and new ones sign up', () => signIn(adapter))

  test('the tables are those of a new database', async () => {
    const fresh = await openDatabase(dialect)
    try {
      expect(await shapeOf(dialect, run)).toEqual(await shapeOf(dialect, fresh.run))
    } finally {
      await fresh.close()
    }
  })

  for (const c of adapterContract) test(c.name, () => c.run(adapter))
})

test('docs/moving.md shows nothing but files that run here', async () => {
  const page = await readFile(join(import.meta.dirname, '../..', 'docs', 'moving.md'), 'utf8')
  const names = ['account-ids.sql', 'emails.sql', 'mysql-before.sql', 'mysql-after.sql', 'mysql-lower.sql', 'time-zone.sql']
  const files = await Promise.all(['auth.ts', '../schema/pg.ts', 'keep-users.ts', 'migrate.ts', 'posts.ts', ...names].map(shown))
  const blocks = [...page.matchAll(/^( *)```(?:ts|sql)\n(.*?)^ *```$/gms)]
  const snippets = blocks.map(([, indent, text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  const unnamed = (text: string) => text.replace(/^\/\/ [\w-]+\.ts\n/, '')
  expect(snippets.map(unnamed).sort()).toEqual(files.map(unnamed).sort())
})
