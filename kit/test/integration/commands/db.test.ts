import { sql } from 'drizzle-orm'
import { expect, inject, onTestFinished, test, vi } from 'vitest'
import { appWith, folderWith, run } from '../../support/commands/app.js'
import { countRows, openStore, seed } from '../../support/commands/store.js'

const opening = {
  postgres: ['pg', 'postgres-js', `import postgres from 'postgres'\nconst client = postgres(url)`],
  pg: ['pg', 'node-postgres', `import { Pool } from 'pg'\nconst client = new Pool({ connectionString: url })`],
  mysql2: ['mysql', 'mysql2', `import { createPool } from 'mysql2/promise'\nconst client = createPool(url)`],
  'better-sqlite3': ['sqlite', 'better-sqlite3', `import Database from 'better-sqlite3'\nconst client = new Database(url)`],
} as const
type Package = keyof typeof opening

/** Runs a command in an app that exports db from db.ts, and whose .env has the URL. */
async function runWith(name: Package, url: string, ...args: string[]) {
  const [, driver, lines] = opening[name]
  const files = {
    '.env': `DB_TEST_URL=${url}\n`,
    'db.ts': `import { drizzle } from 'drizzle-orm/${driver}'\nimport { url } from './url'\n${lines}\nexport const db = drizzle({ client })\nObject.assign(globalThis, { dbOfTest: db })\n`,
    'url.ts': 'export const url: string = process.env.DB_TEST_URL!\n',
  }
  vi.stubEnv('DB_TEST_URL', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  const cwd = await appWith(files, ['drizzle-orm', name])
  return run([...args, '--db', 'db.ts'], { cwd, env: process.env as Record<string, string> })
}

const names = (Object.keys(opening) as Package[]).filter((name) => inject('dialects').includes(opening[name][0]))

test.each(names)("--db connects as the app's file does with %s, and closes its client", async (name) => {
  const store = await openStore(opening[name][0])
  await seed(store, 3)
  expect(await runWith(name, store.url, 'sweep', '--url', 'postgres://127.0.0.1:1/other')).toEqual({
    code: 0,
    stdout: 'deleted 3 sessions and 3 verification tokens\n',
    stderr: 'sweeping the tables of Auth.js in the database of db.ts\n',
  })
  expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  const { dbOfTest: db } = globalThis as unknown as { dbOfTest: Record<'all' | 'execute', (query: unknown) => Promise<unknown>> }
  const query = async () => (name === 'better-sqlite3' ? db.all(sql`select 1`) : db.execute(sql`select 1`))
  await expect(query()).rejects.toThrow()
})

test('--db names the file if the database cannot be reached, and nothing of the URL', async () => {
  const { code, stdout, stderr } = await runWith('postgres', 'postgres://TopSecret:TopSecret@127.0.0.1:1/db', 'doctor')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^drizzle-auth-kit: connect: .*\[ECONNREFUSED\]\. The address is in db\.ts\.\n$/)
})

test.each(['export const database = 1\n', 'export const db = {}\n'])('--db rejects a file of %j', async (text) => {
  const message = 'the file of --db exports no Drizzle database with the name db.'
  const { code, stderr } = await run(['doctor', '--db', 'db.js'], { cwd: await folderWith({ 'db.js': text }) })
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) })
})
