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

  // When the final mode begins, no plain row is left. When the first mode ends, no hashed row has been written.
  test.each(pairs)('%s writes, %s does all other operations', async (writing, reading) => {
    const isLast = reading === 'final' || writing === 'final'
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
    // Again with the mode that wrote it, because the other may have rewritten it.
    expect(await one.updateSession({ sessionToken, expires: session.expires })).toEqual(session)
    await expect(other.createSession({ ...session, expires: inAnHour() })).rejects.toMatchObject({ kind: 'duplicate' })
    await expect(other.linkAccount(account)).rejects.toMatchObject({ kind: 'duplicate' })
    expect(await stored(userId)).toHaveLength(1)
    if (isLast) expect((await stored(userId))[0]).toMatch(hashed)
    expect(await other.deleteSession(sessionToken)).toEqual(session)
    expect(await one.deleteSession(sessionToken)).toBeNull()
    expect(await stored(userId)).toEqual([])
    expect(await other.unlinkAccount(key)).toMatchObject(account)
    await one.createSession(session)
    await one.linkAccount(account)
    expect(await other.deleteUser(userId)).toMatchObject({ id: userId })
    expect(await stored(userId)).toEqual([])
  })

  test('ready writes plain sessions and keeps hashed ones; migrating writes hashed sessions and rewrites plain ones', async () => {
    const [ready, migrating] = [adapterIn('ready'), adapterIn('migrating')]
    const one = await signUp(ready)
    expect(await stored(one.userId)).toEqual([one.session.sessionToken])
    await ready.updateSession({ ...one.session, expires: inAnHour() })
    expect(await stored(one.userId)).toEqual([one.session.sessionToken])
    const updated = await migrating.updateSession({ ...one.session, expires: new Date(0) })
    expect(updated).toEqual({ ...one.session, expires: new Date(0) })
    const [form] = await stored(one.userId)
    expect(form).toMatch(hashed)
    expect(await ready.updateSession({ ...one.session, expires: new Date(1_000) })).toEqual({ ...one.session, expires: new Date(1_000) })
    expect(await stored(one.userId)).toEqual([form])
    const two = await signUp(migrating)
    expect((await stored(two.userId))[0]).toMatch(hashed)
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

  test('both forms are looked up in one statement', async () => {
    const { session } = await signUp(adapterIn('plain'))
    for (const mode of ['ready', 'migrating', 'final'] as const) {
      const adapter = adapterIn(mode)
      for (const token of [session.sessionToken, crypto.randomUUID()]) {
        statements.length = 0
        await adapter.getSessionAndUser(token)
        expect(statements).toHaveLength(1)
        expect(/ or /i.test(statements[0] as string)).toBe(mode !== 'final')
      }
    }
  })

  test('a write that matched neither form is retried once', async () => {
    const adapter = adapterIn('migrating')
    const { userId, session } = await signUp(adapterIn('plain'))
    // The first statement does not find the row, as can happen while it is being rewritten.
    const [plain] = await stored(userId)
    const table = store.quote('session')
    const column = store.quote('sessionToken')
    await store.exec(`update ${table} set ${column} = 'elsewhere' where ${column} = '${plain}'`)
    let updates = 0
    const returning = withHookAfterUpdate(async () => {
      if (++updates === 1) await store.exec(`update ${table} set ${column} = '${plain}' where ${column} = 'elsewhere'`)
    })
    const updated = await returning.updateSession({ sessionToken: session.sessionToken, expires: new Date(5_000) })
    expect(updated).toEqual({ ...session, expires: new Date(5_000) })
    expect(updates).toBeGreaterThan(1)
    expect(await adapter.deleteSession(session.sessionToken)).not.toBeNull()
  })

  /** An adapter that calls a function after each update of sessions. */
  function withHookAfterUpdate(after: () => Promise<void>) {
    const real = secretsOf('migrating')
    const hooked = {
      ...real,
      protect: (...[model, statements, sql]: Parameters<typeof real.protect>) => {
        const update = statements.update.bind(statements)
        if (model === 'sessions')
          statements.update = async (...parameters) => {
            const result = await update(...parameters)
            await after()
            return result
          }
        return real.protect(model, statements, sql)
      },
    }
    return store.adapter(hooked as never)
  }

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

  test('a session without a token is rejected', async () => {
    const adapter = adapterIn('final')
    const { userId } = await signUp(adapter)
    await expect(adapter.createSession({ userId, expires: inAnHour() } as never)).rejects.toMatchObject({ kind: 'missing-value' })
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
    const [older, newer] = keys.toReversed()
    if (!older || !newer) return
    const steps = [[older], [older, newer], [newer, older], [newer]].map((list) =>
      secretsAtRest({ accountTokens: { keys: list }, sessionTokens: 'hashed' }),
    )
    // Before the last step, the command has encrypted everything with the new key.
    const people = []
    for (const [index, secrets] of steps.entries()) {
      const previous = index > 0 ? store.adapter(steps[index - 1]) : undefined
      const adapter = store.adapter(secrets)
      if (index === 3) await store.protect({ secrets: steps[2] as (typeof steps)[0], pause: 0 })
      people.push(await signUp(adapter))
      const readers = previous ? [previous, adapter] : [adapter]
      for (const reader of readers)
        for (const { account } of people) expect(await reader.getAccount(account.providerAccountId, 'google')).toMatchObject(account)
    }
  })

  test('deleteExpired deletes hashed sessions like any other', async () => {
    const adapter = adapterIn('final')
    const { session } = await signUp(adapter)
    await adapter.updateSession({ ...session, expires: new Date(Date.now() - 1_000) })
    const { sessions } = await store.sweep()
    expect(sessions).toBeGreaterThan(0)
    expect(await adapter.getSessionAndUser(session.sessionToken)).toBeNull()
  })
})
