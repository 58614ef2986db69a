import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { betterAuthCaseOptions, betterAuthCases } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { loadSchemaCode, statementsBetween } from '../../support/better-auth.js'
import { connect } from '../../support/connections.js'
import type { DialectName } from '../../support/dialects.js'
import { root } from '../../support/root.js'
import { openOfficial } from './store.js'

// What its tables cannot hold: an index of accounts, ids of more than 36 characters, and dates after 2038 on MySQL.
const withoutTables = [/^an account of a provider/, /^ids of 64/]
const onMysql = [...withoutTables, /^dates beyond 2038/]

/** A migration as docs/better-auth-moving.md describes it: its first block of SQL, the statements of drizzle-kit, its second block. */
async function migrationOf(dialect: DialectName, statements: string[]): Promise<string[]> {
  const page = await readFile(join(root, 'docs/better-auth-moving.md'), 'utf8')
  const title = { pg: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' }[dialect]
  const section = page.split(/^### /m).find((each) => each.startsWith(title)) ?? ''
  const blocks = [...section.matchAll(/^```sql\n(.*?)^```/gms)].map(([, block = '']) => block.split('--> statement-breakpoint\n'))
  const [before = [], after = []] = blocks
  return [...before, ...statements, ...after].filter(Boolean)
}

/** Runs statements on one connection, as drizzle-kit does, on a server that is not in UTC. */
async function runMigration(dialect: DialectName, url: string, statements: string[]): Promise<void> {
  const { exec, close } = await connect[dialect](url, { connections: 1 })
  const zone = { pg: `set time zone 'America/New_York'`, mysql: `set time_zone = '-05:00'`, sqlite: 'select 1' }
  for (const statement of [zone[dialect], ...statements]) await exec(statement)
  await close()
}

describe.each(inject('dialects'))("the official adapter's tables on %s", (dialect) => {
  let store: Awaited<ReturnType<typeof openOfficial>>

  beforeAll(async () => {
    store = await openOfficial(dialect)
  })
  afterAll(() => store.close())

  const options = {
    ...betterAuthCaseOptions,
    emailAndPassword: { enabled: true },
    secret: 'a secret of thirty-two characters',
    baseURL: 'http://localhost',
  }
  const ours = () => drizzleAdapter(store.db, { schema: store.schema })

  const account = { email: 'ada@example.com', password: 'correct horse battery staple' }

  async function signUp({ db, schema }: Pick<typeof store, 'db' | 'schema'>) {
    const auth = betterAuth({ ...options, database: officialAdapter(db, { provider: dialect, schema }) })
    const { headers } = await auth.api.signUpEmail({ body: { ...account, name: 'Ada' }, returnHeaders: true })
    const cookies = headers.getSetCookie().map((each) => each.split(';')[0])
    return { auth, headers: new Headers({ cookie: cookies.join('; ') }) }
  }

  test('keep their users and sessions after the change of one import', async () => {
    const { auth: before, headers } = await signUp(store)
    const after = betterAuth({ ...options, database: ours() })
    const session = await after.api.getSession({ headers })
    expect(session?.user.email).toBe(account.email)
    expect((await after.api.signInEmail({ body: account })).user.email).toBe(account.email)
    await expect(after.api.signUpEmail({ body: { ...account, name: 'Eve' } })).rejects.toThrow(/already exists/i)
    await after.api.signOut({ headers })
    expect(await before.api.getSession({ headers })).toBeNull()
  })

  test('become those of createSchema, with every row', async () => {
    const old = await openOfficial(dialect)
    onTestFinished(old.close)
    const { auth: before, headers } = await signUp(old)
    const session = await before.api.getSession({ headers })

    const created = await drizzleAdapter(old.db, { schema: {} })(options).createSchema?.(options, 'auth-schema.ts')
    const { schema, snapshot } = await loadSchemaCode(created?.code ?? '', dialect)
    const statements = await statementsBetween(dialect, old.snapshot, snapshot)
    await runMigration(dialect, old.url, await migrationOf(dialect, statements))

    const after = betterAuth({ ...options, database: drizzleAdapter(old.db, { schema }) })
    expect(await after.api.getSession({ headers })).toEqual(session)
    expect((await after.api.signInEmail({ body: account })).user.email).toBe(account.email)
    // A table that is copied loses the rows that refer to it.
    if (dialect === 'sqlite') expect(statements).toEqual([expect.stringMatching(/^CREATE UNIQUE INDEX/)])
  })

  const leftOut = dialect === 'mysql' ? onMysql : withoutTables
  const cases = betterAuthCases.filter(({ name }) => !leftOut.some((each) => each.test(name)))
  test.each(cases)('$name', ({ run }) => run(ours()(options)))
})
