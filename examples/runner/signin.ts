import assert from 'node:assert/strict'
import { sendMalformed } from '../../test/support/malformed.js'
import { step } from '../../test/support/process.js'
import { strangeTargets } from '../../test/support/targets.js'
import { openBrowser } from './browser.js'
import { password } from './project.js'
import type { Server } from './server.js'
import { waitFor } from './server.js'

const email = 'ada@example.com'

/**
 * Signs a user in and out, over HTTP.
 *
 * @param refusals The status for a request target that is not a path.
 */
export async function signIn(name: string, server: Server, base: string, refusals = [400]): Promise<void> {
  const browser = openBrowser(server.origin)
  // Auth.js leaves the check to SvelteKit, which compares the origin.
  const csrf = async (): Promise<Record<string, string>> => (name === 'sveltekit' ? {} : JSON.parse(await browser.read(`${base}/csrf`)))
  const user = async (of = browser) => JSON.parse(await of.read(`${base}/session`))?.user
  const link = () => /https?:\S+\/callback\/email\?\S+/.exec(server.output())?.[0]

  await step(`${name}: nobody is signed in`, async () => {
    assert.equal(await user(), undefined)
    assert.match(await browser.read('/'), /Nobody is signed in/)
  })

  await step(`${name}: refuses request targets that name another host, and sends no link`, async () => {
    const form = { ...(await csrf()), email, callbackUrl: server.origin }
    for (const target of strangeTargets(`${base}/signin/email`))
      for (const body of [form, undefined]) {
        const status = (await browser.statusOf(target, body)) ?? 0
        assert(refusals.includes(status), `${body ? 'POST' : 'GET'} ${target}: ${status}`)
      }
    assert.equal(link(), undefined)
  })

  await step(`${name}: goes on after malformed requests`, () => sendMalformed(server.origin, base))

  await step(`${name}: requests a link, and the console shows it`, async () => {
    const page = await browser.follow(`${base}/signin/email`, { ...(await csrf()), email, callbackUrl: server.origin })
    assert.match(page, /verify-request/)
    await waitFor(server, 10, async () => link() !== undefined)
  })

  await step(`${name}: follows the link, and is signed in`, async () => {
    const page = await browser.follow(link() ?? '')
    assert.equal(new URL(page, server.origin).href, `${server.origin}/`)
    assert.equal((await user())?.email, email)
    assert(new RegExp(`Signed in as.*${email}`).test(await browser.read('/')), 'the home page does not show the user')
  })

  await step(`${name}: the link works only once`, async () => {
    assert.match(await openBrowser(server.origin).follow(link() ?? ''), /error=Verification/)
  })

  await step(`${name}: signs out, and the session is deleted`, async () => {
    const before = browser.copy()
    assert.equal((await user(before))?.email, email)
    await browser.follow(`${base}/signout`, await csrf())
    assert.equal(await user(), undefined)
    assert.equal(await user(before), undefined, 'the old cookie still works')
    assert.match(await browser.read('/'), /Nobody is signed in/)
  })

  const { credentials } = JSON.parse(await browser.read(`${base}/providers`))
  if (!credentials) return
  const signInWith = async (password: string) => browser.follow(`${base}/callback/credentials`, { ...(await csrf()), email, password })

  await step(`${name}: a wrong password signs nobody in`, async () => {
    assert.match(await signInWith('wrong'), /error=CredentialsSignin/)
    assert.equal(await user(), undefined)
  })

  await step(`${name}: a password creates a session, and a new sign-in ends the previous one`, async () => {
    await signInWith(password)
    const before = browser.copy()
    assert.equal((await user(before))?.email, email)
    await signInWith(password)
    assert.equal((await user())?.email, email)
    assert.equal(await user(before), undefined, 'the previous session still works')
    assert(new RegExp(`Signed in as.*${email}`).test(await browser.read('/')), 'the home page does not show the user')
  })

  await step(`${name}: signs out, and this session is deleted, too`, async () => {
    const before = browser.copy()
    await browser.follow(`${base}/signout`, await csrf())
    assert.equal(await user(before), undefined, 'the old cookie still works')
  })
}
