import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { withBetterAuth } from './stage.js'
import { heading, problem, sessionCookie, signInByPassword, signOut, signUpByPassword } from './steps.js'

const password = 'correct horse battery'

/** Opens the newest link that was sent to an address. */
async function openMail(page: Page, email: string) {
  await page.goto('/mailbox')
  const mail = page.locator('.mails li', { hasText: `To ${email},` }).first()
  await mail.getByRole('link', { name: 'Open the link' }).click()
  await page.getByRole('heading', { name: /^Hello/ }).waitFor()
}

withBetterAuth('the demo', (stage) => {
  test('signs up, confirms the address, signs in again, and shows each row but no secret', async () => {
    const [page, watcher] = [await stage.newPage(), await stage.newPage()]
    await watcher.goto('/')
    const rows = (table: string) => watcher.locator(`[data-table=${table}] tbody tr:not(.gone)`)
    await signUpByPassword(page, 'carol@example.com', password)
    expect(await heading(page)).toBe('Hello, carol')
    for (const table of ['user', 'account', 'session']) await rows(table).waitFor()
    await openMail(page, 'carol@example.com')
    expect(await page.locator('dl').textContent()).toContain('Confirmedyes')

    const [user] = await stage.database.users()
    const [account] = await stage.database.accounts()
    expect(user).toMatchObject({ email: 'carol@example.com', emailVerified: true })
    expect(account).toMatchObject({ userId: user?.id, providerId: 'credential', password: expect.any(String) })
    const shown = (await watcher.content()) + (await page.content())
    for (const secret of [await sessionCookie(page), account?.password]) expect(shown).not.toContain(secret)

    await signOut(page)
    expect(await stage.database.sessionTokens()).toEqual([])
    await signInByPassword(page, 'carol@example.com', 'wrong horse battery')
    await problem(page, 'This did not match.').waitFor()
    await signInByPassword(page, 'carol@example.com', password)
    expect(await stage.database.sessionTokens()).toEqual([await sessionCookie(page)])

    await page.getByText('Delete the account').click()
    await page.getByRole('button', { name: 'Delete everything' }).click()
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
    const { users, accounts, sessionTokens } = stage.database
    for (const read of [users, accounts, sessionTokens]) expect(await read()).toEqual([])
  })

  test('has organizations, which invite and admit members, and shows their names as text', async () => {
    const [ada, bob] = [await stage.newPage(), await stage.newPage()]
    const name = '"><img src=x onerror="document.title=1">'
    await signUpByPassword(ada, 'ada@example.com', password)
    await ada.goto('/organizations')
    await ada.getByLabel('Name of the new organization').fill(name)
    await ada.getByRole('button', { name: 'Create an organization' }).click()
    await ada.locator('[data-table=organization] td', { hasText: name }).waitFor()
    expect(await ada.locator('main img, #live img').count()).toBe(0)
    const form = ada.getByRole('form', { name: /^Invite to/ })
    await form.getByLabel('Email address').fill('bob@example.com')
    await form.getByRole('button', { name: 'Invite' }).click()
    await ada.getByText('invited').waitFor()

    await signUpByPassword(bob, 'bob@example.com', password)
    const [invitation] = await stage.database.invitations()
    // Only with a confirmed address.
    await bob.request.post('/join', { form: { invitation: invitation?.id ?? '' }, headers: { origin: stage.origin } })
    expect(await stage.database.members()).toHaveLength(1)
    await openMail(bob, 'bob@example.com')
    await bob.goto('/organizations')
    await bob.getByRole('button', { name: /^Join/ }).click()
    await bob.getByRole('button', { name: /^Leave/ }).waitFor()
    expect((await stage.database.members()).map(({ role }) => role).sort()).toEqual(['member', 'owner'])
    await ada.getByRole('button', { name: /^Delete "/ }).click()
    await expect.poll(stage.database.organizations).toEqual([])
    expect(await stage.database.members()).toEqual([])
  })
})
