import type { Needs } from './case.js'
import { casesAbout } from './case.js'
import { fail, isAccount, isNothing, isSessionAndUser, isUser, settled, successes } from './expect.js'
import { inDays, someAccount, someTokens, uniqueNumber } from './fixtures.js'
import { show } from './show.js'
import { expectAuthenticator } from './views.js'
import { furnish, newUser } from './world.js'
import type { Write } from './writes.js'
import { expectWrite, writes } from './writes.js'

const contractCase = casesAbout('wrong types')

/** A value that is not of the contract's type, and what it may be stored as: nothing where it must be refused. */
type WrongValue = readonly [value: unknown, meaning?: unknown]

const noNumbers = (): readonly WrongValue[] => [
  ['3600', 3600],
  [3600n, 3600],
  ...['', ' ', '0x10', '1e3', '1.5', '3600s', 'NaN', '2030-01-01', 1.5, Number.NaN, Infinity, true, {}, [3600], new Date()].map(
    (value): WrongValue => [value],
  ),
]

const noBooleans = (): readonly WrongValue[] => [
  [0, false],
  [1, true],
  ...['false', 'true', '', 'no', 2, {}, []].map((value): WrongValue => [value]),
]

const date = inDays(9)
const noDates = (): readonly WrongValue[] => [
  [date.toISOString(), date],
  [date.getTime(), date],
  ...[new Date(Number.NaN), 'tomorrow', '', Number.NaN, true, {}, []].map((value): WrongValue => [value]),
]

const noTexts = (): readonly WrongValue[] => {
  const number = uniqueNumber()
  const others = [{}, { toString: () => 'x' }, ['a', 'b'], [], () => 'x', Symbol('x'), true, false, Number.NaN, new Date()]
  return [[number, String(number)], ...others.map((value): WrongValue => [value])]
}

/** Fields that are left out of a row where there is no value: `null` is none. */
const isOptional = (field: string) => field === 'transports' || field in someTokens()
const absent: WrongValue = [null, undefined]

const needsOf = ({ operation }: Write): Needs => (operation === 'updateUser' ? ['createUser', operation] : [operation])

/** The operation stores a value as what it means, or refuses it. */
const takesNo = (write: Write, fields: readonly string[], type: string, values: () => readonly WrongValue[]) =>
  contractCase(`${write.operation} takes nothing for ${type} that is none`, needsOf(write), async (adapter) => {
    for (const field of fields) {
      for (const [value, ...meanings] of [...values(), ...(isOptional(field) ? [absent] : [])])
        await expectWrite(adapter, write, { [field]: value }, { stored: meanings.map((meaning) => ({ [field]: meaning })), refused: true })
    }
  })

/** The operation refuses a row that lacks a field which the contract requires. */
const requires = (write: Write, fields: readonly string[]) =>
  contractCase(`${write.operation} refuses a row without ${fields.join(', ')}`, needsOf(write), async (adapter) => {
    for (const field of fields) {
      for (const value of [undefined, null]) await expectWrite(adapter, write, { [field]: value }, { stored: [], refused: true })
    }
  })

const { createUser, updateUser, linkAccount, createSession, createVerificationToken, createAuthenticator } = writes

export const typeCases = [
  takesNo(createUser, ['email', 'name', 'image'], 'text', noTexts),
  takesNo(updateUser, ['email', 'name', 'image'], 'text', noTexts),
  takesNo(linkAccount, [...linkAccount.keys, ...linkAccount.texts, 'token_type', 'type'], 'text', noTexts),
  takesNo(createSession, ['sessionToken'], 'text', noTexts),
  takesNo(createVerificationToken, ['identifier', 'token'], 'text', noTexts),
  takesNo(createAuthenticator, [...createAuthenticator.keys, ...createAuthenticator.texts, 'credentialDeviceType'], 'text', noTexts),

  takesNo(linkAccount, ['expires_at', 'expires_in'], 'a number', noNumbers),
  takesNo(createAuthenticator, ['counter'], 'a number', noNumbers),
  takesNo(createAuthenticator, ['credentialBackedUp'], 'a boolean', noBooleans),

  takesNo(createUser, ['emailVerified'], 'a date', noDates),
  takesNo(updateUser, ['emailVerified'], 'a date', noDates),
  takesNo(createSession, ['expires'], 'a date', noDates),
  takesNo(createVerificationToken, ['expires'], 'a date', noDates),

  requires(linkAccount, ['userId', 'type', 'provider', 'providerAccountId']),
  requires(createSession, ['sessionToken', 'userId', 'expires']),
  requires(createVerificationToken, ['identifier', 'token', 'expires']),
  requires(createAuthenticator, [
    ...['credentialID', 'userId', 'providerAccountId', 'credentialPublicKey'],
    ...['counter', 'credentialDeviceType', 'credentialBackedUp'],
  ]),

  // Built-in providers of the library give numbers. Who signed up with one must be found by it again.
  contractCase('an account id that is a whole number means its text, or is refused', ['linkAccount'], async (adapter) => {
    const user = await newUser(adapter)
    const number = uniqueNumber()
    for (const value of [number, BigInt(number) + 1n, -number]) {
      const stored = someAccount(user.id, { ...someTokens(), providerAccountId: String(value) })
      const given = { ...stored, providerAccountId: value as unknown as string }
      const linked = await settled(adapter.linkAccount(given))
      const what = `of the account id ${show(value)}, a ${typeof value}`
      for (const providerAccountId of [given.providerAccountId, stored.providerAccountId]) {
        const key = { provider: stored.provider, providerAccountId }
        if ('value' in linked) {
          if (adapter.getUserByAccount && adapter.createUser)
            isUser(await adapter.getUserByAccount(key), user, `getUserByAccount ${what}, after linkAccount`)
          if (adapter.getAccount)
            isAccount(await adapter.getAccount(providerAccountId, key.provider), stored, `getAccount ${what}, after linkAccount`)
        } else {
          const lookups = await successes<unknown>(
            [adapter.getUserByAccount?.(key), adapter.getAccount?.(providerAccountId, key.provider)].filter((each) => each !== undefined),
          )
          for (const found of lookups) isNothing(found, `getUserByAccount or getAccount ${what}, after linkAccount refused it`)
        }
      }
      if ('value' in linked && linked.value) isAccount(linked.value, stored, `linkAccount ${what}`)
    }
  }),

  contractCase('updateSession takes nothing for a date that is none', ['createSession', 'updateSession'], async (adapter) => {
    for (const [value, ...meanings] of [...noDates(), [null]]) {
      const { user, session } = await furnish(adapter)
      const { sessionToken } = session
      const what = `updateSession with expires: ${show(value)}`
      const result = await settled(adapter.updateSession({ sessionToken, expires: value as Date }))
      // To leave the expiry alone for null is as good as to refuse it.
      if ('value' in result && meanings.length === 0 && value !== null) fail(`${what}: expected an error, got ${show(result.value)}`)
      const [expires = session.expires] = 'value' in result ? (meanings as Date[]) : []
      if (adapter.getSessionAndUser && adapter.createUser)
        isSessionAndUser(await adapter.getSessionAndUser(sessionToken), { ...session, expires }, user, `getSessionAndUser after ${what}`)
    }
  }),

  contractCase(
    'updateAuthenticatorCounter takes nothing for a number that is none',
    ['createAuthenticator', 'updateAuthenticatorCounter'],
    async (adapter) => {
      for (const [value, ...meanings] of [...noNumbers(), [null], [undefined]]) {
        const { authenticator } = await furnish(adapter)
        const what = `updateAuthenticatorCounter to ${show(value)}`
        const result = await settled(adapter.updateAuthenticatorCounter(authenticator.credentialID, value as number))
        // To leave the counter alone where none is given is as good as to refuse it.
        if ('value' in result && meanings.length === 0 && value != null) fail(`${what}: expected an error, got ${show(result.value)}`)
        const [counter = authenticator.counter] = 'value' in result ? (meanings as number[]) : []
        await expectAuthenticator(adapter, { ...authenticator, counter }, `after ${what}`)
      }
    },
  ),
]
