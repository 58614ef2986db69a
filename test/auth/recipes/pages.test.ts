// Needs PostgreSQL.
import { randomBytes, scryptSync } from 'node:crypto'
import type { AuthConfig } from '@auth/core'
import { Auth, skipCSRFCheck } from '@auth/core'
import { afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import type { AnyAdapter } from '../../integration/secrets/stores.js'
import { openClient } from '../../support/client.js'
import { openPg } from '../../support/databases.js'
import { writeSnippets } from '../../support/snippets.js'

const origin = 'http://localhost:3000'
const inAnHour = () => new Date(Date.now() + 3_600_000)
const closers: (() => Promise<unknown>)[] = []

/** The snippets of a page, over a new database. */
async function open(document: string, files: Record<string, string> = {}, statements: string[] = []) {
  const database = await openPg()
  closers.push(database.close)
  for (const statement of statements) await database.exec(statement)
  vi.stubEnv('DATABASE_URL', database.url)
  vi.stubEnv('AUTH_SECRET', 'a secret of the tests')
  const schema = `import { defineTables } from 'drizzle-auth-adapter/pg'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable } = defineTables()\n`
  const db = `import { drizzle } from 'drizzle-orm/postgres-js'
export const db = drizzle(process.env.DATABASE_URL)\n`
  const recipe = await writeSnippets(document, { 'schema.ts': schema, 'db.ts': db, ...files })
  closers.push(recipe.remove)
  return { ...recipe, run: database.run }
}

describe.runIf(inject('dialects').includes('pg'))('the examples of the documentation', () => {
  afterEach(async () => {
    vi.unstubAllEnvs()
    for (const close of closers.splice(0).reverse()) await close()
  })

  test('docs/devices.md', async () => {
    const columns = ['userAgent', 'ip'].map((name) => `alter table "session" add column "${name}" text`)
    const auth = `import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from './db.js'
import * as tables from './schema.js'
export const adapter = DrizzleAdapter(db, tables)\n`
    const recipe = await open('docs/devices.md', { 'auth.ts': auth }, columns)
    const { devices, signOutDevice, signOutEverywhereElse } = await recipe.load('devices.ts')
    const { adapterFor } = await recipe.load('devices-adapter.ts')
    const adapter = adapterFor(new Request(origin, { headers: { 'user-agent': 'F'.repeat(5_000) } }), '192.0.2.1') as AnyAdapter
    const { id: userId } = await adapter.createUser({ email: 'ada@example.com' })
    const tokens = ['one', 'two', 'three']
    for (const sessionToken of tokens) await adapter.createSession({ sessionToken, userId, expires: inAnHour() })
    const listed = await adapter.listSessions(userId, { current: 'two' })
    expect(listed).toHaveLength(3)
    for (const session of listed) expect(session).toMatchObject({ userAgent: 'F'.repeat(500), ip: '192.0.2.1' })
    const [first] = (await devices(userId, 'two')).filter(({ current }: { current: boolean }) => !current)
    expect(await signOutDevice(userId, first.id)).toBe(true)
    expect(await signOutEverywhereElse(userId, 'two')).toBe(1)
    expect(await devices(userId, 'two')).toMatchObject([{ current: true }])
    const { handle } = await recipe.load('devices-auth.ts')
    const { sessionToken } = await recipe.load('session-token.ts')
    // A subdomain or a page without TLS can set the cookie that Auth.js does not read.
    for (const [protocol, planted, own] of [
      ['http:', '__Secure-authjs.session-token', 'authjs.session-token'],
      ['https:', 'authjs.session-token', '__Secure-authjs.session-token'],
    ]) {
      const url = `${protocol}//localhost/auth/session`
      const request = new Request(url, { headers: { cookie: `${planted}=planted; ${own}=two` } })
      expect(sessionToken(request)).toBe('two')
      expect(sessionToken(new Request(url, { headers: { cookie: `${planted}=planted` } }))).toBeUndefined()
      expect(await (await handle(request, null)).json()).toMatchObject({ user: { email: 'ada@example.com' } })
    }
  })

  test('docs/passwords.md', async () => {
    const table = 'create table password ("userId" text primary key references "user" (id) on delete cascade, hash text not null)'
    const recipe = await open('docs/passwords.md', {}, [table])
    const { adapter, config } = (await recipe.load('auth.ts')) as { adapter: AnyAdapter; config: AuthConfig }
    const { setPassword } = await recipe.load('passwords.ts')
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    await setPassword(id, 'my first password')
    await setPassword(id, 'correct horse battery')
    const more = { basePath: '/auth', trustHost: true, secret: 'a secret of the tests', skipCSRFCheck, logger: { error() {}, warn() {} } }
    const signIn = async (email: string, password: string) => {
      const client = openClient(origin, (request) => Auth(request, { ...config, ...more } as AuthConfig))
      await client.go('/auth/callback/credentials', { email, password })
      return client
    }
    await adapter.createUser({ email: 'bob@example.com' })
    const wrong = [
      ['ada@example.com', 'my first password'],
      ['nobody@example.com', 'correct horse battery'],
      // He has no password.
      ['bob@example.com', 'correct horse battery'],
      ['ada@example.com', 'x'.repeat(100_000)],
    ] as const
    for (const [email, password] of wrong) expect((await signIn(email, password)).cookie('authjs.session-token')).toBeUndefined()
    for (const password of ['', 'x'.repeat(14), 'x'.repeat(100_000)])
      await expect(setPassword(id, password)).rejects.toThrow('A password has 15 to 256 characters.')
    const client = await signIn(' Ada@Example.com', 'correct horse battery')
    expect(await adapter.listSessions(id, { current: client.cookie('authjs.session-token') })).toMatchObject([{ current: true }])

    // Each hash says what it cost, so that the cost can be raised.
    const stored = async () => String((await recipe.run('select hash from password'))[0]?.hash)
    expect(await stored()).toMatch(/^32768\$8\$3\$/)
    const salt = randomBytes(16)
    const cheap = Buffer.concat([salt, scryptSync('correct horse battery', salt, 32, { N: 1024 })]).toString('base64')
    await recipe.run(`update password set hash = '1024$8$1$${cheap}'`)
    expect((await signIn('ada@example.com', 'correct horse battery')).cookie('authjs.session-token')).toBeDefined()
    expect((await signIn('ada@example.com', 'my first password')).cookie('authjs.session-token')).toBeUndefined()
    await setPassword(id, 'correct horse battery')
  })

  test('docs/access-tokens.md', async () => {
    vi.stubEnv('AUTH_GOOGLE_ID', 'id')
    vi.stubEnv('AUTH_GOOGLE_SECRET', 'secret')
    const recipe = await open('docs/access-tokens.md')
    const { adapter, config } = await recipe.load('auth.ts')
    const { listCalendars } = await recipe.load('calendar.ts')
    const { id: userId } = await adapter.createUser({ email: 'ada@example.com' })
    const key = { provider: 'google', providerAccountId: 'ada' }
    await adapter.linkAccount({ userId, type: 'oidc', ...key, access_token: 'old', refresh_token: 'refresh', expires_at: 1 })
    // Google is not asked: what counts is what it would be asked.
    const asked: { url: string; body: string; authorization: string | null }[] = []
    let status = 200
    const { fetch } = globalThis
    onTestFinished(() => void Object.assign(globalThis, { fetch }))
    globalThis.fetch = async (input, init) => {
      const request = new Request(input as string, init as RequestInit)
      asked.push({ url: request.url, body: await request.text(), authorization: request.headers.get('authorization') })
      const answer = status === 200 ? { access_token: 'new', expires_in: 3600 } : { error: 'invalid_grant' }
      return Response.json(answer, { status })
    }
    expect(await listCalendars(userId)).toBeInstanceOf(Response)
    expect(asked.map(({ url }) => url)).toEqual([
      'https://oauth2.googleapis.com/token',
      'https://www.googleapis.com/calendar/v3/users/me/calendarList',
    ])
    expect(asked[0]?.body).toContain('refresh_token=refresh')
    expect(asked[1]?.authorization).toBe('Bearer new')
    await config.events.signIn({ account: { type: 'oidc', ...key, access_token: 'of a sign-in', expires_at: 1 } })
    expect(await adapter.getAccount('ada', 'google')).toMatchObject({ access_token: 'of a sign-in', refresh_token: 'refresh' })
    status = 400
    expect(await listCalendars(userId)).toBe('sign in again')
  })
})
