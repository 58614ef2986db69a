import type { AdapterAuthenticator, AdapterUser } from '../models.js'
import type { Adapter } from '../types.js'
import type { What } from './expect.js'
import { fieldOf, isAccount, isAuthenticator, isNothing, isNull, isSessionAndUser, isToken, isUser, ok, said } from './expect.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import type { Part, World } from './world.js'
import { keyOfAccount, keyOfToken } from './world.js'

/** One way to look at a world. */
interface View {
  operation: OperationName
  /** What it shows: where one of them is gone, it must show nothing. */
  parts: readonly Part[]
  look(): Promise<unknown>
  expect(found: unknown, what: string): void
  expectNothing(found: unknown, what: string): void
}

/** Every lookup of a world that the adapter has. */
export function viewsOf(adapter: Subject, { user, account, session, authenticator, token }: World): View[] {
  const { createUser, linkAccount, createSession, createAuthenticator, createVerificationToken } = adapter
  const views: View[] = []
  const add = <Name extends OperationName>(
    operation: Name,
    parts: readonly Part[],
    isStored: unknown,
    look: (operation: Adapter[Name]) => Promise<unknown>,
    expect: View['expect'],
    expectNothing: View['expectNothing'] = isNull,
  ) => {
    const present = adapter[operation] as Adapter[Name] | undefined
    if (present && isStored) views.push({ operation, parts, look: () => look(present), expect, expectNothing })
  }
  const listed = (rows: unknown, what: string) => listedIn(rows, authenticator.credentialID, what)

  const asUser = (found: unknown, what: string) => isUser(found, user, what)
  add('getUser', ['user'], createUser, (look) => look(user.id), asUser)
  add('getUserByEmail', ['user'], createUser, (look) => look(user.email), asUser)
  add('getUserByAccount', ['account', 'user'], createUser && linkAccount, (look) => look(keyOfAccount(account)), asUser)
  add(
    'getAccount',
    ['account'],
    linkAccount,
    (look) => look(account.providerAccountId, account.provider),
    (found, what) => isAccount(found, account, what),
  )
  add(
    'getSessionAndUser',
    ['session', 'user'],
    createUser && createSession,
    (look) => look(session.sessionToken),
    (found, what) => isSessionAndUser(found, session, user, what),
  )
  add(
    'getAuthenticator',
    ['authenticator'],
    createAuthenticator,
    (look) => look(authenticator.credentialID),
    (found, what) => isAuthenticator(found, authenticator, what),
  )
  add(
    'listAuthenticatorsByUserId',
    ['authenticator'],
    createAuthenticator,
    (look) => look(user.id),
    (found, what) => isAuthenticator(listed(found, what), authenticator, what),
    (found, what) => isNothing(listed(found, what), what),
  )
  // A verification token can be looked at only by using it up.
  add(
    'useVerificationToken',
    ['token'],
    createVerificationToken,
    (look) => look(keyOfToken(token)),
    (found, what) => isToken(found, token, what),
  )
  return views
}

interface Expected {
  /** Parts that must not be found. */
  gone?: readonly Part[]
  /** Parts that are not looked at. */
  ignored?: readonly Part[]
}

/** Every lookup that the adapter has finds the world as it is. This uses up its verification token. */
export async function expectWorld(adapter: Subject, world: World, when: string, { gone = [], ignored = [] }: Expected = {}): Promise<void> {
  for (const { operation, parts, look, expect, expectNothing } of viewsOf(adapter, world)) {
    if (parts.some((part) => ignored.includes(part))) continue
    const found = await look()
    if (parts.some((part) => gone.includes(part))) expectNothing(found, `${operation} ${when}`)
    else expect(found, `${operation} ${when}`)
  }
}

/** Asks every lookup, twice, so that whatever keeps answers has them. */
export async function lookAround(adapter: Subject, world: World): Promise<void> {
  for (const { operation, look } of viewsOf(adapter, world)) {
    if (operation === 'useVerificationToken') continue
    await look()
    await look()
  }
}

/** Each lookup by the user's own keys finds the user. */
export async function expectUser(adapter: Subject, user: AdapterUser, when: string): Promise<void> {
  if (adapter.getUser) isUser(await adapter.getUser(user.id), user, `getUser ${when}`)
  if (adapter.getUserByEmail) isUser(await adapter.getUserByEmail(user.email), user, `getUserByEmail ${when}`)
}

/** Each lookup finds the authenticator. */
export async function expectAuthenticator(adapter: Subject, authenticator: AdapterAuthenticator, when: string): Promise<void> {
  const { credentialID, userId } = authenticator
  if (adapter.getAuthenticator) isAuthenticator(await adapter.getAuthenticator(credentialID), authenticator, `getAuthenticator ${when}`)
  if (!adapter.listAuthenticatorsByUserId) return
  const what = `listAuthenticatorsByUserId ${when}`
  isAuthenticator(listedIn(await adapter.listAuthenticatorsByUserId(userId), credentialID, what), authenticator, what)
}

/** What `listAuthenticatorsByUserId` gave, which must be a list. */
export function isList(found: unknown, what: What): unknown[] {
  ok(Array.isArray(found), () => `${said(what)}: expected an array, got ${show(found)}`)
  return found
}

function listedIn(found: unknown, credentialID: string, what: string): unknown {
  const rows = isList(found, what).filter(
    (row) => typeof row === 'object' && row !== null && fieldOf(row, 'credentialID', what) === credentialID,
  )
  ok(rows.length < 2, `${what}: expected each authenticator once, got one of them ${rows.length} times`)
  return rows[0]
}
