import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Mode } from './modes.js'
import { inAnHour, keys, modes, secretsOf } from './modes.js'
import type { Store } from './stores.js'
import { openStore, signUp } from './stores.js'

const adjacent = modes.slice(1).map((mode, index) => [modes[index] as Mode, mode] as const)
// Adjacent modes run at the same time during a deploy. Each pair is tested in both roles.
const pairs = adjacent.flatMap(([one, other]) => [[one, other] as const, [other, one] as const])

describe.each(inject('dialects'))('modes on %s', (dialect) => {
  let store: Store
  const statements: string[] = []
  beforeAll(async () => {
    store = await openStore(dialect, { logger: { logQuery: (query) => statements.push(query) } })
  })
  afterAll(() => store.close())

  const stored = async (userId: string) =>
    (await store.rows('session')).filter((row) => row.userId === userId).map(({ sessionToken }) => sessionToken as string)
  const hashed = /^s1\.[\w-]{43}$/
  const adapterIn = (mode: Mode) => store.adapter(secretsOf(mode))

  test.each(pairs)('%s writes, %s does all other operations', async (writing, reading) => {
    const [one, other] = [adapterIn(writing), adapterIn(reading)]
    const { userId, session, account } = await signUp(one)
    const { sessionToken } = session
    const key = { provider: account.provider, providerAccountId: account.providerAccountId }
    expect(await other.getSessionAndUser(sessionToken)).toMatchObject({ session, user: { id: userId } })
    expect(await other.getAccount(key.providerAccountId, key.provider)).toMatchObject(account)
    expect(await other.getUserByAccount(key)).toMatchObject({ id: userId })
    expect(await other.updateSession({ sessionToken })).toEqual(session)
    const later = new Date(Date.now() + 7_200_000)
    expect(await other.updateSession({ sessionToken, expires: later })).toEqual({ ...session, expires: later })
    for (const each of [one, other]) expect((await each.getSessionAndUser(sessionToken))?.session).toEqual({ ...session, expires: later })
    expect(await one.updateSession({ sessionToken, expires: session.expires })).toEqual(session)
    await expect(other.createSession({ ...session, expires: inAnHour() })).rejects.toMatchObject({ kind: 'duplicate' })
    await expect(other.linkAccount(account)).rejects.toMatchObject({ kind: 'duplicate' })
    expect(await stored(userId)).toHaveLength(1)
    expect(await other.deleteSession(sessionToken)).toEqual(session)
    expect(await one.deleteSession(sessionToken)).toBeNull()
    expect(await stored(userId)).toEqual([])
    expect(await other.unlinkAccount(key)).toMatchObject(account)
    await one.createSession(session)
    await one.linkAccount(account)
    expect(await other.deleteUser(userId)).toMatchObject({ id: userId })
    expect(await stored(userId)).toEqual([])
  })

  test.each([
    ['plain', false],
    ['ready', false],
    ['migrating', true],
    ['final', true],
  ] as const)('whether %s writes protected values: %s; updateSession keeps the form', async (mode, isProtected) => {
    const { userId, session, account } = await signUp(adapterIn(mode))
    const [token] = await stored(userId)
    expect(token).toMatch(isProtected ? hashed : session.sessionToken)
    const row = (await store.rows('account')).find((each) => each.userId === userId)
    expect(row?.access_token).toMatch(isProtected ? /^e1\.2026b\./ : account.access_token)
    for (const each of modes.slice(1, 3)) await adapterIn(each).updateSession({ ...session, expires: inAnHour() })
    expect(await stored(userId)).toEqual([token])
  })

  test('final accepts nothing plain', async () => {
    const last = adapterIn('final')
    const { userId, session, account } = await signUp(adapterIn('plain'))
    expect(await last.getSessionAndUser(session.sessionToken)).toBeNull()
    expect(await last.updateSession(session)).toBeNull()
    expect(await last.deleteSession(session.sessionToken)).toBeNull()
    expect(await stored(userId)).toEqual([session.sessionToken])
    await expect(last.getAccount(account.providerAccountId, account.provider)).rejects.toMatchObject({ kind: 'undecipherable' })
  })

  test.each(['ready', 'migrating', 'final'] as const)('at %s, a stored value is not a token', async (mode) => {
    const adapter = adapterIn(mode)
    const { userId, session } = await signUp(adapterIn('final'))
    const [form] = (await stored(userId)) as [string]
    const values = (await store.rows('account')).flatMap(({ access_token, id_token }) => [access_token, id_token] as string[])
    for (const value of [form, `s2${form.slice(2)}`, ...values]) {
      expect(await adapter.getSessionAndUser(value)).toBeNull()
      expect(await adapter.updateSession({ sessionToken: value, expires: new Date(0) })).toBeNull()
      expect(await adapter.deleteSession(value)).toBeNull()
    }
    for (const sessionToken of [form, `s2${form.slice(2)}`]) {
      const failure = await adapter.createSession({ ...session, sessionToken }).catch((error) => error)
      expect(failure).toMatchObject({ operation: 'createSession', kind: 'invalid', column: 'sessionToken' })
      expect(failure.message).not.toContain(form.slice(3))
    }
    expect(await adapter.getSessionAndUser(session.sessionToken)).toMatchObject({ session })
    // Only tokens that look exactly like a stored value are rejected.
    for (const sessionToken of ['s1.', `${form}x`, form.slice(0, -1), `S1${form.slice(2)}`, `s3${form.slice(2)}`]) {
      const other = { ...session, sessionToken }
      expect(await adapter.createSession(other)).toEqual(other)
      expect((await adapter.getSessionAndUser(sessionToken))?.session).toEqual(other)
      await adapter.deleteSession(sessionToken)
    }
  })

  test('a session is looked up with one statement at final, and with two at most before', async () => {
    const { session } = await signUp(adapterIn('plain'))
    for (const [mode, token, most] of [
      ['ready', session.sessionToken, 1],
      ['migrating', crypto.randomUUID(), 2],
      ['final', crypto.randomUUID(), 1],
    ] as const) {
      const adapter = adapterIn(mode)
      statements.length = 0
      await adapter.getSessionAndUser(token)
      expect(statements).toHaveLength(most)
    }
  })

  test.each(['findWithUser', 'update', 'remove'] as const)('a session that is hashed between two statements is found: %s', async (name) => {
    for (const mode of ['ready', 'migrating'] as const) {
      const { userId, session } = await signUp(adapterIn('plain'))
      const real = secretsOf(mode)
      let isHashed = false
      const protect: Secrets['protect'] = (model, rows) => {
        const hashAfter = async (...given: unknown[]) => {
          const found = await (rows[name] as (...given: unknown[]) => Promise<unknown>)(...given)
          if (!isHashed) await store.protect({ secrets: secretsOf('migrating'), pause: 0 })
          isHashed = true
          return found
        }
        return real.protect(model, model === 'sessions' ? { ...rows, [name]: hashAfter } : rows)
      }
      const adapter = store.adapter({ ...real, protect })
      const { sessionToken } = session
      if (name === 'findWithUser') expect((await adapter.getSessionAndUser(sessionToken))?.user.id).toBe(userId)
      if (name === 'update') expect(await adapter.updateSession({ sessionToken, expires: session.expires })).toEqual(session)
      if (name === 'remove') expect(await adapter.deleteSession(sessionToken)).toEqual(session)
      expect(isHashed).toBe(true)
    }
  })

  test('no write is lost on a session that is being rewritten', async () => {
    const instances = [adapterIn('ready'), adapterIn('migrating')]
    const people = await Promise.all(Array.from({ length: 60 }, () => signUp(adapterIn('plain'))))
    const protecting = [1, 2].map(() => store.protect({ secrets: secretsOf('migrating'), batch: 100, pause: 0 }))
    const writes = people.map(async ({ session }, index) => {
      const adapter = instances[index % 2] as (typeof instances)[0]
      const { sessionToken } = session
      if (index % 3 === 0) {
        expect(await adapter.deleteSession(sessionToken)).toEqual(session)
        return expect(await adapter.getSessionAndUser(sessionToken)).toBeNull()
      }
      for (let time = 1; time <= 3; time++) {
        const changed = { ...session, expires: new Date(time * 1_000) }
        expect(await adapter.updateSession({ sessionToken, expires: changed.expires })).toEqual(changed)
        expect((await adapter.getSessionAndUser(sessionToken))?.session).toEqual(changed)
      }
    })
    await Promise.all([...protecting, ...writes])
    const left = await Promise.all(people.map(({ userId }) => stored(userId)))
    expect(left.map((tokens) => tokens.length)).toEqual(people.map((_, index) => (index % 3 === 0 ? 0 : 1)))
    expect(left.flat().filter((token) => !hashed.test(token))).toEqual([])
  })

  test('one token creates one session at most, even if it is created in several modes at the same time', async () => {
    for (let round = 0; round < 10; round++) {
      const { userId } = await signUp(adapterIn('ready'))
      const session = { userId, sessionToken: crypto.randomUUID(), expires: inAnHour() }
      const before = (await stored(userId)).length
      const created = await Promise.allSettled(
        Array.from({ length: 6 }, (_, index) => adapterIn(index % 2 ? 'ready' : 'migrating').createSession(session)),
      )
      const winners = created.filter(({ status }) => status === 'fulfilled').length
      expect(winners).toBeLessThanOrEqual(1)
      expect((await stored(userId)).length - before).toBe(winners)
    }
  })

  test('keys can be rotated, and every account can be read at each step', async () => {
    const [newer, older] = keys as [(typeof keys)[0], (typeof keys)[0]]
    const steps = [[older], [older, newer], [newer, older], [newer]].map((list) => secretsAtRest({ accountTokens: { keys: list } }))
    const people = []
    for (const [index, secrets] of steps.entries()) {
      const [previous = secrets] = steps.slice(Math.max(index - 1, 0))
      // Before the last step, the command encrypts everything with the new key.
      if (index === 3) await store.protect({ secrets: previous, pause: 0 })
      people.push(await signUp(store.adapter(secrets)))
      for (const reader of [previous, secrets].map((each) => store.adapter(each)))
        for (const { account } of people) expect(await reader.getAccount(account.providerAccountId, 'google')).toMatchObject(account)
    }
  })
})
