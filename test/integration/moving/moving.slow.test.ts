import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { runOperationCases } from '../../support/contract.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { root } from '../../support/root.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'
import type { OldRows } from './app.js'
import { documentedFile, migrateSqlite, openApp } from './app.js'
import { expectRows, expectSignIns, expectTokens } from './rows.js'
import { describeTables } from './shape.js'

interface Scenario {
  name: string
  dialect: DialectName
  characterSet?: string
  timeZone?: string
  /** Files of test/integration/moving whose statements are added before the generated migration, and after it. */
  before: string[]
  after?: string[]
  /** How the move changes an address. */
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
    name: 'mysql, connections in another time zone',
    timeZone: '+05:30',
    before: ['time-zone.sql', ...mysql.before],
    after: [...mysql.after],
  },
]

const chosen = scenarios.filter(({ dialect }) => inject('dialects').includes(dialect))
const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }

/** Moves an app from the official adapter, as docs/moving.md describes. */
async function move({ dialect, characterSet, timeZone, before, after = [], email = (same) => same }: Scenario) {
  const app = await openApp(dialect, { ...(characterSet && { characterSet }), ...(timeZone && { timeZone }) })
  const texts = async (names: string[]) => (await Promise.all(names.map(documentedFile))).join('')
  const [head, tail] = [await texts(before), await texts(after)]
  await app.writeMigration((text) => head + text + tail)
  if (dialect === 'sqlite') await migrateSqlite(app.kit, app.database.url)
  else await app.kit.migrate()
  const users = app.old.users.map((user) => ({ ...user, email: email(user.email ?? `${user.id}@no-email.invalid`) }))
  const adapter = DrizzleAdapter(app.database.db as never, schemas[dialect]) as unknown as Adapter
  return { adapter, old: { ...app.old, users } as OldRows, run: app.database.run, close: app.close }
}

// All scenarios are moved concurrently, because most of the time is spent waiting for drizzle-kit.
const moves = new Map<Scenario, ReturnType<typeof move>>()
beforeAll(async () => {
  for (const scenario of chosen) moves.set(scenario, move(scenario))
  await Promise.allSettled(moves.values())
})

describe.each(chosen)('moving from the official adapter: $name', (scenario) => {
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
    // Latin 1 has no emoji. Under the collations of utf8mb4, the address of Jö is a duplicate of that of Jo.
    expect(names.includes('\u4e2d\u6587 \u{1F600}')).toBe(characterSet !== 'latin1')
    expect(names.includes('J\u00f6')).toBe(dialect !== 'mysql' || characterSet === 'latin1')
    for (const rows of Object.values(old)) expect(rows.length).toBeGreaterThanOrEqual(2)
  })

  test('every row is found, with every value', () => expectRows(adapter, old))
  test('every verification token works once', () => expectTokens(adapter, old))
  test('users sign in as before, and new ones sign up', () => expectSignIns(adapter))

  test('the tables are the same as in a new database', async () => {
    const fresh = await openDatabase(dialect)
    try {
      expect(await describeTables(dialect, run)).toEqual(await describeTables(dialect, fresh.run))
    } finally {
      await fresh.close()
    }
  })

  // The other topics of the contract depend on the tables alone, which are those of a new database. test/contract runs them there.
  test('fulfils the contract of the operations', () => runOperationCases(adapter))
})

test('every snippet of docs/moving.md is a file that these tests run', async () => {
  const page = await readFile(join(root, 'docs', 'moving.md'), 'utf8')
  const names = ['account-ids.sql', 'emails.sql', 'mysql-before.sql', 'mysql-after.sql', 'mysql-lower.sql', 'time-zone.sql', 'applied.sql']
  const files = await Promise.all(
    ['auth.ts', '../../support/schema/pg.ts', 'keep-users.ts', 'migrate.ts', 'posts.ts', ...names].map(documentedFile),
  )
  const blocks = [...page.matchAll(/^( *)```(?:ts|sql)\n(.*?)^ *```$/gms)]
  const snippets = blocks.map(([, indent, text = '']) => text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))
  const withoutFileName = (text: string) => text.replace(/^\/\/ [\w-]+\.ts\n/, '')
  expect(snippets.map(withoutFileName).sort()).toEqual(files.map(withoutFileName).sort())
})
