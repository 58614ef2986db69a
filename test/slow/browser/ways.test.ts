import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { withAuthjs } from './stage.js'
import {
  addDevice,
  askForCode,
  enterCode,
  sessionCookie,
  signInByLink,
  signInByOpenId,
  signInByPasskey,
  signInByPassword,
  signOut,
  signUpByPasskey,
  signUpByPassword,
  waitForGreeting,
} from './steps.js'

const carol = 'carol@example.com'
const password = 'correct horse battery'

async function signInByCode(page: Page) {
  const code = await askForCode(page, carol)
  await enterCode(page, `${code.slice(0, 3)} ${code.slice(3)}`)
  await waitForGreeting(page)
}

/** How to sign in the first time, and again. */
const ways: Record<string, [email: string, first: (page: Page) => Promise<unknown>, again?: (page: Page) => Promise<unknown>]> = {
  'a magic link': [carol, (page) => signInByLink(page, carol)],
  'a code': [carol, signInByCode],
  'OpenID Connect': ['ada@example.com', (page) => signInByOpenId(page, 'Ada')],
  'a passkey': [carol, (page) => signUpByPasskey(page, carol), signInByPasskey],
  'a password': [carol, (page) => signUpByPassword(page, carol, password), (page) => signInByPassword(page, carol, password)],
}

withAuthjs('the demo', (stage) => {
  test.each(Object.entries(ways))('signs in by %s, the first time and again', async (_, [email, first, again = first]) => {
    const page = await stage.newPage()
    await addDevice(page)
    await first(page)
    const [user, ...others] = await stage.database.users()
    expect([user?.email, others]).toEqual([email, []])
    expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])
    await signOut(page)
    expect(await stage.database.sessions()).toEqual([])
    await again(page)
    expect(await stage.database.users()).toMatchObject([{ id: user?.id }])
    expect(await stage.database.sessions()).toMatchObject([{ userId: user?.id, sessionToken: await sessionCookie(page) }])
  })
})

withAuthjs(
  'the demo with secrets at rest',
  (stage) => {
    test('shows hashed sessions, which can be revoked', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      for (const each of [page, other]) await signInByLink(each, carol)
      const forms = (await stage.database.sessions()).map(({ sessionToken }) => sessionToken.slice(0, 3))
      expect(forms).toEqual(['s1.', 's1.'])
      const raw = (await sessionCookie(page))?.slice(0, 4)
      await page.locator('[data-table=session] td', { hasText: new RegExp(`^s1\\.[\\w-]{13}… \\(raw: ${raw}••••\\)$`) }).waitFor()

      await page.goto('/devices')
      await page.locator('.devices li').nth(1).getByRole('button', { name: 'Sign out' }).click()
      await page.getByText('You are signed in here, and nowhere else.').waitFor()
      expect(await stage.database.sessions()).toHaveLength(1)
    })
  },
  { protect: true },
)
