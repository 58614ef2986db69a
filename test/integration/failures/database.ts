import type { AdapterOptions } from 'drizzle-auth-adapter'
import { afterAll, beforeAll } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter as makeRetryingAdapter, openDatabase as openAnyDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import type { Person } from '../../support/operations.js'
import { operations } from '../../support/operations.js'

export type { AnyAdapter }

type Row = Record<string, unknown>

const names = ['user', 'account', 'session', 'verificationToken', 'authenticator']

/** An adapter for tables of any type. Retries are off unless `options` says otherwise. */
export function makeAdapter(db: unknown, tables: object, options: AdapterOptions = {}): AnyAdapter {
  return makeRetryingAdapter(db, tables, { retry: false, ...options })
}

/** A new database, with an adapter that does not retry. */
export async function openDatabase(dialect: DialectName, options?: Parameters<typeof openAnyDatabase>[1]) {
  const opened = await openAnyDatabase(dialect, options)
  const q = dialect === 'mysql' ? '`' : '"'
  return {
    ...opened,
    q,
    adapter: makeAdapter(opened.db, opened.tables),
    /** Runs statements one after another. */
    async execute(...statements: string[]) {
      for (const statement of statements) await opened.exec(statement)
    },
    /** All rows of all tables, to check that nothing changed. */
    async snapshot(): Promise<Record<string, Row[]>> {
      const all: Record<string, Row[]> = {}
      for (const name of names) all[name] = await opened.run(`select * from ${q}${name}${q} order by 1, 2`)
      return all
    },
  }
}

export type Opened = Awaited<ReturnType<typeof openDatabase>>

/** Opens one database for all tests of a describe block. `setUp` runs before the first of them. */
export function useDatabase(open: () => Promise<Opened>, setUp: (opened: Opened) => Promise<unknown> = async () => {}): () => Opened {
  let opened: Opened | undefined
  beforeAll(async () => {
    opened = await open()
    await setUp(opened)
  })
  afterAll(() => opened?.close())
  return () => opened as Opened
}

/** One row for each table, all with the same key. */
export function rowsFor(key: string) {
  return {
    user: { id: key, email: `${key}@example.com` },
    account: { userId: key, type: 'oauth' as const, provider: key, providerAccountId: key },
    session: { userId: key, sessionToken: key, expires: new Date(4e12) },
    token: { identifier: key, token: key, expires: new Date(4e12) },
    authenticator: {
      userId: key,
      credentialID: key,
      providerAccountId: key,
      credentialPublicKey: 'k',
      counter: 1,
      credentialDeviceType: 'd',
      credentialBackedUp: true,
    },
  }
}

export async function createRows(adapter: AnyAdapter, key: string) {
  const rows = rowsFor(key)
  const user = await adapter.createUser(rows.user)
  await adapter.linkAccount(rows.account)
  await adapter.createSession(rows.session)
  await adapter.createVerificationToken(rows.token)
  await adapter.createAuthenticator(rows.authenticator)
  return user
}

type Calls = Record<string, (adapter: AnyAdapter, key: string) => Promise<unknown>>

/** These operations, on rows with a key. */
const calls = (...names: (keyof typeof operations)[]): Calls =>
  Object.fromEntries(
    names.map((name) => [name, async (adapter, key) => operations[name].run(adapter as never, rowsFor(key) as unknown as Person)]),
  )

/** Every operation that updates or deletes an existing row. */
export const changes = calls(
  'updateUser',
  'deleteUser',
  'unlinkAccount',
  'updateSession',
  'deleteSession',
  'useVerificationToken',
  'updateAuthenticatorCounter',
)

/** Every operation that inserts a row. */
export const inserts = calls('createUser', 'linkAccount', 'createSession', 'createVerificationToken', 'createAuthenticator')

/** Every read operation. */
export const lookups = calls(
  'getUser',
  'getUserByEmail',
  'getUserByAccount',
  'getAccount',
  'getSessionAndUser',
  'getAuthenticator',
  'listAuthenticatorsByUserId',
)
