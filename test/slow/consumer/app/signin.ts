// node out/signin.js pg|mysql|sqlite URL MIGRATIONS
import assert from 'node:assert/strict'
import type { AuthConfig } from '@auth/core'
import { Auth } from '@auth/core'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import type { Open } from './app.js'
import { openBrowser, origin } from './browser.js'

const dialects: Record<string, () => Promise<{ open: Open }>> = {
  pg: () => import('./pg/database.js'),
  mysql: () => import('./mysql/database.js'),
  sqlite: () => import('./sqlite/database.js'),
}
const [dialect = '', url = '', migrations = ''] = process.argv.slice(2)
const load = dialects[dialect]
assert(load, `no dialect ${dialect}`)
const app = await (await load()).open(url, migrations)

async function step(name: string, work: () => Promise<void>) {
  console.log(name)
  await work()
}

const email = 'ada@example.com'
const links: string[] = []
const errors: string[] = []
const signedOut: unknown[] = []
const config: AuthConfig = {
  basePath: '/auth',
  secret: 'a secret of the consumer project',
  trustHost: true,
  adapter: app.adapter,
  session: { strategy: 'database' },
  providers: [{ id: 'email', type: 'email', name: 'Email', sendVerificationRequest: ({ url }) => void links.push(url) }],
  logger: { error: (error) => void errors.push(error.name) },
  events: { signOut: (message) => void signedOut.push('session' in message && message.session?.sessionToken) },
}
const serve = async (request: Request) => (await Auth(request, config)) as Response
const browser = openBrowser(serve)
const sessionToken = () => browser.cookie('authjs.session-token')

async function csrf(): Promise<{ csrfToken: string }> {
  const { csrfToken } = (await browser.read('/auth/csrf')) as { csrfToken: string }
  assert(csrfToken)
  return { csrfToken }
}

async function followLink(): Promise<void> {
  assert.equal(await browser.follow(links.at(-1) ?? ''), origin)
}

await step('requests a link: a hashed token is stored, no user yet', async () => {
  const page = await browser.follow('/auth/signin/email', { ...(await csrf()), email, callbackUrl: origin })
  assert.match(page, /\/auth\/verify-request/)
  assert.equal(links.length, 1)
  const [token, ...others] = await app.tokens()
  assert.equal(token?.identifier, email)
  assert.notEqual(token.token, new URL(links[0] ?? '').searchParams.get('token'))
  assert(token.expires.getTime() > Date.now())
  assert.deepEqual(others, [])
  assert.deepEqual(await app.users(), [])
})

await step('follows the link: the user, one session, no token left', async () => {
  await followLink()
  const [user, ...others] = await app.users()
  assert.equal(user?.email, email)
  assert(user.emailVerified instanceof Date)
  assert.deepEqual(others, [])
  const sessions = await app.sessions()
  assert.deepEqual(sessions, [{ sessionToken: sessionToken(), userId: user.id, expires: sessions[0]?.expires }])
  assert.deepEqual(await app.tokens(), [])
})

await step('reads the session: it belongs to the user', async () => {
  const session = (await browser.read('/auth/session')) as { user: { email: string }; expires: string }
  assert.equal(session.user.email, email)
  assert.equal(session.expires, (await app.sessions())[0]?.expires.toISOString())
})

await step('follows the link a second time: rejected', async () => {
  const page = await openBrowser(serve).follow(links[0] ?? '')
  assert.match(page, /error=Verification/)
  assert.equal((await app.sessions()).length, 1)
})

await step('signs out: the session row is deleted', async () => {
  const token = sessionToken()
  await browser.follow('/auth/signout', await csrf())
  assert.deepEqual(await app.sessions(), [])
  assert.deepEqual(signedOut, [token])
  assert.equal(await browser.read('/auth/session'), null)
})

await step('signs in again: the same user', async () => {
  const [user] = await app.users()
  await browser.follow('/auth/signin/email', { ...(await csrf()), email, callbackUrl: origin })
  await followLink()
  assert.deepEqual(
    (await app.users()).map(({ id }) => id),
    [user?.id],
  )
  assert.equal((await app.sessions())[0]?.userId, user?.id)
})

assert.deepEqual(errors, ['Verification'])

// What can depend on the build of the package, and on the tables that this version of drizzle-kit makes.
const cases = adapterContract.filter(({ topic }) => topic === 'operations' || topic === 'storage')
assert.notDeepEqual(cases, [])
await step(`passes the ${cases.length} cases of the contract about operations and storage`, async () => {
  for (const { name, run } of cases) {
    await run(app.adapter).catch((error: unknown) => assert.fail(`${name}: ${error}`))
  }
})

await app.close()
