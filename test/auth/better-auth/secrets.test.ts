import type { BetterAuthOptions } from '@better-auth/core'
import { betterAuth } from 'better-auth'
import { genericOAuth } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { protectSecrets, secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterAll, afterEach, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { newKey, oldKey } from '../../integration/secrets/modes.js'
import type { DialectName } from '../../support/dialects.js'
import { startProvider } from '../provider.js'
import { openBrowser } from './bridge/app.js'
import { openStore } from './store.js'

const options = { advanced: { database: { joins: true } } } satisfies BetterAuthOptions
const dates = { createdAt: new Date(), updatedAt: new Date() }
const tokens = { accessToken: 'access', refreshToken: 'refresh', idToken: 'id' }
const account = { accountId: '42', providerId: 'github', ...tokens, ...dates }
const encrypted = (...keys: (typeof newKey)[]) => secretsAtRest({ accountTokens: { keys } })
const byId = (id: unknown) => [{ field: 'id', value: id as string }]

let store: Awaited<ReturnType<typeof openStore>>
let schema: Record<string, unknown>

const quote = (dialect: DialectName, name: string) => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)

describe.each(inject('dialects'))('secrets at rest with Better Auth on %s', (dialect) => {
  beforeAll(async () => {
    store = await openStore(dialect)
    await store.migrate(options)
    schema = await store.schemaFor(options)
  })
  afterAll(() => store.close())
  afterEach(() => store.exec(`delete from ${quote(dialect, 'user')}`))

  const adapterWith = (secrets?: Secrets, others: BetterAuthOptions = options) =>
    drizzleAdapter(store.db, { schema, ...(secrets && { secrets }) })(others)

  /** What the database holds. */
  const stored = async () => {
    const text = (value: unknown) => (value instanceof Uint8Array ? String(value) : value)
    const rows = await store.run('select * from account')
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)]))) as Record<
      string,
      string
    >[]
  }

  async function createAccount(adapter: ReturnType<typeof adapterWith>, values: object = {}) {
    const id = crypto.randomUUID()
    const data = { name: 'Ada', email: `${id}@example.com`, emailVerified: true, ...dates }
    const user = await adapter.create({ model: 'user', data })
    const created = await adapter.create<Record<string, unknown>>({ model: 'account', data: { ...account, userId: user.id, ...values } })
    return { user, created }
  }

  test('encrypts the tokens of a sign-in, refreshes them, and returns them', async () => {
    const provider = await startProvider()
    onTestFinished(provider.close)
    const { authorization, token, userinfo } = provider.endpoints
    const config = {
      providerId: 'test',
      clientId: 'client',
      clientSecret: 'secret',
      authorizationUrl: authorization.url,
      tokenUrl: token.url,
      userInfoUrl: userinfo.url,
      pkce: true,
    }
    const auth = betterAuth({
      ...options,
      secret: 'a secret of thirty-two characters',
      baseURL: 'http://localhost',
      plugins: [genericOAuth({ config: [config] })],
      database: drizzleAdapter(store.db, { schema, secrets: encrypted(newKey) }),
    })
    const { send } = openBrowser(auth, 'http://localhost')
    const signIn = async () => {
      const { url } = (await (await send('/sign-in/social', { provider: 'test', callbackURL: '/' })).json()) as { url: string }
      const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '')
      return send(back.pathname.replace('/api/auth', '') + back.search)
    }
    provider.answer(
      { id: '7', sub: '7', name: 'Ada', email: 'ada@example.com', email_verified: true },
      { access_token: 'first-access', refresh_token: 'first-refresh', id_token: 'e1.first.id', expires_in: 1 },
    )
    expect((await signIn()).status).toBe(302)
    const [row] = await stored()
    expect(row).toMatchObject({ provider_id: 'test', account_id: '7' })
    for (const name of ['access_token', 'refresh_token', 'id_token']) expect(row?.[name]).toMatch(/^e1\.2026b\./)
    expect(JSON.stringify(row)).not.toContain('first')
    provider.answer({ id: '7', sub: '7', name: 'Ada', email: 'ada@example.com' }, { access_token: 'second-access', expires_in: 3600 })
    const got = await send('/get-access-token', { accountId: row?.id })
    expect(await got.json()).toMatchObject({ accessToken: 'second-access' })
    const again = await send('/refresh-token', { accountId: row?.id })
    expect(await again.json()).toMatchObject({ accessToken: 'second-access', refreshToken: 'first-refresh' })
    expect(JSON.stringify(await stored())).not.toMatch(/first-|second-/)
    expect((await signIn()).status).toBe(302)
    expect(await stored()).toHaveLength(1)
  })

  test('encrypts as for Auth.js, so that ciphertexts can move', async () => {
    const secrets = encrypted(newKey)
    const { created } = await createAccount(adapterWith(secrets))
    expect(created).toMatchObject(tokens)
    const [row] = await stored()
    const { access_token, refresh_token, id_token } = row ?? {}
    const moved = { provider: 'github', providerAccountId: '42', access_token, refresh_token, id_token }
    expect(await secrets.decryptAccount(moved)).toMatchObject({ access_token: 'access', refresh_token: 'refresh', id_token: 'id' })
    const own = { providerId: 'github', accountId: '42', accessToken: access_token, idToken: null }
    expect(await secrets.decryptAccount(own)).toEqual({ ...own, accessToken: 'access' })
    expect(await secrets.decryptAccount(await secrets.encryptAccount({ ...own, accessToken: 'new' }))).toEqual({
      ...own,
      accessToken: 'new',
    })
  })

  test('decrypts whatever is selected, joined, listed or deleted', async () => {
    const adapter = adapterWith(encrypted(newKey))
    const { created, user } = await createAccount(adapter)
    const where = byId(created.id)
    expect(await adapter.findOne({ model: 'account', where, select: ['accessToken'] })).toMatchObject({ accessToken: 'access' })
    expect(await adapter.findOne({ model: 'account', where: [{ field: 'userId', value: user.id }] })).toMatchObject(tokens)
    expect(await adapter.findMany({ model: 'account', select: ['idToken'] })).toEqual([{ idToken: 'id' }])
    expect(await adapter.findOne({ model: 'account', where, join: { user: true } })).toMatchObject({ ...tokens, user: { id: user.id } })
    const joined = { account: [tokens] }
    expect(await adapter.findOne({ model: 'user', where: byId(user.id), join: { account: true } })).toMatchObject(joined)
    expect(await adapter.findMany({ model: 'user', where: byId(user.id), join: { account: true } })).toMatchObject([joined])
    expect(await adapter.consumeOne({ model: 'account', where })).toMatchObject(tokens)
  })

  test('encrypts what users choose, whatever it looks like', async () => {
    const adapter = adapterWith(encrypted(newKey))
    const { created } = await createAccount(adapter)
    const [before] = await stored()
    for (const accessToken of [before?.access_token as string, 'e1.', 'e1.2026b.AAAA', '', '$ba$0', 'é'.repeat(500)]) {
      const updated = await adapter.update({ model: 'account', where: byId(created.id), update: { accessToken } })
      expect(updated).toMatchObject({ accessToken, refreshToken: 'refresh' })
      const [row] = await stored()
      expect(row?.access_token).toMatch(/^e1\.2026b\./)
      expect(row?.access_token).not.toBe(accessToken)
    }
    expect(await adapter.update({ model: 'account', where: byId(created.id), update: { accessToken: null } })).toMatchObject({
      accessToken: null,
    })
    expect((await stored())[0]?.access_token).toBeNull()
  })

  test('encrypts anew for another key of the account', async () => {
    const adapter = adapterWith(encrypted(newKey))
    const { created } = await createAccount(adapter)
    const update = { accountId: '43', accessToken: 'other' }
    expect(await adapter.update({ model: 'account', where: byId(created.id), update })).toMatchObject({ ...tokens, ...update })
    expect(await adapter.findOne({ model: 'account', where: byId(created.id) })).toMatchObject({ ...tokens, ...update })
    await adapter.incrementOne({ model: 'account', where: byId(created.id), increment: {}, set: { providerId: 'gitlab', idToken: 'new' } })
    expect(await adapter.findOne({ model: 'account', where: byId(created.id) })).toMatchObject({ ...tokens, ...update, idToken: 'new' })
  })

  test('starts again if the key of the account changes in between, but not for ever', async () => {
    const secrets = encrypted(newKey)
    const plain = adapterWith()
    let changes = 1
    const racing: Secrets = {
      ...secrets,
      protectAccountsOf: (caller) => (table, names) =>
        secrets.protectAccountsOf(caller)(
          {
            ...table,
            async updateOne(where, values) {
              if (changes-- > 0)
                await plain.update({
                  model: 'account',
                  where: [{ field: 'scope', value: 'raced' }],
                  update: { accountId: `new-${changes}` },
                })
              return table.updateOne(where, values)
            },
          },
          names,
        ),
    }
    const { created } = await createAccount(adapterWith(secrets), { scope: 'raced' })
    const update = () =>
      adapterWith(racing).update({ model: 'account', where: byId(created.id), update: { ...tokens, accessToken: 'raced' } })
    expect(await update()).toMatchObject({ accountId: 'new-0', accessToken: 'raced', refreshToken: 'refresh' })
    expect(await adapterWith(secrets).findOne({ model: 'account', where: byId(created.id) })).toMatchObject({
      ...tokens,
      accessToken: 'raced',
    })
    changes = 1_000
    await expect(update()).rejects.toMatchObject({ kind: 'conflict' })
  })

  test('leaves out what it cannot decrypt, and never writes it back', async () => {
    const { created, user } = await createAccount(adapterWith(encrypted(oldKey)))
    const adapter = adapterWith(encrypted(newKey))
    const [before] = await stored()
    const found = await adapter.findOne<Record<string, unknown>>({ model: 'account', where: byId(created.id) })
    expect(found).toMatchObject({ accountId: '42', userId: user.id })
    for (const name of Object.keys(tokens)) expect(found?.[name]).toBeUndefined()
    expect(await adapter.findMany({ model: 'account' })).toHaveLength(1)
    const update = { ...found, accessToken: 'fresh', accountId: '44' }
    expect(await adapter.update({ model: 'account', where: byId(created.id), update })).toMatchObject({ accessToken: 'fresh' })
    const [after] = await stored()
    expect(after).toMatchObject({ account_id: '44', refresh_token: before?.refresh_token, id_token: before?.id_token })
    expect(after?.access_token).toMatch(/^e1\.2026b\./)
  })

  test('refuses conditions, orders and updates of many that it cannot carry out', async () => {
    const adapter = adapterWith(encrypted(newKey))
    const { created } = await createAccount(adapter)
    const where = [{ field: 'accessToken', value: 'access' }]
    const either = [
      { field: 'idToken', value: 'id', connector: 'OR' as const },
      ...byId(created.id).map((each) => ({ ...each, connector: 'OR' as const })),
    ]
    const found = /the column access_token of account is encrypted by secretsAtRest, so rows cannot be found by it/
    const update = { scope: 'x' }
    for (const call of [
      () => adapter.findOne({ model: 'account', where }),
      () => adapter.findMany({ model: 'account', where }),
      () => adapter.count({ model: 'account', where }),
      () => adapter.update({ model: 'account', where, update }),
      () => adapter.updateMany({ model: 'account', where, update }),
      () => adapter.delete({ model: 'account', where }),
      () => adapter.consumeOne({ model: 'account', where }),
    ])
      await expect(call()).rejects.toThrow(found)
    await expect(adapter.deleteMany({ model: 'account', where: either })).rejects.toThrow(/id_token of account is encrypted/)
    const sortBy = { field: 'idToken', direction: 'asc' as const }
    await expect(adapter.findMany({ model: 'account', sortBy })).rejects.toThrow(/rows cannot be sorted by it/)
    for (const update of [{ accessToken: 'x' }, { providerId: 'x' }])
      await expect(adapter.updateMany({ model: 'account', where: [], update })).rejects.toThrow(/updateMany cannot change the tokens/)
    expect(await adapter.updateMany({ model: 'account', where: [], update: { scope: 'x', idToken: null } })).toBe(1)
    expect(await adapter.findOne({ model: 'account', where: byId(created.id) })).toMatchObject({ accessToken: 'access', idToken: null })
  })

  test('knows renamed tables and columns', async () => {
    const renamed: BetterAuthOptions = { ...options, account: { modelName: 'logins', fields: { accessToken: 'secretToken' } } }
    const other = await openStore(dialect)
    onTestFinished(other.close)
    await other.migrate(renamed)
    const adapter = drizzleAdapter(other.db, { schema: await other.schemaFor(renamed), secrets: encrypted(newKey) })(renamed)
    const { created } = await createAccount(adapter)
    const [row] = await other.run('select * from logins')
    expect(Object.values(row ?? {}).filter((value) => String(value).startsWith('e1.2026b.'))).toHaveLength(3)
    expect(await adapter.findOne({ model: 'account', where: byId(created.id) })).toMatchObject(tokens)
  })

  test('is turned on while the app runs, step by step', async () => {
    const modes = (['ready', 'migrating', 'encrypted'] as const).map((mode) =>
      secretsAtRest({ accountTokens: { mode, keys: [newKey, oldKey] } }),
    )
    const [ready, migrating, final] = modes as [Secrets, Secrets, Secrets]
    const first = (await createAccount(adapterWith())).created
    const second = (await createAccount(adapterWith(ready), { accountId: '43' })).created
    const third = (await createAccount(adapterWith(encrypted(oldKey)), { accountId: '44' })).created
    expect((await stored()).filter(({ access_token }) => access_token === 'access')).toHaveLength(2)
    for (const secrets of [ready, migrating])
      for (const { id } of [first, second, third])
        expect(await adapterWith(secrets).findOne({ model: 'account', where: byId(id) })).toMatchObject(tokens)
    expect(await protectSecrets(store.db as never, schema, { secrets: migrating })).toEqual({ sessions: 0, accounts: 3, finished: true })
    for (const row of await stored()) expect(row.access_token).toMatch(/^e1\.2026b\./)
    for (const { id } of [first, second, third])
      expect(await adapterWith(final).findOne({ model: 'account', where: byId(id) })).toMatchObject(tokens)
  })
})

describe('secrets of drizzleAdapter', () => {
  const create = (secrets: unknown, others: BetterAuthOptions = {}) =>
    drizzleAdapter({} as never, { schema, secrets: secrets as Secrets })(others)

  test('refuse hashed sessions, and encryption by Better Auth as well', () => {
    expect(() => create(secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys: [newKey] } }))).toThrow(
      "drizzleAdapter: sessionTokens must be 'plain', because Better Auth lists sessions with their tokens and revokes them by their tokens",
    )
    expect(() => create(encrypted(newKey), { account: { encryptOAuthTokens: true } })).toThrow(/so remove account\.encryptOAuthTokens/)
    expect(() => create({})).toThrow('drizzleAdapter: secrets must be the result of secretsAtRest')
  })
})
