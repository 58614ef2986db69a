import { expect, onTestFinished, test, vi } from 'vitest'
import { onEachDialect } from './stage.js'
import { askForCode, askForLink, enterCode, problem, sessionCookie } from './steps.js'

const hour = 60 * 60 * 1_000
const wrongCode = (code: string, step: number) => String((Number(code) + step) % 1_000_000).padStart(6, '0')

onEachDialect(
  'a code',
  (stage) => {
    test('signs in, once', async () => {
      const [page, other] = [await stage.newPage(), await stage.newPage()]
      const code = await askForCode(page, 'carol@example.com')
      await enterCode(page, `${code.slice(0, 3)} ${code.slice(3)}`)
      await page.getByRole('heading', { name: 'Hello, carol@example.com' }).waitFor()
      expect(await stage.database.sessions()).toMatchObject([{ sessionToken: await sessionCookie(page) }])
      await other.goto('/code?email=carol@example.com')
      await enterCode(other, code)
      await problem(other, 'This code is not right.').waitFor()
      expect(await stage.database.sessions()).toHaveLength(1)
    })

    test('cannot be guessed more than five times, even concurrently or as a link', async () => {
      // Attempts are counted per clock hour. The time is set to the middle of an hour, so that none ends during the test.
      vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / hour) + 0.5) * hour })
      onTestFinished(() => void vi.useRealTimers())
      const page = await stage.newPage()
      const code = await askForCode(page, 'carol@example.com')
      const post = (path: string, form: Record<string, string>) =>
        page.request.post(path, { form, headers: { origin: stage.origin }, maxRedirects: 0 })
      const guesses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => post('/code', { email: 'carol@example.com', code: wrongCode(code, index + 1) })),
      )
      const errors = guesses.map((response) => /error=(\w+)/.exec(response.headers().location ?? '')?.[1])
      expect(errors.filter((error) => error === 'Code')).toHaveLength(5)
      expect(errors.filter((error) => error === 'Tries')).toHaveLength(15)
      await enterCode(page, code)
      await problem(page, 'Too many tries.').waitFor()
      const query = new URLSearchParams({ email: 'carol@example.com', token: code })
      for (const path of ['callback/code', 'callback/code/', '/callback//code', 'callback/nodemailer'])
        await post(`/auth/${path}?${query}`, {})
      expect(await stage.database.sessions()).toEqual([])
      // Other ways to sign in and other people are not affected.
      expect(await askForLink(page, 'carol@example.com')).toContain('/confirm#')
      await enterCode(page, await askForCode(page, 'dora@example.com'))
      await page.getByRole('heading', { name: 'Hello, dora@example.com' }).waitFor()
    })
  },
  { once: true },
)
