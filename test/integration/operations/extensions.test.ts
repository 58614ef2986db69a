import type { Adapter } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { modes, secretsOf } from '../secrets/modes.js'
import type { Store } from '../secrets/stores.js'
import { openStore } from '../secrets/stores.js'

const now = Date.now()
const inDays = (days: number) => new Date(now + days * 86_400_000)

describe.each(inject('dialects'))('operations beyond the contract, on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect)
  })
  afterAll(() => store.close())

  describe.each(modes)('secrets: %s', (mode) => {
    const open = () => store.adapter(secretsOf(mode)) as unknown as Adapter
    const newUser = () => open().createUser({ email: `${crypto.randomUUID()}@example.com` })
    const newAccount = async (userId: string, tokens = {}) => {
      const key = { provider: 'github', providerAccountId: crypto.randomUUID() }
      await open().linkAccount({ userId, type: 'oauth', ...key, access_token: 'a1', refresh_token: 'r1', ...tokens })
      return key
    }

    test('listAccounts gives the accounts of this user alone', async () => {
      const [ada, eva] = [await newUser(), await newUser()]
      const keys = [await newAccount(ada.id), await newAccount(ada.id)]
      await newAccount(eva.id)
      const accounts = await open().listAccounts(ada.id)
      expect(accounts.map(({ providerAccountId }) => providerAccountId).sort()).toEqual(keys.map((key) => key.providerAccountId).sort())
      for (const account of accounts) expect(account).toMatchObject({ userId: ada.id, access_token: 'a1', refresh_token: 'r1' })
      for (const nobody of ['', crypto.randomUUID(), undefined as never, null as never])
        expect(await open().listAccounts(nobody)).toEqual([])
    })

    test('updateAccount changes what is given, and clears what is null', async () => {
      const user = await newUser()
      const key = await newAccount(user.id, { scope: 'read', expires_at: 5, id_token: 'i1' })
      const other = await newAccount(user.id)
      const changed = await open().updateAccount({ ...key, access_token: 'a2', scope: undefined, id_token: null, unknown: 1 } as never)
      expect(changed).toEqual({
        userId: user.id,
        type: 'oauth',
        ...key,
        access_token: 'a2',
        refresh_token: 'r1',
        scope: 'read',
        expires_at: 5,
      })
      expect(await open().getAccount(key.providerAccountId, key.provider)).toEqual(changed)
      expect(await open().getAccount(other.providerAccountId, other.provider)).toMatchObject({ access_token: 'a1' })
      expect(await open().updateAccount(key)).toEqual(changed)
      expect(await open().updateAccount({ ...key, userId: user.id, scope: 'write' })).toMatchObject({ scope: 'write' })
      expect(await open().updateAccount({ provider: 'github', providerAccountId: 'nobody', scope: 'x' })).toBeNull()
    })

    test('updateAccount never changes the owner', async () => {
      const [ada, eva] = [await newUser(), await newUser()]
      const key = await newAccount(ada.id)
      for (const changes of [{ userId: eva.id, scope: 'x' }, { userId: eva.id }, { userId: 'nobody', access_token: 'x' }])
        await expect(open().updateAccount({ ...key, ...changes })).rejects.toMatchObject({ operation: 'updateAccount', kind: 'invalid' })
      expect(await open().getAccount(key.providerAccountId, key.provider)).toEqual({
        ...{ userId: ada.id, type: 'oauth', ...key },
        ...{ access_token: 'a1', refresh_token: 'r1' },
      })
    })

    test('updateAccount with unlessChanged changes a row only if its tokens are the same', async () => {
      const user = await newUser()
      const key = await newAccount(user.id)
      const before = await open().getAccount(key.providerAccountId, key.provider)
      const renew = (n: number) =>
        open().updateAccount({ ...key, access_token: `a${n}`, refresh_token: `r${n}` }, { unlessChanged: before as never })
      const results = await Promise.all(Array.from({ length: 10 }, (_, index) => renew(index + 2)))
      const winners = results.filter((each) => each !== null)
      expect(winners).toHaveLength(1)
      expect(await open().getAccount(key.providerAccountId, key.provider)).toEqual(winners[0])
      expect(await renew(99)).toBeNull()
      // A token that is absent counts, too.
      const fresh = winners[0] as object
      expect(await open().updateAccount({ ...key, scope: 'x' }, { unlessChanged: { ...fresh, id_token: 'i' } })).toBeNull()
      expect(await open().updateAccount({ ...key, scope: 'x' }, { unlessChanged: fresh })).toMatchObject({ scope: 'x' })
      expect(await open().updateAccount({ ...key, scope: 'x' }, { unlessChanged: fresh })).toMatchObject({ scope: 'x' })
      expect(await open().updateAccount(key, { unlessChanged: fresh })).toMatchObject({ scope: 'x' })
    })

    const newSession = async (userId: string, expires = inDays(1)) => {
      const sessionToken = crypto.randomUUID()
      await open().createSession({ sessionToken, userId, expires })
      return sessionToken
    }

    test('listSessions gives unexpired sessions, latest expiry first, without tokens', async () => {
      const [ada, eva] = [await newUser(), await newUser()]
      const tokens = [await newSession(ada.id, inDays(1)), await newSession(ada.id, inDays(3)), await newSession(ada.id, inDays(2))]
      await newSession(ada.id, inDays(-1))
      await newSession(eva.id)
      const listed = await open().listSessions(ada.id, { current: tokens[2] })
      expect(listed.map(({ expires }) => expires)).toEqual([inDays(3), inDays(2), inDays(1)])
      expect(listed.map(({ current }) => current)).toEqual([false, true, false])
      expect((await open().listSessions(ada.id, { limit: 2 })).map(({ expires }) => expires)).toEqual([inDays(3), inDays(2)])
      for (const limit of [0, -1, 1.5, Number.NaN])
        await expect(open().listSessions(ada.id, { limit }), `limit ${limit}`).rejects.toMatchObject({ kind: 'invalid' })
      for (const session of listed) expect(Object.keys(session).sort()).toEqual(['current', 'expires', 'id'])
      for (const token of tokens) expect(JSON.stringify(listed)).not.toContain(token)
      for (const { id } of listed) expect(await open().getSessionAndUser(id)).toBeNull()
      expect((await open().listSessions(ada.id)).every(({ current }) => !current)).toBe(true)
      expect((await open().listSessions(ada.id, { current: listed[0]?.id })).every(({ current }) => !current)).toBe(true)
      for (const nobody of ['', crypto.randomUUID(), undefined as never]) expect(await open().listSessions(nobody)).toEqual([])
    })

    test('revokeSession deletes one session of that user', async () => {
      const [ada, eva] = [await newUser(), await newUser()]
      const [first, second] = [await newSession(ada.id, inDays(1)), await newSession(ada.id, inDays(2))]
      const [latest] = await open().listSessions(ada.id)
      const id = latest?.id as string
      for (const wrong of ['', crypto.randomUUID(), first, undefined as never])
        expect(await open().revokeSession(ada.id, wrong)).toBe(false)
      expect(await open().revokeSession(eva.id, id)).toBe(false)
      expect(await open().getSessionAndUser(second)).not.toBeNull()
      expect(await open().revokeSession(ada.id, id)).toBe(true)
      expect(await open().revokeSession(ada.id, id)).toBe(false)
      expect(await open().getSessionAndUser(second)).toBeNull()
      expect(await open().getSessionAndUser(first)).not.toBeNull()
    })

    test('revokeSessions deletes the sessions of that user, but for one', async () => {
      const [ada, eva] = [await newUser(), await newUser()]
      const tokens = [await newSession(ada.id), await newSession(ada.id), await newSession(ada.id, inDays(-1))]
      const theirs = await newSession(eva.id)
      expect(await open().revokeSessions(ada.id, { except: tokens[0] })).toBe(2)
      expect(await open().getSessionAndUser(tokens[0] as string)).not.toBeNull()
      expect(await open().getSessionAndUser(tokens[1] as string)).toBeNull()
      expect(await open().revokeSessions(ada.id, { except: 'unknown' })).toBe(1)
      expect(await open().revokeSessions(ada.id)).toBe(0)
      expect(await open().revokeSessions('')).toBe(0)
      expect(await open().getSessionAndUser(theirs)).not.toBeNull()
    })

    test('a sign-in that crosses revokeSessions is revoked, or stays whole', async () => {
      const user = await newUser()
      const tokens = await Promise.all(Array.from({ length: 10 }, () => newSession(user.id)))
      const [count, ...crossing] = await Promise.all([
        open().revokeSessions(user.id),
        ...Array.from({ length: 10 }, () => newSession(user.id)),
      ])
      const left = await open().listSessions(user.id)
      expect(count as number).toBeGreaterThanOrEqual(tokens.length)
      expect(left).toHaveLength(tokens.length + crossing.length - (count as number))
      for (const token of tokens) expect(await open().getSessionAndUser(token)).toBeNull()
      expect(await open().revokeSessions(user.id)).toBe(left.length)
    })
  })
})
