import type { AdapterUser } from '../models.js'
import { tokenFields } from '../models.js'
import { casesAbout } from './case.js'
import { settled } from './expect.js'
import { someAccount, someAuthenticator, someSession, someTexts, someToken, someUser, unique } from './fixtures.js'
import { call, keyedOperations, keyOf, replacedIn } from './keys.js'
import { expectNoLeak } from './leaks.js'
import type { OperationName, Subject } from './subject.js'
import { furnish, keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('errors')

type Row = Record<string, unknown>

/** A call that is likely to fail, and in which way. */
type Attempt = readonly [way: string, row: Row]

const badText = 'a\ud800b'
const badDate = new Date(Number.NaN)

/** The values that a call may have sent, and those of rows that are there already. */
interface Secrets {
  sent: string[]
  stored: string[]
}

/** Whichever of the calls fail: their errors hold none of these values, nor a recognisable part. */
async function expectSilence(adapter: Subject, operation: OperationName, attempts: Attempt[], secrets: Secrets): Promise<void> {
  for (const [way, row] of attempts) {
    const result = await settled(call(adapter, operation, [row]))
    if ('thrown' in result) expectNoValues(result.thrown, secrets, `${operation}, ${way}`)
  }
}

function expectNoValues(error: unknown, { sent, stored }: Secrets, what: string): void {
  expectNoLeak(error, sent, what)
  expectNoLeak(error, stored, what, 'an error', 'the values that are stored')
}

/** What is stored of a user beside its id. */
const valuesOf = ({ email, name, image }: AdapterUser) => [email, name as string, image as string]

const someone = (adapter: Subject) => newUser(adapter, { name: unique('name'), image: unique('image') })

/** Ways in which every write can fail: a value of each field that does not fit. */
const misfits = (row: object, values: Row): Attempt[] =>
  Object.entries(values).map(([name, value]) => [`with a bad ${name}`, { ...row, [name]: value }])

export const errorCases = [
  contractCase('the errors of createUser hold no address, name or image', ['createUser'], async (adapter) => {
    const taken = await someone(adapter)
    const user = someUser({ name: unique('name'), image: unique('image') })
    const attempts: Attempt[] = [
      ['with a taken address', { ...user, email: taken.email }],
      ['with a taken id', { ...user, id: taken.id }],
      ...misfits(user, { emailVerified: badDate, name: badText, image: { a: user.name }, email: `${user.email}${'x'.repeat(5_000)}` }),
    ]
    await expectSilence(adapter, 'createUser', attempts, { sent: [taken.email, ...valuesOf(user)], stored: valuesOf(taken) })
  }),

  contractCase('the errors of updateUser hold no address, name or image', ['createUser', 'updateUser'], async (adapter) => {
    const [taken, user] = [await someone(adapter), await someone(adapter)]
    const change = { id: user.id, email: someUser().email, name: unique('name'), image: unique('image') }
    const attempts: Attempt[] = [
      ['with a taken address', { ...change, email: taken.email }],
      ['of an unknown user', { ...change, id: crypto.randomUUID() }],
      ...misfits(change, {
        emailVerified: badDate,
        name: badText,
        image: { a: change.name },
        email: `${change.email}${'x'.repeat(5_000)}`,
      }),
    ]
    const sent = [taken.email, change.email, change.name, change.image]
    await expectSilence(adapter, 'updateUser', attempts, { sent, stored: [...valuesOf(taken), ...valuesOf(user)] })
  }),

  contractCase('the errors of linkAccount hold no token and no account id', ['linkAccount'], async (adapter) => {
    const [ada, bob] = [await newUser(adapter), await someone(adapter)]
    const { token_type: _, scope: __, ...secrets } = someTexts(() => unique('secret'))
    const account = { ...someAccount(ada.id, secrets) }
    const ofBob: Record<string, string> = Object.fromEntries(tokenFields.map((field) => [field, unique('secret')]))
    const taken = someAccount(bob.id, ofBob)
    await adapter.linkAccount(taken)
    const attempts: Attempt[] = [
      ['of an account of another user', { ...account, providerAccountId: taken.providerAccountId }],
      ['of an unknown user', { ...account, userId: crypto.randomUUID() }],
      ['of no user', { ...account, userId: null }],
      ...misfits(account, { expires_at: 'soon', scope: badText, provider: null, token_type: { a: account.access_token }, type: undefined }),
      ['with a long account id', { ...account, providerAccountId: `${account.providerAccountId}${'x'.repeat(5_000)}` }],
    ]
    const sent = [...Object.values(secrets), account.providerAccountId, taken.providerAccountId]
    await expectSilence(adapter, 'linkAccount', attempts, { sent, stored: [...Object.values(ofBob), ...valuesOf(bob)] })
  }),

  contractCase('the errors of createSession hold no session token', ['createSession'], async (adapter) => {
    const [ada, bob] = [await someone(adapter), await newUser(adapter)]
    const [taken, session] = [someSession(ada.id), { ...someSession(bob.id) }]
    await adapter.createSession(taken)
    const attempts: Attempt[] = [
      ['with a taken token', { ...session, sessionToken: taken.sessionToken }],
      ['of an unknown user', { ...session, userId: crypto.randomUUID() }],
      ['of no user', { ...session, userId: null }],
      ...misfits(session, { expires: badDate, sessionToken: `${session.sessionToken}${badText}` }),
      ['with a token that is none', { ...session, sessionToken: { token: session.sessionToken } }],
      ['with a long token', { ...session, sessionToken: `${session.sessionToken}${'x'.repeat(5_000)}` }],
    ]
    const sent = [session.sessionToken, taken.sessionToken]
    await expectSilence(adapter, 'createSession', attempts, { sent, stored: valuesOf(ada) })
  }),

  contractCase('the errors of updateSession hold no session token', ['createSession', 'updateSession'], async (adapter) => {
    const user = await someone(adapter)
    const session = { ...someSession(user.id) }
    await adapter.createSession({ ...session })
    const attempts: Attempt[] = [
      ...misfits(session, { expires: badDate, userId: badText }),
      ['of an unknown user', { ...session, userId: crypto.randomUUID() }],
      ['with a token that is none', { ...session, sessionToken: { token: session.sessionToken } }],
    ]
    await expectSilence(adapter, 'updateSession', attempts, { sent: [session.sessionToken], stored: valuesOf(user) })
  }),

  contractCase('the errors of createVerificationToken hold no token and no address', ['createVerificationToken'], async (adapter) => {
    const [taken, token] = [{ ...someToken() }, { ...someToken() }]
    await adapter.createVerificationToken({ ...taken })
    const attempts: Attempt[] = [
      ['with a taken token', taken],
      ...misfits(token, { expires: badDate, identifier: `${token.identifier}${badText}`, token: `${token.token}${badText}` }),
      ['with an address that is none', { ...token, identifier: null }],
      ['with a token that is none', { ...token, token: { token: token.token } }],
      ['with a long token', { ...token, token: `${token.token}${'x'.repeat(5_000)}` }],
    ]
    const sent = [taken.token, taken.identifier, token.token, token.identifier]
    await expectSilence(adapter, 'createVerificationToken', attempts, { sent, stored: [] })
  }),

  contractCase('the errors of createAuthenticator hold no credential and no key', ['createAuthenticator'], async (adapter) => {
    const [ada, bob] = [await someone(adapter), await newUser(adapter)]
    const taken = someAuthenticator(ada.id, { credentialPublicKey: unique('key') })
    const authenticator = { ...someAuthenticator(bob.id, { credentialPublicKey: unique('key') }) }
    await adapter.createAuthenticator(taken)
    const attempts: Attempt[] = [
      ['with a taken credential', { ...authenticator, credentialID: taken.credentialID }],
      ['of an unknown user', { ...authenticator, userId: crypto.randomUUID() }],
      ['of no user', { ...authenticator, userId: null }],
      ...misfits(authenticator, { counter: 'many', credentialBackedUp: 'false', transports: badText, credentialDeviceType: null }),
      ['with a long credential', { ...authenticator, credentialID: `${authenticator.credentialID}${'x'.repeat(5_000)}` }],
    ]
    const { credentialID, credentialPublicKey, providerAccountId } = authenticator
    const sent = [credentialID, credentialPublicKey, providerAccountId, taken.credentialID]
    const stored = [taken.credentialPublicKey, taken.providerAccountId, ...valuesOf(ada)]
    await expectSilence(adapter, 'createAuthenticator', attempts, { sent, stored })
  }),

  contractCase('the errors of updateAuthenticatorCounter hold no credential', ['updateAuthenticatorCounter'], async (adapter) => {
    const { user, authenticator } = await furnish(
      adapter,
      { authenticator: { credentialPublicKey: unique('key') } },
      await someone(adapter),
    )
    const stored = [authenticator.credentialPublicKey, authenticator.providerAccountId, ...valuesOf(user)]
    for (const credentialID of [authenticator.credentialID, unique('credential')]) {
      for (const parameters of [
        [credentialID, 1],
        [credentialID, 'many'],
        [{ credentialID }, 1],
        [`${credentialID}${badText}`, 1],
      ]) {
        const result = await settled(call(adapter, 'updateAuthenticatorCounter', parameters))
        if ('thrown' in result) expectNoValues(result.thrown, { sent: [credentialID], stored }, 'updateAuthenticatorCounter')
      }
    }
  }),

  contractCase('a user comes without tokens of its accounts and sessions', ['createUser'], async (adapter) => {
    const world = await furnish(adapter)
    const { user, account, session, authenticator } = world
    const { access_token, refresh_token, id_token } = account
    const secrets = [access_token, refresh_token, id_token, session.sessionToken, authenticator.credentialPublicKey] as string[]
    const bySession = await adapter.getSessionAndUser?.(session.sessionToken)
    const found = {
      getUser: await adapter.getUser?.(user.id),
      getUserByEmail: await adapter.getUserByEmail?.(user.email),
      getUserByAccount: await adapter.getUserByAccount?.(keyOfAccount(account)),
      getSessionAndUser: bySession?.user,
      updateUser: await adapter.updateUser?.({ id: user.id, name: 'Grace' }),
      deleteUser: await adapter.deleteUser?.(user.id),
    }
    for (const [operation, each] of Object.entries(found)) expectNoLeak(each, secrets, operation, 'a user')
  }),

  contractCase('the errors of lookups and deletions hold no key', [], async (adapter) => {
    const world = await furnish({})
    for (const { operation, fields, parameters } of keyedOperations) {
      // The id of a user is no secret.
      if (!(operation in adapter) || fields.includes('id') || operation === 'updateAuthenticatorCounter') continue
      const key = keyOf(world, fields)
      const secrets = fields.filter((field) => field !== 'provider').map((field) => key[field] as string)
      const ways = [
        (text: string) => `${text}${badText}`,
        (text: string) => `${text}\0`,
        (text: string) => ({ text }),
        (text: string) => [text],
        (text: string) => text.repeat(500),
      ]
      for (const way of ways) {
        for (const each of replacedIn(key, way)) {
          const result = await settled(call(adapter, operation, parameters(each)))
          if ('thrown' in result) expectNoLeak(result.thrown, secrets, operation)
        }
      }
    }
  }),
]
