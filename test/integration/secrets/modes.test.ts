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
  beforeAll(async () => {
    store = await openStore(dialect)
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
  })

  test.each([
    ['plain', false],
    ['ready', false],
    ['migrating', true],
    ['final', true],
  ] as const)('%s writes protected values: %s', async (mode, isProtected) => {
    const { userId, session, account } = await signUp(adapterIn(mode))
    const [token] = await stored(userId)
    expect(token).toMatch(isProtected ? hashed : session.sessionToken)
    const row = (await store.rows('account')).find((each) => each.userId === userId)
    expect(row?.access_token).toMatch(isProtected ? /^e1\.2026b\./ : account.access_token)
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
    const [hash] = (await stored(userId)) as [string]
    expect(await adapter.getSessionAndUser(hash)).toBeNull()
    expect(await adapter.updateSession({ sessionToken: hash, expires: new Date(0) })).toBeNull()
    expect(await adapter.deleteSession(hash)).toBeNull()
    const failure = await adapter.createSession({ ...session, sessionToken: hash }).catch((error) => error)
    expect(failure).toMatchObject({ operation: 'createSession', kind: 'invalid', column: 'sessionToken' })
    expect(failure.message).not.toContain(hash.slice(3))
    expect(await adapter.getSessionAndUser(session.sessionToken)).toMatchObject({ session })
  })

  test.each(['lookupWith', 'updateByKey', 'deleteByKey'] as const)(
    'a session that is hashed between two statements is found: %s',
    async (name) => {
      for (const mode of ['ready', 'migrating'] as const) {
        const { userId, session } = await signUp(adapterIn('plain'))
        const real = secretsOf(mode)
        let isHashed = false
        type Run = (...given: unknown[]) => unknown
        const hashingAfter =
          (run: Run): Run =>
          async (...given) => {
            const found = await run(...given)
            if (!isHashed) await store.protect({ secrets: secretsOf('migrating'), pause: 0 })
            isHashed = true
            return found
          }
        const protect: Secrets['protect'] = (model, table) => {
          const run = table[name] as Run
          const hashing = name === 'lookupWith' ? (...given: unknown[]) => hashingAfter(run(...given) as Run) : hashingAfter(run)
          return real.protect(model, model === 'sessions' ? { ...table, [name]: hashing } : table)
        }
        const adapter = store.adapter({ ...real, protect })
        const { sessionToken } = session
        if (name === 'lookupWith') expect((await adapter.getSessionAndUser(sessionToken))?.user.id).toBe(userId)
        if (name === 'updateByKey') expect(await adapter.updateSession({ sessionToken, expires: session.expires })).toEqual(session)
        if (name === 'deleteByKey') expect(await adapter.deleteSession(sessionToken)).toEqual(session)
        expect(isHashed).toBe(true)
      }
    },
  )

  test('one token creates one session at most, even if it is created in several modes at the same time', async () => {
    for (let round = 0; round < 3; round++) {
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
