import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { TcpProxy } from '../../support/proxy.js'
import { openProxy } from '../../support/proxy.js'
import { onEachDialectWithBetterAuth } from './stage.js'
import { heading, problem, sessionCookie, signInByPassword, signOut, signUpByPassword } from './steps.js'

const password = 'correct horse battery'
let proxy: TcpProxy | undefined

/** Opens the newest link that was sent to an address. */
async function openMail(page: Page, email: string) {
  await page.goto('/mailbox')
  const mail = page.locator('.mails li', { hasText: `To ${email},` }).first()
  await mail.getByRole('link', { name: 'Open the link' }).click()
}

const organization = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function createOrganization(page: Page, name: string) {
  await page.goto('/organizations')
  await page.getByLabel('Name of the new organization').fill(name)
  await page.getByRole('button', { name: 'Create an organization' }).click()
}

async function invite(page: Page, name: string, email: string) {
  const form = page.getByRole('form', { name: `Invite to ${name}` })
  await form.getByLabel('Email address').fill(email)
  await form.getByRole('button', { name: 'Invite' }).click()
}

onEachDialectWithBetterAuth(
  'the demo',
  (stage) => {
    test('signs up, confirms the address, signs in again, and shows each row but no secret', async () => {
      const [page, watcher] = [await stage.newPage(), await stage.newPage()]
      await watcher.goto('/')
      const rows = (table: string) => watcher.locator(`[data-table=${table}] tbody tr:not(.gone)`)
      await signUpByPassword(page, 'carol@example.com', password)
      expect(await heading(page)).toBe('Hello, carol')
      for (const table of ['user', 'account', 'session']) await rows(table).waitFor()
      expect(await page.locator('dl').textContent()).toContain('not yet')
      await openMail(page, 'carol@example.com')
      await page.getByRole('heading', { name: 'Hello, carol' }).waitFor()
      expect(await page.locator('dl').textContent()).toContain('Confirmedyes')
      await watcher.locator('[data-table=user] td', { hasText: /^true$/ }).waitFor()

      const [user] = await stage.database.users()
      const [account] = await stage.database.accounts()
      expect(user).toMatchObject({ email: 'carol@example.com', emailVerified: true })
      expect(account).toMatchObject({ userId: user?.id, providerId: 'credential', password: expect.any(String) })
      await watcher.locator('.log code', { hasText: 'create account' }).waitFor()
      const shown = (await watcher.content()) + (await page.content())
      for (const secret of [await sessionCookie(page), account?.password]) expect(shown).not.toContain(secret)

      await signOut(page)
      await rows('session').waitFor({ state: 'detached' })
      expect(await stage.database.sessionTokens()).toEqual([])
      await signInByPassword(page, 'carol@example.com', 'wrong horse battery')
      await problem(page, 'This did not match.').waitFor()
      expect(await page.getByLabel('Email address').inputValue()).toBe('carol@example.com')
      await signInByPassword(page, 'carol@example.com', password)
      expect(await stage.database.sessionTokens()).toEqual([await sessionCookie(page)])

      await page.getByText('Delete the account').click()
      await page.getByRole('button', { name: 'Delete everything' }).click()
      await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
      const { users, accounts, sessionTokens } = stage.database
      for (const read of [users, accounts, sessionTokens]) expect(await read()).toEqual([])
    })

    test('has organizations, which invite, admit and lose members', async () => {
      const [ada, bob] = [await stage.newPage(), await stage.newPage()]
      await signUpByPassword(ada, 'ada@example.com', password)
      await createOrganization(ada, 'Engines')
      await organization(ada, 'Engines').getByText('owner').waitFor()
      await invite(ada, 'Engines', 'bob@example.com')
      await organization(ada, 'Engines').getByText('invited').waitFor()
      expect(await stage.database.invitations()).toMatchObject([{ email: 'bob@example.com', status: 'pending' }])
      await invite(ada, 'Engines', 'bob@example.com')
      await problem(ada, 'Nobody new to invite.').waitFor()
      await createOrganization(ada, 'engines')
      await problem(ada, 'This name is taken.').waitFor()

      await signUpByPassword(bob, 'bob@example.com', password)
      const join = bob.getByRole('button', { name: 'Join Engines' })
      await bob.goto('/organizations')
      await bob.getByText('Invitations appear here once you have confirmed your address').waitFor()
      expect(await join.count()).toBe(0)
      const [invitation] = await stage.database.invitations()
      await bob.request.post('/join', { form: { invitation: invitation?.id ?? '' }, headers: { origin: stage.origin } })
      expect(await stage.database.members()).toHaveLength(1)
      await openMail(bob, 'bob@example.com')
      await bob.getByRole('heading', { name: 'Hello, bob' }).waitFor()
      await bob.goto('/organizations')
      await join.click()
      await organization(bob, 'Engines').getByText('bob@example.com').waitFor()
      const roles = async () => (await stage.database.members()).map(({ role }) => role).sort()
      expect(await roles()).toEqual(['member', 'owner'])

      // A member has no form to delete the organization, and cannot send it either.
      const organizationId = (await organization(bob, 'Engines').locator('input').first().getAttribute('value')) ?? ''
      await bob.request.post('/delete-organization', { form: { organization: organizationId }, headers: { origin: stage.origin } })
      expect(await stage.database.organizations()).toHaveLength(1)
      await bob.getByRole('button', { name: 'Leave Engines' }).click()
      await organization(bob, 'Engines').waitFor({ state: 'detached' })
      expect(await roles()).toEqual(['owner'])
      await ada.getByRole('button', { name: 'Delete Engines' }).click()
      await organization(ada, 'Engines').waitFor({ state: 'detached' })
      expect(await stage.database.organizations()).toEqual([])
      expect(await roles()).toEqual([])
    })

    test('shows names as text, and leads to its own pages only', async () => {
      const page = await stage.newPage()
      await signUpByPassword(page, 'ada@example.com', password)
      const hostile = '"><img src=x onerror="document.title=1"><script>document.title=2</script>'
      await createOrganization(page, hostile)
      await organization(page, hostile).getByText('owner').waitFor()
      await page.locator('[data-table=organization] td', { hasText: hostile }).waitFor()
      expect(await page.locator('main img, main script, #live img').count()).toBe(0)
      expect(await page.title()).toBe('Organizations · drizzle-auth-adapter demo')

      const other = await stage.newPage()
      const form = { email: 'ada@example.com', password, next: 'http://evil.example/' }
      const response = await other.request.post('/sign-in', { form, headers: { origin: stage.origin }, maxRedirects: 0 })
      expect(response.status()).toBe(303)
      expect(response.headers().location).toBe('/')
      const foreign = await other.request.post('/auth/sign-in/email', { data: form, headers: { origin: 'http://evil.example' } })
      expect(foreign.status()).toBe(403)
    })
  },
  {
    async openProxy(url) {
      if (url.startsWith('file:')) return { url, close: async () => {} }
      proxy = await openProxy(url)
      return { url: proxy.url, close: proxy.close }
    },
  },
)
