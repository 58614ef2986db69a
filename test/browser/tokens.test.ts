import { expect, test } from 'vitest'
import { onEachDialect } from './stage.js'
import { signInByOpenId, signOut } from './steps.js'

onEachDialect(
  'the tokens of an account',
  (stage) => {
    const account = async () => (await stage.database.accounts())[0]

    test('are those of the last sign-in', async () => {
      const page = await stage.newPage()
      await signInByOpenId(page, 'Ada')
      const first = await account()
      expect(first).toMatchObject({ access_token: expect.any(String), refresh_token: expect.any(String) })
      await signOut(page)
      await signInByOpenId(page, 'Ada')
      await expect.poll(async () => (await account())?.access_token).not.toBe(first?.access_token)
      const second = await account()
      expect(second).toMatchObject({ userId: first?.userId, providerAccountId: 'ada' })
      expect(second?.refresh_token).not.toBe(first?.refresh_token)
      expect(await stage.database.accounts()).toHaveLength(1)
    })

    test('are refreshed once, however many ask, and again when they have expired again', async () => {
      const page = await stage.newPage()
      await signInByOpenId(page, 'Bob')
      await page.goto('/tokens')
      await page.getByText(/^Valid for/).waitFor()
      await page.getByRole('button', { name: 'Ask for it 20 times at once' }).click()
      await page.getByRole('heading', { name: 'The token was still valid' }).waitFor()
      for (let round = 0; round < 2; round++) {
        const before = await account()
        await page.getByRole('button', { name: 'Let it expire' }).click()
        await page.getByText('Expired').waitFor()
        await page.getByRole('button', { name: 'Ask for it 20 times at once' }).click()
        await page.getByRole('heading', { name: 'The token was refreshed' }).waitFor()
        await page.getByText('20 callers asked at once. The provider was asked once.').waitFor()
        const after = await account()
        expect(after?.access_token).not.toBe(before?.access_token)
        expect(after?.refresh_token).not.toBe(before?.refresh_token)
        const content = await page.content()
        for (const token of [after?.access_token, after?.refresh_token]) expect(content).not.toContain(token)
      }
    })
  },
  { once: true },
)
