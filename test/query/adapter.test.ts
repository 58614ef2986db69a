import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { withReplicas } from 'drizzle-orm/sqlite-core'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAdapter } from '../../src/adapter.js'
import type { Dialect } from '../../src/query/dialect.js'
import { rejectByteOrderMarks } from '../../src/query/dialect.js'
import { AdapterConfigError, AdapterOperationError } from '../../src/query/errors.js'
import { secretsAtRest } from '../../src/secrets/index.js'
import { sqlite } from '../../src/sqlite/dialect.js'
import { defineTables } from '../../src/sqlite/tables.js'
import type { AdapterOptions } from '../../src/types.js'
import { createTable } from '../helpers/ddl.js'

// What each operation does, and how the adapter is put together. src/testing/ has the contract in full, for every database.

const tables = defineTables()
const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables
const expires = new Date('2030-01-01T12:00:00.123Z')

function open(options?: AdapterOptions, dialect: Dialect = sqlite) {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  client.exec(
    [
      createTable(usersTable, '"'),
      createTable(accountsTable, '"', ['primary key (provider, providerAccountId)']),
      createTable(sessionsTable, '"'),
      createTable(verificationTokensTable, '"', ['primary key (identifier, token)']),
      createTable(authenticatorsTable, '"'),
    ].join(';'),
  )
  const db = drizzle({ client })
  const count = (table: string) => client.prepare(`select count(*) from "${table}"`).pluck().get()
  return { client, db, count, adapter: createAdapter(dialect, db, tables, options) }
}

const accountOf = (userId: string, providerAccountId = '1') => ({
  ...{ userId, type: 'oauth' as const, provider: 'github', providerAccountId },
  access_token: 'a1',
})
const passkeyOf = (userId: string, credentialID = 'key') => ({
  ...{ credentialID, userId, providerAccountId: '1', credentialPublicKey: 'public', counter: 1 },
  ...{ credentialDeviceType: 'singleDevice', credentialBackedUp: true },
})

test('users are created, found, updated and deleted', async () => {
  const { adapter } = open()
  const ada = await adapter.createUser({ email: 'ada@example.com', emailVerified: null, name: 'Ada' })
  const eva = await adapter.createUser({ email: 'eva@example.com', emailVerified: expires })
  expect(ada).toEqual({ id: expect.any(String), email: 'ada@example.com', emailVerified: null, name: 'Ada', image: null })
  expect(await adapter.getUser(ada.id)).toEqual(ada)
  expect(await adapter.getUser('nobody')).toBeNull()
  expect(await adapter.getUserByEmail('eva@example.com')).toEqual(eva)
  expect(await adapter.getUserByEmail(eva.id)).toBeNull()
  expect(await adapter.updateUser({ id: eva.id, name: 'Eva' })).toEqual({ ...eva, name: 'Eva' })
  await expect(adapter.updateUser({ id: 'nobody', name: 'Bob' })).rejects.toMatchObject({ operation: 'updateUser', kind: 'not-found' })
  expect(await adapter.deleteUser(ada.id)).toEqual(ada)
  expect(await adapter.deleteUser(ada.id)).toBeNull()
  expect(await adapter.getUser(eva.id)).toMatchObject({ name: 'Eva' })
})

test('a user is deleted with everything that belongs to it', async () => {
  const { adapter, count } = open()
  for (const name of ['ada', 'eva']) {
    const { id } = await adapter.createUser({ email: `${name}@example.com` })
    await adapter.linkAccount(accountOf(id, name))
    await adapter.createSession({ sessionToken: name, userId: id, expires })
    await adapter.createAuthenticator(passkeyOf(id, name))
  }
  const eva = await adapter.getUserByEmail('eva@example.com')
  await adapter.deleteUser(eva?.id as string)
  // The tables have no foreign keys here.
  expect(['user', 'account', 'session', 'authenticator'].map(count)).toEqual([1, 1, 1, 1])
  expect(await adapter.getSessionAndUser('ada')).toMatchObject({ user: { email: 'ada@example.com' } })
})

test('a user is deleted where only users and accounts are stored', async () => {
  const { db, count } = open()
  const adapter = createAdapter(sqlite, db, { usersTable, accountsTable })
  const ada = await adapter.createUser({ email: 'ada@example.com' })
  await adapter.linkAccount(accountOf(ada.id))
  expect(await adapter.deleteUser(ada.id)).toEqual(ada)
  expect(count('account')).toBe(0)
})

test('accounts are linked, found with their user, and unlinked', async () => {
  const { adapter } = open()
  const ada = await adapter.createUser({ email: 'ada@example.com' })
  const eva = await adapter.createUser({ email: 'eva@example.com' })
  const account = accountOf(ada.id)
  expect(await adapter.linkAccount(account)).toEqual(account)
  await adapter.linkAccount(accountOf(eva.id, '2'))
  await adapter.linkAccount({ ...accountOf(eva.id), provider: 'google' })
  expect(await adapter.getUserByAccount({ provider: 'github', providerAccountId: '1' })).toEqual(ada)
  expect(await adapter.getUserByAccount({ provider: 'google', providerAccountId: '1' })).toEqual(eva)
  expect(await adapter.getUserByAccount({ provider: 'google', providerAccountId: '2' })).toBeNull()
  expect(await adapter.getAccount('1', 'github')).toEqual(account)
  expect(await adapter.getAccount('github', '1')).toBeNull()
  expect(await adapter.listAccounts(eva.id)).toHaveLength(2)
  expect(await adapter.updateAccount({ ...account, access_token: 'a2' })).toMatchObject({ access_token: 'a2' })
  expect(await adapter.unlinkAccount({ provider: 'github', providerAccountId: '1' })).toEqual({ ...account, access_token: 'a2' })
  expect(await adapter.unlinkAccount({ provider: 'github', providerAccountId: '1' })).toBeUndefined()
  expect(await adapter.listAccounts(eva.id)).toHaveLength(2)
})

test('sessions are created, found with their user, updated and deleted', async () => {
  const { adapter } = open()
  const user = await adapter.createUser({ email: 'ada@example.com' })
  const session = { sessionToken: 's1', userId: user.id, expires }
  expect(await adapter.createSession(session)).toEqual(session)
  await adapter.createSession({ ...session, sessionToken: 's2' })
  expect(await adapter.getSessionAndUser('s1')).toEqual({ session, user })
  expect(await adapter.getSessionAndUser('s3')).toBeNull()
  const later = new Date(expires.getTime() + 1)
  expect(await adapter.updateSession({ sessionToken: 's1', expires: later })).toEqual({ ...session, expires: later })
  expect(await adapter.updateSession({ sessionToken: 's3', expires: later })).toBeNull()
  expect(await adapter.deleteSession('s1')).toEqual({ ...session, expires: later })
  expect(await adapter.deleteSession('s1')).toBeNull()
  expect(await adapter.listSessions(user.id)).toHaveLength(1)
  expect(await adapter.revokeSessions(user.id)).toBe(1)
})

test('a verification token can be used once', async () => {
  const { adapter, count } = open()
  const token = { identifier: 'ada@example.com', token: 't1', expires }
  expect(await adapter.createVerificationToken(token)).toEqual(token)
  await adapter.createVerificationToken({ ...token, token: 't2' })
  expect(await adapter.useVerificationToken({ identifier: 'eva@example.com', token: 't1' })).toBeNull()
  expect(await adapter.useVerificationToken({ identifier: 'ada@example.com', token: 't1' })).toEqual(token)
  expect(await adapter.useVerificationToken({ identifier: 'ada@example.com', token: 't1' })).toBeNull()
  expect(count('verificationToken')).toBe(1)
})

test('passkeys are created, found, listed and counted', async () => {
  const { adapter } = open()
  const { id } = await adapter.createUser({ email: 'ada@example.com' })
  const passkey = passkeyOf(id)
  expect(await adapter.createAuthenticator(passkey)).toEqual(passkey)
  await adapter.createAuthenticator(passkeyOf('eva', 'other'))
  expect(await adapter.getAuthenticator('key')).toEqual(passkey)
  expect(await adapter.getAuthenticator(id)).toBeNull()
  expect(await adapter.listAuthenticatorsByUserId(id)).toEqual([passkey])
  expect(await adapter.listAuthenticatorsByUserId('key')).toEqual([])
  expect(await adapter.updateAuthenticatorCounter('key', 2)).toEqual({ ...passkey, counter: 2 })
  expect(await adapter.getAuthenticator('other')).toMatchObject({ counter: 1 })
  await expect(adapter.updateAuthenticatorCounter('none', 2)).rejects.toMatchObject({ kind: 'not-found' })
  // A call without a counter must not pass for one that changes nothing.
  for (const none of [undefined, null])
    await expect(adapter.updateAuthenticatorCounter('key', none as never)).rejects.toMatchObject({ kind: 'missing-value' })
})

describe('the adapter', () => {
  afterEach(() => void vi.useRealTimers())

  test('has the operations for the tables that it is given', () => {
    const { db } = open()
    const operations = (given: object) => Object.keys(createAdapter(sqlite, db, { usersTable, accountsTable, ...given })).sort()
    const always = operations({})
    expect(always).toEqual([
      ...['createUser', 'deleteUser', 'getAccount', 'getUser', 'getUserByAccount', 'getUserByEmail', 'linkAccount'],
      ...['listAccounts', 'unlinkAccount', 'updateAccount', 'updateUser'],
    ])
    const more = (given: object) => operations(given).filter((name) => !always.includes(name))
    expect(more({ sessionsTable })).toEqual([
      ...['createSession', 'deleteSession', 'getSessionAndUser', 'listSessions', 'revokeSession', 'revokeSessions', 'updateSession'],
    ])
    expect(more({ verificationTokensTable })).toEqual(['createVerificationToken', 'useVerificationToken'])
    expect(more({ authenticatorsTable })).toHaveLength(4)
  })

  test('checks its arguments at once', () => {
    const { db } = open()
    for (const create of [
      () => createAdapter(sqlite, undefined, tables),
      () => createAdapter(sqlite, db, { usersTable } as never),
      () => createAdapter(sqlite, db, tables, { retries: 1 } as object),
    ]) {
      expect(create).toThrow(AdapterConfigError)
      expect(create).toThrow(/^DrizzleAdapter: /)
    }
  })

  test('asks the primary of replicas', async () => {
    const { db, adapter } = open()
    await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
    const replicated = createAdapter(sqlite, withReplicas(db, [open().db]), tables)
    expect(await replicated.getUser('ada')).toMatchObject({ email: 'ada@example.com' })
  })

  test('throws errors that name the operation and hold no value', async () => {
    const { adapter } = open()
    await adapter.createUser({ id: 'ada', email: 'secret@example.com' })
    const error = await adapter.createUser({ email: 'secret@example.com' }).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(AdapterOperationError)
    expect(error).toMatchObject({ operation: 'createUser', kind: 'duplicate', table: 'user', column: 'email' })
    expect(String(error)).not.toContain('secret')
  })

  test('protects what its secrets protect', async () => {
    const keys = [{ id: 'k1', secret: 'a secret of the tests, long enough' }]
    const { adapter, client } = open({ secrets: secretsAtRest({ sessionTokens: 'hashed', accountTokens: { keys } }) })
    await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
    await adapter.linkAccount(accountOf('ada'))
    await adapter.createSession({ sessionToken: 's1', userId: 'ada', expires })
    expect(client.prepare('select sessionToken from session').pluck().get()).toMatch(/^s1\../)
    expect(client.prepare('select access_token from account').pluck().get()).not.toBe('a1')
    expect(await adapter.getAccount('1', 'github')).toMatchObject({ access_token: 'a1' })
  })

  test('follows the driver and the options, where the database has drivers that differ', async () => {
    const forDriver = vi.fn(() => rejectByteOrderMarks(sqlite.sql))
    const options = { namedStatements: true }
    const { adapter, db } = open(options, { ...sqlite, forDriver })
    await expect(adapter.createUser({ email: '\ufeffada@example.com' })).rejects.toMatchObject({ kind: 'garbled' })
    expect(forDriver).toHaveBeenCalledWith(db, options)
    const { forDriver: _, ...others } = sqlite
    expect(await open({}, others).adapter.createUser({ email: '\ufeffada@example.com' })).toMatchObject({ id: expect.any(String) })
  })

  test.each<[string, AdapterOptions, boolean, number]>([
    ['fifteen times by default', {}, false, 15],
    ['as often as the option says', { retry: { tries: 3, within: 60_000 } }, false, 3],
    ['once without retry', { retry: false }, false, 1],
    ['once in a transaction of the app', { retry: { tries: 3 } }, true, 1],
  ])('runs a statement that conflicts with others %s', async (_case, options, inTransaction, tries) => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(-0.9)
    onTestFinished(() => void vi.restoreAllMocks())
    let runs = 0
    const prepare = () => () => {
      runs++
      throw Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' })
    }
    const { db } = open()
    const dialect: Dialect = { name: 'sqlite', writes: sqlite.writes, sql: { ...sqlite.sql, prepare } }
    const connection = inTransaction ? Object.assign(Object.create(db), { rollback: () => {} }) : db
    const outcome = createAdapter(dialect, connection, tables, options)
      .getUser('ada')
      .catch((error: unknown) => error)
    await vi.runAllTimersAsync()
    expect(await outcome).toMatchObject({ operation: 'getUser', kind: 'conflict', code: 'SQLITE_BUSY' })
    expect(runs).toBe(tries)
  })
})
