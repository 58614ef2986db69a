import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../models.js'
import type { Needed, Needs, Topic } from './case.js'
import { casesAbout } from './case.js'
import type { ExpectRow } from './expect.js'
import {
  expectAccount,
  expectAuthenticator,
  expectEqual,
  expectList,
  expectNull,
  expectSessionAndUser,
  expectToken,
  expectUser,
  fail,
} from './expect.js'
import { accountKey, daysFromNow, makeAccount, makeAuthenticator, makeSession, makeToken, makeTokens, makeUser, tokenKey } from './rows.js'
import { show } from './show.js'
import type { Subject } from './subject.js'

type Pair<Row> = [first: Row, second: Row, ...others: Row[]]

/** A user with two or more rows of every other kind. */
export interface Person {
  user: AdapterUser
  accounts: Pair<AdapterAccount>
  sessions: Pair<AdapterSession>
  authenticators: Pair<AdapterAuthenticator>
  tokens: Pair<VerificationToken>
}

/** Values for Ada's user, and for the first of her other rows. */
export interface FirstRows {
  user?: Partial<AdapterUser>
  account?: Partial<AdapterAccount>
  session?: Partial<AdapterSession>
  authenticator?: Partial<AdapterAuthenticator>
  token?: Partial<VerificationToken>
}

/** Two users, Ada and Bob, whose rows share as many values as possible. `verify` expects these objects: change them as a write should. */
export interface Fixture {
  ada: Person
  bob: Person
  /** Makes `verify` expect that these rows are deleted. */
  remove(...rows: object[]): void
  /** Makes `verify` expect that a user is deleted. The user's verification tokens are ignored: the contract does not mention them. */
  removePerson(person: Person): void
  /** Expects every lookup to return every row of both users. This uses up their verification tokens. */
  verify(when: string): Promise<void>
}

/** Returns a function that defines cases of one topic with a fixture. The fixture is verified after each case, so that changes of unrelated rows are noticed. */
export function fixtureCasesAbout(topic: Topic) {
  const topicCase = casesAbout(topic)
  return <const N extends Needs>(name: string, needs: N, run: (adapter: Subject<Needed<N>>, fixture: Fixture) => Promise<void>) =>
    topicCase(name, needs, async (adapter) => {
      const fixture = await createFixture(adapter)
      await run(adapter, fixture)
      await fixture.verify('afterwards')
    })
}

/** The id of a user that `createUser` returned. */
export function idOf(created: unknown): string {
  const id: unknown = typeof created === 'object' && created !== null ? Reflect.get(created, 'id') : undefined
  if (typeof id !== 'string' || id === '') fail(`createUser: expected a user with an id, got ${show(created)}`)
  return id
}

/** Creates a user, with the id that the adapter returned. Without `createUser`, the user has an unknown id. */
export async function createUser(adapter: Subject, fields: Partial<AdapterUser> = {}): Promise<AdapterUser> {
  const user = makeUser(fields)
  return adapter.createUser ? { ...user, id: idOf(await adapter.createUser(user)) } : user
}

/** Makes the rows of a user without storing them. */
export function makePerson(user: AdapterUser, first: FirstRows = {}): Person {
  const { id, email } = user
  const account = makeAccount(id, { ...makeTokens(), ...first.account })
  const { provider, providerAccountId } = account
  const second: Partial<AdapterAccount> = first.account?.provider ? { provider: 'google', type: 'email' } : { provider, type: 'webauthn' }
  return {
    user,
    accounts: [account, makeAccount(id, { ...makeTokens(), ...second })],
    sessions: [makeSession(id, first.session), makeSession(id)],
    authenticators: [
      makeAuthenticator(id, { providerAccountId, ...first.authenticator }),
      makeAuthenticator(id, { providerAccountId, counter: 7 }),
    ],
    tokens: [makeToken({ identifier: email, ...first.token }), makeToken({ identifier: email })],
  }
}

/** Stores the rows of a person whose user exists, as far as the adapter has the operations. */
export async function storePerson(adapter: Subject, { accounts, sessions, authenticators, tokens }: Person): Promise<void> {
  for (const account of accounts) await adapter.linkAccount?.(account)
  for (const session of sessions) await adapter.createSession?.(session)
  for (const authenticator of authenticators) await adapter.createAuthenticator?.(authenticator)
  for (const token of tokens) await adapter.createVerificationToken?.(token)
}

/** Stores Ada and Bob. A `reader` other than the adapter verifies them. */
export async function createFixture(adapter: Subject, first: FirstRows = {}, reader = adapter): Promise<Fixture> {
  const ada = makePerson(await createUser(adapter, { emailVerified: daysFromNow(-1), ...first.user }), first)
  const { name = null, image = null } = ada.user
  const bob = makePerson(await createUser(adapter, { name, image }), {
    account: { type: 'oidc', provider: 'gitlab', providerAccountId: ada.accounts[0].providerAccountId },
    session: { expires: ada.sessions[0].expires },
    authenticator: { providerAccountId: ada.authenticators[0].providerAccountId, credentialBackedUp: false },
    token: { token: ada.tokens[0].token },
  })
  for (const person of [ada, bob]) await storePerson(adapter, person)
  const gone = new Set<object>()
  const ignored = new Set<object>()
  const { createVerificationToken, useVerificationToken } = reader

  return {
    ada,
    bob,
    remove(...rows) {
      for (const row of rows) gone.add(row)
    },
    removePerson({ user, accounts, sessions, authenticators, tokens }) {
      for (const row of [user, ...accounts, ...sessions, ...authenticators]) gone.add(row)
      for (const token of tokens) ignored.add(token)
    },
    async verify(when) {
      for (const person of [ada, bob]) await verifyPerson(reader, person, when, gone)
      if (!createVerificationToken || !useVerificationToken) return
      for (const token of [...ada.tokens, ...bob.tokens]) {
        if (ignored.has(token)) continue
        const used = await useVerificationToken(tokenKey(token))
        if (gone.has(token)) expectNull(used, `useVerificationToken ${when}`)
        else expectToken(used, token, `useVerificationToken ${when}`)
        gone.add(token)
      }
    },
  }
}

interface Lookup {
  operation: string
  look(): Promise<unknown>
  expect(found: unknown, what: string): void
}

/** The rows of a user that lookups find without changing them. */
type LookupRows = { [Name in 'accounts' | 'sessions' | 'authenticators']: readonly Person[Name][number][] } & { user: AdapterUser }

/** Every lookup of these rows that the adapter has. Rows that are gone must not be found. */
export function lookupsOf(adapter: Subject, rows: LookupRows, gone: ReadonlySet<object> = new Set()): Lookup[] {
  const lookups: Lookup[] = []
  const add = <Row>(
    operation: string,
    look: (() => Promise<unknown>) | undefined,
    row: Row,
    expectRow: ExpectRow<Row>,
    parts: object[],
  ) => {
    const isGone = parts.some((part) => gone.has(part))
    const expect = (found: unknown, what: string) => (isGone ? expectNull(found, what) : expectRow(found, row, what))
    if (look) lookups.push({ operation, look, expect })
  }
  const { user, accounts, sessions, authenticators } = rows
  const { getUser, getUserByEmail, getUserByAccount, getAccount, getSessionAndUser, getAuthenticator, listAuthenticatorsByUserId } = adapter
  const { createUser, linkAccount, createSession, createAuthenticator } = adapter
  if (createUser) {
    add('getUser', getUser && (() => getUser(user.id)), user, expectUser, [user])
    add('getUserByEmail', getUserByEmail && (() => getUserByEmail(user.email)), user, expectUser, [user])
  }
  for (const account of linkAccount ? accounts : []) {
    const { provider, providerAccountId } = account
    add('getAccount', getAccount && (() => getAccount(providerAccountId, provider)), account, expectAccount, [account])
    if (createUser)
      add('getUserByAccount', getUserByAccount && (() => getUserByAccount(accountKey(account))), user, expectUser, [account, user])
  }
  for (const session of createUser && createSession ? sessions : []) {
    const look = getSessionAndUser && (() => getSessionAndUser(session.sessionToken))
    add('getSessionAndUser', look, { session, user }, expectSessionAndUser, [session, user])
  }
  if (!createAuthenticator) return lookups
  for (const authenticator of authenticators) {
    const look = getAuthenticator && (() => getAuthenticator(authenticator.credentialID))
    add('getAuthenticator', look, authenticator, expectAuthenticator, [authenticator])
  }
  const remaining = authenticators.filter((each) => !gone.has(each))
  const list = listAuthenticatorsByUserId && (() => listAuthenticatorsByUserId(user.id))
  add('listAuthenticatorsByUserId', list, remaining, expectAuthenticators, [])
  return lookups
}

/** Expects every lookup to find these rows, and not to find those that are gone. */
export async function verifyPerson(adapter: Subject, rows: LookupRows, when: string, gone?: ReadonlySet<object>): Promise<void> {
  // Concurrently, to save round trips.
  await Promise.all(lookupsOf(adapter, rows, gone).map(async ({ operation, look, expect }) => expect(await look(), `${operation} ${when}`)))
}

/** Expects `getUser` and `getUserByEmail` to find the user. */
export async function verifyUser(adapter: Subject, user: AdapterUser, when: string): Promise<void> {
  const { createUser, getUser, getUserByEmail } = adapter
  const lookups = { ...(createUser && { createUser }), ...(getUser && { getUser }), ...(getUserByEmail && { getUserByEmail }) }
  await verifyPerson(lookups, { user, accounts: [], sessions: [], authenticators: [] }, when)
}

/** Expects a list of these authenticators, in any order. */
export const expectAuthenticators: ExpectRow<readonly AdapterAuthenticator[]> = (actual, expected, what) => {
  const listed = expectList(actual, what)
  expectEqual(listed.length, expected.length, `${what}, number of authenticators`)
  for (const authenticator of expected) {
    const found = listed.find((each) => Reflect.get(Object(each), 'credentialID') === authenticator.credentialID)
    expectAuthenticator(found, authenticator, what)
  }
}
