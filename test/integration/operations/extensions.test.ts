import type { Adapter } from 'drizzle-auth-adapter'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { Store } from '../secrets/stores.js'
import { openStore } from '../secrets/stores.js'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000)

describe.each(inject('dialects'))('operations beyond the contract, on %s', (dialect) => {
  let store: Store
  let adapter: Adapter
  beforeAll(async () => {
    store = await openStore(dialect)
    adapter = store.adapter() as unknown as Adapter
  })
  afterAll(() => store.close())

  const newUser = () => adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })

  test('updateAccount with unlessChanged compares absent tokens, too', async () => {
    const user = await newUser()
    const key = { provider: 'github', providerAccountId: crypto.randomUUID() }
    await adapter.linkAccount({ userId: user.id, type: 'oauth', ...key, access_token: 'a1' })
    const update = (unlessChanged: object) => adapter.updateAccount({ ...key, scope: 'x' }, { unlessChanged })
    expect(await update({ access_token: 'a1', id_token: 'i1' })).toBeNull()
    expect(await update({})).toBeNull()
    expect(await update({ access_token: 'a1' })).toMatchObject({ scope: 'x' })
    // MySQL does not count a row that has these values already.
    expect(await update({ access_token: 'a1' })).toMatchObject({ scope: 'x' })
    expect(await adapter.updateAccount(key, { unlessChanged: { access_token: 'a1' } })).toMatchObject({ scope: 'x' })
    expect(await adapter.updateAccount(key, { unlessChanged: { access_token: 'a2' } })).toBeNull()
  })

  test('listSessions has a limit, which must be a whole number', async () => {
    const { id: userId } = await newUser()
    for (const days of [1, 3, 2]) await adapter.createSession({ sessionToken: crypto.randomUUID(), userId, expires: inDays(days) })
    const [latest, second] = await adapter.listSessions(userId)
    expect(await adapter.listSessions(userId, { limit: 2 })).toEqual([latest, second])
    for (const limit of [0, -1, 1.5, Number.NaN])
      await expect(adapter.listSessions(userId, { limit }), `limit ${limit}`).rejects.toMatchObject({ kind: 'invalid' })
  })
})
