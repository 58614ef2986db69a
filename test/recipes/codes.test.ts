import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { mailbox, writeSnippets } from '../helpers/snippets.js'
import type { Store } from '../secrets/stores.js'
import { openStore } from '../secrets/stores.js'

const hour = 60 * 60 * 1_000
const another = (code: string, step: number) => String((Number(code) + step) % 1_000_000).padStart(6, '0')

describe.each(inject('dialects'))('the codes of docs/codes.md on %s', (dialect) => {
  let store: Store
  let recipe: Awaited<ReturnType<typeof writeSnippets>>
  let handle: (request: Request) => Promise<Response>
  let mails: { to: string; text: string }[]
  let looks = 0

  beforeAll(async () => {
    vi.stubEnv('AUTH_SECRET', 'a secret of the tests')
    store = await openStore(dialect)
    const adapter = store.adapter()
    const counting: typeof adapter = {
      ...adapter,
      useVerificationToken(guess) {
        looks++
        return adapter.useVerificationToken(guess)
      },
    }
    Object.assign(globalThis, { adapterOfRecipe: counting })
    recipe = await writeSnippets('docs/codes.md', {
      'adapter.ts': 'export const adapter = globalThis.adapterOfRecipe\n',
      'mail.ts': mailbox,
    })
    handle = (await recipe.load('auth.ts')).handle
    mails = (await recipe.load('mail.ts')).mails
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    await recipe.remove()
    await store.close()
  })

  const post = (path: string, form: Record<string, string>, headers = {}) =>
    handle(new Request(`http://localhost${path}`, { method: 'POST', body: new URLSearchParams(form), headers }))

  async function ask(email: string): Promise<string> {
    const csrf = await handle(new Request('http://localhost/auth/csrf'))
    const cookie = csrf.headers.getSetCookie().map((each) => each.split(';')[0])
    const { csrfToken } = (await csrf.json()) as { csrfToken: string }
    await post('/auth/signin/code', { csrfToken, email, callbackUrl: '/' }, { cookie: cookie.join('; ') })
    const { to, text } = mails.at(-1) ?? { to: '', text: '' }
    expect(to).toBe(email)
    return /^\d{6}/.exec(text)?.[0] ?? expect.fail('no code was sent')
  }

  /** Whether the answer signs in. */
  const guess = async (email: string, code: string) =>
    (await post('/code', { email, code })).headers.getSetCookie().some((cookie) => cookie.startsWith('authjs.session-token='))

  test('five guesses an hour are looked at, however many come at once', async () => {
    // No hour of the clock ends meanwhile.
    vi.useFakeTimers({ toFake: ['Date'], now: (Math.floor(Date.now() / hour) + 0.5) * hour })
    onTestFinished(() => void vi.useRealTimers())
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const email = `${crypto.randomUUID()}@example.com`
    const code = await ask(email)
    looks = 0
    const wrong = await Promise.all(Array.from({ length: 30 }, (_, index) => guess(email, another(code, index + 1))))
    expect(wrong).not.toContain(true)
    expect(looks).toBe(5)
    expect(await guess(email, code)).toBe(false)
    expect(await guess(email, await ask(email))).toBe(false)
    expect(looks).toBe(5)

    const other = `${crypto.randomUUID()}@example.com`
    expect(await guess(other, await ask(other))).toBe(true)
    vi.setSystemTime(Date.now() + hour)
    const fresh = await ask(email)
    looks = 0
    const all = await Promise.all(Array.from({ length: 30 }, () => guess(email, fresh)))
    expect(all.filter(Boolean)).toHaveLength(1)
    expect(looks).toBe(5)
  })

  test('codes have six digits', async () => {
    const { newCode } = await recipe.load('codes.ts')
    const codes: string[] = Array.from({ length: 1_000 }, newCode)
    expect(codes.every((code) => /^\d{6}$/.test(code))).toBe(true)
    expect(new Set(codes).size).toBeGreaterThan(950)
  })
})
