import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TokenField } from '../../src/models.js'
import { createCipher } from '../../src/secrets/cipher.js'
import { countSecrets } from '../../src/secrets/count.js'
import type { Parts } from '../../src/secrets/options.js'
import { readOptions } from '../../src/secrets/options.js'
import { hashWith } from '../../src/secrets/sessions.js'

const newer = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
const older = { id: '2025a', secret: 'the old secret of the tests with 32 characters or more' }
const hmac = 'the secret for session tokens, of 32 characters or more'
const accountTokens = { keys: [newer, older] }

const sessionsTable = sqliteTable('session', {
  sessionToken: text().primaryKey(),
  userId: text().notNull(),
  expires: integer({ mode: 'timestamp_ms' }).notNull(),
})
const accountsTable = sqliteTable('account', {
  userId: text().notNull(),
  type: text().notNull(),
  provider: text().notNull(),
  providerAccountId: text().notNull(),
  access_token: text(),
  refresh_token: text(),
  id_token: text(),
})
const tables = { sessionsTable, accountsTable }

let client: Database.Database
beforeEach(() => {
  client = new Database(':memory:')
  client.exec('create table session (sessionToken text primary key, userId text, expires integer)')
  client.exec('create table account (userId, type, provider, providerAccountId, access_token, refresh_token, id_token)')
})
afterEach(() => client.close())

let accounts = 0
type Tokens = Partial<Record<TokenField, string>>
/** Adds an account, with tokens that are given, or encrypted for it. */
async function addAccount(
  make: Tokens | ((encrypt: (token: string, field: TokenField, key?: typeof newer) => Promise<string>) => Promise<Tokens>),
) {
  const account = { provider: 'github', providerAccountId: String(++accounts).padStart(4, '0') }
  const tokens =
    typeof make === 'function' ? await make((token, field, key = newer) => createCipher([key]).encrypt(token, field, account)) : make
  const { access_token = null, refresh_token = null, id_token = null } = tokens
  const values = ['1', 'oauth', 'github', account.providerAccountId, access_token, refresh_token, id_token]
  client.prepare('insert into account values (?, ?, ?, ?, ?, ?, ?)').run(values)
}
const addSession = (token: string) => client.prepare('insert into session values (?, ?, 0)').run(token, '1')
const count = (parts: Parts, given: object = tables) => countSecrets('count', drizzle({ client }), given, parts)

const none = {
  sessions: { plain: 0, hashed: 0, foreign: 0 },
  tokens: { plain: 0, byKey: new Map(), damaged: 0 },
  unprotected: 0,
  encrypted: 0,
  newest: { read: 0, unreadable: 0 },
}

describe('sessions', () => {
  beforeEach(async () => {
    for (const token of ['ada', 'eva', 's1.short']) addSession(token)
    for (const token of ['a', 'b']) addSession(await hashWith(undefined)(token))
    addSession(await hashWith(hmac)('c'))
  })

  test.each([
    ['without a secret', {}, { plain: 3, hashed: 2, foreign: 1 }],
    ['with a secret', { hmac }, { plain: 3, hashed: 1, foreign: 2 }],
  ])('are counted by their forms, %s', async (_, options, sessions) => {
    const parts = readOptions({ sessionTokens: { mode: 'migrating', ...options } })
    expect(await count(parts)).toEqual({ ...none, sessions })
    expect(await count(parts, { sessionsTable })).toEqual({ ...none, sessions })
  })

  test('are not counted where only accounts are protected', async () => {
    expect(await count(readOptions({ accountTokens }))).toEqual(none)
  })
})

describe('accounts', () => {
  const parts = readOptions({ sessionTokens: 'hashed', accountTokens })

  test('are counted by the keys of their tokens', async () => {
    await addAccount({})
    await addAccount({ access_token: 'plain', refresh_token: 'plain', id_token: '' })
    await addAccount(async (encrypt) => ({ access_token: await encrypt('a', 'access_token'), id_token: await encrypt('i', 'id_token') }))
    await addAccount(async (encrypt) => ({
      access_token: await encrypt('a', 'access_token', older),
      refresh_token: await encrypt('r', 'refresh_token'),
    }))
    await addAccount(async (encrypt) => ({ access_token: 'plain', id_token: await encrypt('i', 'id_token') }))
    await addAccount({ access_token: 'e1.2020x.damaged' })
    await addAccount({ refresh_token: 'e1.damaged' })
    const expected = {
      ...none,
      tokens: {
        plain: 4,
        byKey: new Map([
          ['2026b', 4],
          ['2025a', 1],
          ['2020x', 1],
        ]),
        damaged: 1,
      },
      unprotected: 5,
      encrypted: 5,
      newest: { read: 4, unreadable: 0 },
    }
    expect(await count(parts)).toEqual(expected)
    expect(await count(parts, { accountsTable })).toEqual(expected)
    expect(await count(readOptions({ sessionTokens: 'hashed' }))).toEqual(none)
  })

  test('the first five tokens under the newest key show whether its secret is right', async () => {
    for (let index = 0; index < 3; index++)
      await addAccount(async (encrypt) => ({
        access_token: await encrypt('a', 'access_token'),
        id_token: await encrypt('i', 'id_token', older),
      }))
    for (let index = 0; index < 4; index++) {
      expect((await count(parts)).newest).toEqual({ read: 3, unreadable: Math.min(index, 2) })
      // Encrypted with another secret under the same id.
      await addAccount(async (encrypt) => ({ refresh_token: await encrypt('r', 'refresh_token', { ...older, id: newer.id }) }))
    }
    expect((await count(parts)).tokens.byKey).toEqual(
      new Map([
        ['2026b', 7],
        ['2025a', 3],
      ]),
    )
  })

  test('nothing is changed', async () => {
    await addAccount({ access_token: 'plain' })
    addSession('plain')
    await count(parts)
    expect(client.prepare('select access_token from account').pluck().all()).toEqual(['plain'])
    expect(client.prepare('select sessionToken from session').pluck().all()).toEqual(['plain'])
  })
})
