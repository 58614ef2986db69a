import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../models.js'
import type { Needs } from './case.js'
import type { ExpectRow } from './expect.js'
import { expectAccount, expectAuthenticator, expectNothing, expectSession, expectToken, expectUser, fail, settle } from './expect.js'
import { createUser, idOf } from './fixture.js'
import { accountKey, makeAccount, makeAuthenticator, makeSession, makeToken, makeTokens, makeUser, tokenKey } from './rows.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'

export type Fields = Record<string, unknown>

/** An operation that writes fields of a row. */
export interface Write<Row extends object = Fields> {
  operation: OperationName
  needs: Needs
  /** Text fields that identify the row. */
  keys: readonly string[]
  /** Other fields, by their types. */
  texts?: readonly string[]
  dates?: readonly string[]
  numbers?: readonly string[]
  /** Fields without which the row must be rejected. */
  required?: readonly string[]
  /** Makes the row to be created, or creates the row to be changed. */
  prepare(adapter: Subject): Promise<Row>
  isUpdate?: true
  /** Writes the row, or these fields of it. */
  run(adapter: Subject, row: Row, fields: Partial<Row>): Promise<unknown> | undefined
  /** Looks the row up in every way that the adapter has. */
  read(adapter: Subject, row: Row): (Promise<unknown> | undefined)[]
  expectRow: ExpectRow<Row>
}

// The rows of a write are only passed back to it.
const define = <Row extends object>(write: Write<Row>) => write as unknown as Write

const newSession = async (adapter: Subject) => makeSession((await createUser(adapter)).id)
const readSession = (adapter: Subject, { sessionToken }: AdapterSession) => [
  adapter.getSessionAndUser?.(sessionToken).then((found) => found?.session ?? null),
]

const newAuthenticator = async (adapter: Subject) => makeAuthenticator((await createUser(adapter)).id)
const readAuthenticator = (adapter: Subject, { credentialID, userId }: AdapterAuthenticator) => [
  adapter.getAuthenticator?.(credentialID),
  // The user has no other authenticator.
  adapter.listAuthenticatorsByUserId?.(userId).then(([first = null]) => first),
]

export const writes = {
  createUser: define<AdapterUser>({
    operation: 'createUser',
    needs: ['createUser'],
    keys: ['email'],
    texts: ['name', 'image'],
    dates: ['emailVerified'],
    prepare: async () => makeUser(),
    run: (adapter, user) => adapter.createUser?.(user),
    read: (adapter, { email }) => [adapter.getUserByEmail?.(email)],
    // The adapter may generate the id.
    expectRow: (actual, user, what) => expectUser(actual, { ...user, id: idOf(actual) }, what),
  }),
  updateUser: define<AdapterUser>({
    operation: 'updateUser',
    needs: ['createUser', 'updateUser'],
    keys: ['email'],
    texts: ['name', 'image'],
    dates: ['emailVerified'],
    prepare: (adapter) => createUser(adapter),
    isUpdate: true,
    run: (adapter, { id }, fields) => adapter.updateUser?.({ id, ...fields }),
    read: (adapter, { id, email }) => [adapter.getUser?.(id), adapter.getUserByEmail?.(email)],
    expectRow: expectUser,
  }),
  linkAccount: define<AdapterAccount>({
    operation: 'linkAccount',
    needs: ['createUser', 'linkAccount'],
    keys: ['provider', 'providerAccountId'],
    texts: ['access_token', 'refresh_token', 'id_token', 'scope', 'session_state'],
    numbers: ['expires_at'],
    required: ['userId', 'type', 'provider', 'providerAccountId'],
    prepare: async (adapter) => makeAccount((await createUser(adapter)).id, makeTokens()),
    run: (adapter, account) => adapter.linkAccount?.(account),
    read: (adapter, account) => [
      adapter.getAccount?.(account.providerAccountId, account.provider),
      // This lookup returns only the owner.
      adapter.getUserByAccount?.(accountKey(account)).then((owner) => owner && { ...account, userId: owner.id }),
    ],
    expectRow: expectAccount,
  }),
  createSession: define<AdapterSession>({
    operation: 'createSession',
    needs: ['createUser', 'createSession'],
    keys: ['sessionToken'],
    dates: ['expires'],
    required: ['sessionToken', 'userId', 'expires'],
    prepare: newSession,
    run: (adapter, session) => adapter.createSession?.(session),
    read: readSession,
    expectRow: expectSession,
  }),
  updateSession: define<AdapterSession>({
    operation: 'updateSession',
    needs: ['createUser', 'createSession', 'updateSession'],
    keys: [],
    dates: ['expires'],
    async prepare(adapter) {
      const session = await newSession(adapter)
      await adapter.createSession?.(session)
      return session
    },
    isUpdate: true,
    run: (adapter, { sessionToken }, fields) => adapter.updateSession?.({ sessionToken, ...fields }),
    read: readSession,
    expectRow: expectSession,
  }),
  createVerificationToken: define<VerificationToken>({
    operation: 'createVerificationToken',
    needs: ['createVerificationToken'],
    keys: ['identifier', 'token'],
    dates: ['expires'],
    required: ['identifier', 'token', 'expires'],
    prepare: async () => makeToken(),
    run: (adapter, token) => adapter.createVerificationToken?.(token),
    read: (adapter, token) => [adapter.useVerificationToken?.(tokenKey(token))],
    expectRow: expectToken,
  }),
  createAuthenticator: define<AdapterAuthenticator>({
    operation: 'createAuthenticator',
    needs: ['createAuthenticator'],
    keys: ['credentialID'],
    texts: ['providerAccountId', 'credentialPublicKey', 'transports'],
    numbers: ['counter'],
    required: ['credentialID', 'userId', 'providerAccountId', 'credentialPublicKey', 'counter', 'credentialDeviceType'],
    prepare: newAuthenticator,
    run: (adapter, authenticator) => adapter.createAuthenticator?.(authenticator),
    read: readAuthenticator,
    expectRow: expectAuthenticator,
  }),
  updateAuthenticatorCounter: define<AdapterAuthenticator>({
    operation: 'updateAuthenticatorCounter',
    needs: ['createAuthenticator', 'updateAuthenticatorCounter'],
    keys: [],
    numbers: ['counter'],
    async prepare(adapter) {
      const authenticator = await newAuthenticator(adapter)
      await adapter.createAuthenticator?.(authenticator)
      return authenticator
    },
    isUpdate: true,
    run: (adapter, { credentialID }, { counter }) => adapter.updateAuthenticatorCounter?.(credentialID, counter as number),
    read: readAuthenticator,
    expectRow: expectAuthenticator,
  }),
}

export const allWrites: readonly Write[] = Object.values(writes)

/** Expects the fields to be stored exactly. */
export const expectStored = (adapter: Subject, write: Write, fields: Fields) => runWrite(adapter, write, fields, fields, false)

/** Expects the fields to be stored with their meaning, or the whole write to be rejected. */
export const expectStoredOrRejected = (adapter: Subject, write: Write, fields: Fields, meaning = fields) =>
  runWrite(adapter, write, fields, meaning, true)

/** Expects the write to be rejected, and to store nothing. */
export const expectRejected = (adapter: Subject, write: Write, fields: Fields) => runWrite(adapter, write, fields, null, true)

async function runWrite(adapter: Subject, write: Write, fields: Fields, meaning: Fields | null, mayReject: boolean): Promise<void> {
  const what = `${write.operation} with ${show(fields)}`
  const read = (row: Fields) => Promise.all(write.read(adapter, row).filter((lookup) => lookup !== undefined))
  const before = await write.prepare(adapter)
  const given = { ...before, ...fields }
  const result = await settle(Promise.resolve(write.run(adapter, given, fields)))
  if ('value' in result) {
    if (!meaning) fail(`${what}: expected an error, got ${show(result.value)}`)
    const stored = { ...given, ...meaning }
    // The contract allows some operations to return nothing.
    if (result.value != null) write.expectRow(result.value, stored, what)
    for (const found of await read(stored)) write.expectRow(found, stored, `lookup after ${what}`)
    return
  }
  if (!mayReject) fail(`${what}: expected the row to be stored, but it threw ${show(result.thrown)}`)
  // A lookup by a rejected key may be rejected, too.
  const found = await settle(read(write.isUpdate ? before : given))
  for (const each of 'value' in found ? found.value : []) {
    if (write.isUpdate) write.expectRow(each, before, `lookup after ${what} was rejected`)
    else expectNothing(each, `lookup after ${what} was rejected`)
  }
  // The rejected write must not block the key: a valid row can still be stored.
  if (!meaning && !write.isUpdate) await write.run(adapter, before, before)
}
