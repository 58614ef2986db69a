import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth'
import { symmetricEncrypt } from 'better-auth/crypto'
import { emailOTP, magicLink, oneTimeToken, phoneNumber, twoFactor } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { examine } from 'drizzle-auth-kit'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from '../../../../test/auth/better-auth/store.js'
import { newKey } from '../../../../test/integration/secrets/modes.js'

const secret = 'a secret of thirty-two characters'
const password = 'correct horse battery staple'
const email = 'ada@example.com'
const send = async () => {}

/** The options of an app that sends links and codes. */
const optionsWith = (stored: 'plain' | 'hashed', storeToken: 'plain' | 'hashed', storeIdentifier: 'plain' | 'hashed') =>
  ({
    secret,
    baseURL: 'http://localhost',
    logger: { disabled: true },
    emailAndPassword: { enabled: true, sendResetPassword: send },
    verification: { storeIdentifier },
    plugins: [
      emailOTP({ sendVerificationOTP: send, storeOTP: stored }),
      magicLink({ sendMagicLink: send, storeToken }),
      oneTimeToken({ storeToken }),
      phoneNumber({ sendOTP: send }),
      twoFactor({ otpOptions: { sendOTP: send, storeOTP: stored } }),
    ],
  }) satisfies BetterAuthOptions

describe.each(inject('dialects'))('the doctor on the rows of Better Auth on %s', (dialect) => {
  async function open(options: BetterAuthOptions) {
    const store = await openStore(dialect)
    onTestFinished(store.close)
    await store.migrate(options)
    const schema = await store.schemaFor(options)
    const plainSecrets = async () =>
      (await examine(store.db, schema))
        .filter(({ code }) => code === 'plain-secrets')
        .map(({ severity, table, column, message, fix }) => `${severity} ${table}.${column} ${message.split(': ')[1]} ${fix}`)
    return { ...store, schema, plainSecrets }
  }

  const links = "Set verification.storeIdentifier to 'hashed' in the options of Better Auth."
  const codes = "Set storeOTP to 'hashed' in the options of the plugin that sends them. The plugin phoneNumber has no such option."

  test.each([
    ['plain', 'plain', 'plain', [`warning verification.identifier 3 rows ${links}`, `warning verification.value 3 rows ${codes}`]],
    ['hashed', 'hashed', 'plain', [`warning verification.identifier 1 row ${links}`, `warning verification.value 1 row ${codes}`]],
    ['hashed', 'plain', 'hashed', [`warning verification.value 1 row ${codes}`]],
  ] as const)('counts links and codes that are stored with codes %s, tokens %s and identifiers %s', async (...row) => {
    const [codesAre, tokensAre, identifiersAre, expected] = row
    const options = optionsWith(codesAre, tokensAre, identifiersAre)
    const { db, schema, plainSecrets } = await open(options)
    const { api } = betterAuth({ ...options, database: drizzleAdapter(db, { schema }) })
    const { headers } = await api.signUpEmail({ body: { name: 'Ada', email, password }, returnHeaders: true })
    const cookie = headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const signedIn = { headers: new Headers({ cookie }) }
    await api.requestPasswordReset({ body: { email } })
    await api.signInMagicLink({ body: { email }, headers: new Headers() })
    await api.generateOneTimeToken(signedIn)
    await api.sendVerificationOTP({ body: { email, type: 'sign-in' } })
    await api.sendPhoneNumberOTP({ body: { phoneNumber: '+15550100' } })
    await api.enableTwoFactor({ body: { password }, ...signedIn })
    await api.sendTwoFactorOTP(signedIn)
    expect(await plainSecrets()).toEqual(expected)
  })

  test('tells tokens that this package or Better Auth has encrypted from plain ones', async () => {
    const { db, schema, plainSecrets } = await open({})
    const adapter = drizzleAdapter(db, { schema })({})
    const dates = { createdAt: new Date(), updatedAt: new Date() }
    const { id: userId } = await adapter.create({ model: 'user', data: { name: 'Ada', email, emailVerified: true, ...dates } })
    const store = (accountId: string, tokens: object) =>
      adapter.create({ model: 'account', data: { userId, providerId: 'github', accountId, ...tokens, ...dates } })
    const { encryptAccount } = secretsAtRest({ accountTokens: { keys: [newKey] } })
    const short = { accessToken: 'a', refreshToken: 'b', idToken: '' }
    const { accessToken, refreshToken, idToken } = await encryptAccount({ providerId: 'github', accountId: '1', ...short })
    const bare = await symmetricEncrypt({ key: secret, data: 'a' })
    const versioned = await symmetricEncrypt({ key: { keys: new Map([[12, secret]]), currentVersion: 12 }, data: 'a' })
    await store('1', { accessToken, refreshToken, idToken })
    await store('2', { accessToken: bare, refreshToken: versioned })
    await store('3', { accessToken: '' })
    expect(await plainSecrets()).toEqual([])

    const hex = 'c0ffee'.repeat(20)
    // Old tokens of GitHub have 40 digits.
    const plain = [
      hex.slice(0, 40),
      hex.slice(0, 80),
      hex.slice(0, 83),
      hex.toUpperCase(),
      'e1.plain',
      'e1.plain.token',
      '$ba$plain',
      '$ba$1$c0ffee',
    ]
    for (const [index, token] of plain.entries()) await store(`plain ${index}`, { accessToken: token })
    // Better Auth does not encrypt these.
    await store('id', { idToken: bare })
    const fix =
      'Pass secrets to drizzleAdapter, also if you use account.encryptOAuthTokens, which it replaces: https://github.com/OWNER/drizzle-auth-adapter/blob/main/docs/secrets.md#with-better-auth'
    const name = (column: string) => `warning account.${column}`
    expect(await plainSecrets()).toEqual([`${name('access_token')} ${plain.length} rows ${fix}`, `${name('id_token')} 1 row ${fix}`])
  })
})
