import assert from 'node:assert/strict'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { Page } from 'playwright-core'
import { startIdentity } from '../../demo/identity.js'
import { launchChromium } from '../../test/slow/browser/chromium.js'
import { addDevice } from '../../test/slow/browser/steps.js'
import { sendMalformed } from '../../test/support/malformed.js'
import { capture, step } from '../../test/support/process.js'
import { findPort } from '../../test/support/servers/port.js'
import { statusOf, strangeTargets } from '../../test/support/targets.js'
import type { Server } from './server.js'
import { withServer } from './server.js'

// What `npx auth generate` does, which needs a newer Node.js.
const generate = `
  import { auth } from './auth.ts'
  const { code } = await auth.options.database(auth.options).createSchema(auth.options, 'auth-schema.ts')
  process.stdout.write(code)`

/** Checks the schema file, starts the app with a local identity provider, and uses it in a browser. */
export async function testBetterAuth(folder: string): Promise<void> {
  await step('better-auth: the schema file has everything', async () => {
    const { code, output } = await capture('npx', ['tsx', '--env-file=.env', '--input-type=module', '--eval', generate], { cwd: folder })
    // npm and Better Auth write notes of their own to stderr.
    assert.equal(code, 0, output)
  })
  const port = await findPort()
  const origin = `http://localhost:${port}`
  const { issuer, client, close } = await startIdentity(origin, '/api/auth/callback/oidc')
  const env = {
    BETTER_AUTH_URL: origin,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client.client_id,
    OIDC_CLIENT_SECRET: client.client_secret,
  }
  await withServer(
    folder,
    () => ['npm', 'start'],
    (server) => useApp(server, folder),
    { port, env },
  ).finally(close)
}

async function useApp(server: Server, folder: string): Promise<void> {
  const browser = await launchChromium()
  const database = new Database(join(folder, 'data.sqlite'), { readonly: true })
  const rows = (query: string) => database.prepare(query).raw().all()
  const sessions = () => rows('select email from session join user on user.id = user_id')
  const open = async () => {
    const page = await browser.newPage({ baseURL: server.origin })
    page.setDefaultTimeout(15_000)
    page.on('pageerror', (error) => console.error(error.message))
    await page.goto('/')
    return page
  }
  try {
    const ada = await open()
    await addDevice(ada)
    const credentials = { Email: 'ada@example.com', Password: 'correct horse' }

    await step('better-auth: refuses request targets that name another host', async () => {
      for (const target of strangeTargets('/api/auth/ok')) assert.equal(await statusOf(server.origin, target), 400, target)
    })

    await step('better-auth: goes on after malformed requests', () => sendMalformed(server.origin, '/api/auth'))

    await step('better-auth: signs up with a password', async () => {
      assert.equal(await title(ada), 'Nobody is signed in')
      await submit(ada, 'Sign up', { Name: 'Ada', ...credentials })
      assert.equal(await title(ada), 'Signed in as ada@example.com')
    })

    await step('better-auth: links a provider, adds a passkey, creates an organization', async () => {
      await submit(ada, 'Link OpenID Connect')
      await submit(ada, /^A?\s*Ada/)
      await submit(ada, 'Add a passkey', { 'Name of the passkey': 'Laptop' })
      await submit(ada, 'Create an organization', { 'Name of the organization': 'Engines', 'Short name': 'engines' })
      assert.deepEqual(await items(ada), ['credential', 'oidc', 'Laptop', 'ada@example.com: owner'])
    })

    await step('better-auth: a wrong password signs nobody in', async () => {
      await signOut(ada)
      await fill(ada, 'Sign in', { ...credentials, Password: 'wrong' })
      await button(ada, 'Sign in').click()
      await ada.getByRole('alert').filter({ hasText: 'Invalid email or password' }).waitFor()
      assert.deepEqual(sessions(), [])
    })

    const ways = { 'Sign in': credentials, 'Sign in with OpenID Connect': {}, 'Sign in with a passkey': {} }
    for (const [way, fields] of Object.entries(ways))
      await step(`better-auth: ${way}`, async () => {
        await submit(ada, way, fields)
        assert.equal(await title(ada), 'Signed in as ada@example.com')
        assert.deepEqual(sessions(), [['ada@example.com']])
        await signOut(ada)
      })

    await step('better-auth: a user of the provider accepts an invitation', async () => {
      await submit(ada, 'Sign in with a passkey')
      await submit(ada, 'Invite', { Email: 'bob@example.com' })
      const bob = await open()
      await submit(bob, 'Sign in with OpenID Connect')
      await submit(bob, /^B?\s*Bob/)
      await submit(bob, 'Join Engines')
      assert.deepEqual(await items(bob), ['oidc', 'ada@example.com: owner', 'bob@example.com: member'])
      await ada.reload()
      assert.deepEqual(await items(ada), ['credential', 'oidc', 'Laptop', 'ada@example.com: owner', 'bob@example.com: member'])
    })

    await step('better-auth: the database has each row once, with its owner', async () => {
      const owned = (table: string, field: string) =>
        rows(`select email, ${field} from ${table} t join user on user.id = t.user_id order by email, ${field}`)
      assert.deepEqual(owned('account', 'provider_id'), [
        ['ada@example.com', 'credential'],
        ['ada@example.com', 'oidc'],
        ['bob@example.com', 'oidc'],
      ])
      // The counter begins at 1, and both sign-ins with the passkey have increased it.
      assert.deepEqual(owned('passkey', 't.name, counter'), [['ada@example.com', 'Laptop', 3]])
      assert.deepEqual(owned('member', 'role'), [
        ['ada@example.com', 'owner'],
        ['bob@example.com', 'member'],
      ])
      assert.deepEqual(rows('select name, slug from organization'), [['Engines', 'engines']])
      assert.deepEqual(rows('select email, status from invitation'), [['bob@example.com', 'accepted']])
      assert.deepEqual(rows('select email from user order by email'), [['ada@example.com'], ['bob@example.com']])
    })

    await step('better-auth: signs out, and only this session is deleted', async () => {
      const cookies = await ada.context().cookies()
      await signOut(ada)
      assert.deepEqual(sessions(), [['bob@example.com']])
      await ada.context().addCookies(cookies)
      await ada.reload()
      assert.equal(await title(ada), 'Nobody is signed in', 'the old cookie still works')
    })
  } finally {
    database.close()
    await browser.close()
  }
}

type Fields = Record<string, string>

const title = (page: Page) => page.getByRole('heading', { level: 1 }).textContent()
const items = (page: Page) => page.getByRole('listitem').allTextContents()
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

async function fill(page: Page, name: string | RegExp, fields: Fields): Promise<void> {
  const form = page.locator('form', { has: button(page, name) })
  for (const [label, value] of Object.entries(fields)) await form.getByLabel(label, { exact: true }).fill(value)
}

/** Fills in a form, sends it, and waits for the page that follows. */
async function submit(page: Page, name: string | RegExp, fields: Fields = {}): Promise<void> {
  await fill(page, name, fields)
  try {
    await Promise.all([page.waitForEvent('load'), button(page, name).click()])
  } catch (error) {
    throw new Error(`${name}: ${(error as Error).message}\n\nThe page shows:\n${await page.locator('body').innerText()}`)
  }
}

async function signOut(page: Page): Promise<void> {
  await submit(page, 'Sign out')
  assert.equal(await title(page), 'Nobody is signed in')
}
