// node out/signin.js pg|mysql|sqlite URL MIGRATIONS
import assert from 'node:assert/strict'
import type { AuthConfig } from '@auth/core'
import { Auth } from '@auth/core'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import type { Open } from './app.js'
import { openClient } from './client.js'

const dialects: Record<string, () => Promise<{ open: Open }>> = {
  pg: () => import('./pg/database.js'),
  mysql: () => import('./mysql/database.js'),
  sqlite: () => import('./sqlite/database.js'),
}
const [dialect = '', url = '', migrations = ''] = process.argv.slice(2)
const load = dialects[dialect]
assert(load, `no dialect ${dialect}`)
const app = await (await load()).open(url, migrations)

const email = 'ada@example.com'
const links: string[] = []
const errors: string[] = []
const config: AuthConfig = {
  basePath: '/auth',
  secret: 'a secret of the consumer project',
  trustHost: true,
  adapter: app.adapter,
  session: { strategy: 'database' },
  providers: [{ id: 'email', type: 'email', name: 'Email', sendVerificationRequest: ({ url }) => void links.push(url) }],
  logger: { error: (error) => void errors.push(error.name) },
}
const open = () => openClient('http://localhost:3000', async (request) => (await Auth(request, config)) as Response)
const browser = open()
const read = async (path: string) => (await browser.go(path)).response.json()
const csrf = async () => ({ csrfToken: ((await read('/auth/csrf')) as { csrfToken: string }).csrfToken })
const askForLink = async () => browser.go('/auth/signin/email', { ...(await csrf()), email, callbackUrl: '/' })

console.log('requests a link: a hashed token is stored, no user yet')
await askForLink()
const [token] = await app.tokens()
assert.equal(token?.identifier, email)
assert.notEqual(token.token, new URL(links[0] ?? '').searchParams.get('token'))
assert.deepEqual(await app.users(), [])

console.log('follows the link: the user, one session, no token left')
await browser.go(links[0] ?? '')
const [user, ...others] = await app.users()
assert.equal(user?.email, email)
assert(user.emailVerified instanceof Date)
assert.deepEqual(others, [])
const [session] = await app.sessions()
assert.deepEqual(session, { sessionToken: browser.cookie('authjs.session-token'), userId: user.id, expires: session?.expires })
assert.deepEqual(await app.tokens(), [])
assert.deepEqual(await read('/auth/session'), { user: { name: null, email, image: null }, expires: session?.expires.toISOString() })

console.log('follows the link a second time: rejected')
await open().go(links[0] ?? '')
assert.deepEqual(errors, ['Verification'])
assert.equal((await app.sessions()).length, 1)

console.log('signs out, and in again: the same user')
await browser.go('/auth/signout', await csrf())
assert.deepEqual(await app.sessions(), [])
assert.equal(await read('/auth/session'), null)
await askForLink()
await browser.go(links[1] ?? '')
assert.deepEqual(
  (await app.users()).map(({ id }) => id),
  [user.id],
)
assert.equal((await app.sessions())[0]?.userId, user.id)

// What can depend on the build of the package, and on the tables that this version of drizzle-kit makes.
const cases = adapterContract.filter(({ topic }) => topic === 'operations' || topic === 'storage')
assert.notDeepEqual(cases, [])
console.log(`passes the ${cases.length} cases of the contract about operations and storage`)
for (const { name, run } of cases) await run(app.adapter).catch((error: unknown) => assert.fail(`${name}: ${error}`))

await app.close()
