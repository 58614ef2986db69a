import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TokenField } from '../../../src/models.js'
import { createCipher } from '../../../src/secrets/cipher.js'
import { countSecrets } from '../../../src/secrets/count.js'
import type { Parts } from '../../../src/secrets/options.js'
import { readOptions } from '../../../src/secrets/options.js'
import { hashWith } from '../../../src/secrets/sessions.js'
import { hmac, keys, newKey, oldKey } from '../../integration/secrets/modes.js'
import { migrationsOf } from '../../support/migrations.js'
import * as tables from '../../support/schema/sqlite.js'

const accountTokens = { keys }

let client: Database.Database
beforeEach(async () => {
  client = new Database(':memory:')
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  client.pragma('foreign_keys = off')
})
afterEach(() => client.close())

let accounts = 0
type Tokens = Partial<Record<TokenField, string>>
/** Adds an account, with tokens that are given, or encrypted for it. */
async function addAccount(
  make: Tokens | ((encrypt: (token: string, field: TokenField, key?: typeof newKey) => Promise<string>) => Promise<Tokens>),
) {
  const account = { provider: 'github', providerAccountId: String(++accounts).padStart(4, '0') }
  const tokens =
    typeof make === 'function' ? await make((token, field, key = newKey) => createCipher([key]).encrypt(token, field, account)) : make
  drizzle({ client })
    .insert(tables.accountsTable)
    .values({ userId: '1', type: 'oauth', ...account, ...tokens })
    .run()
}
const addSession = (sessionToken: string) =>
  drizzle({ client }).insert(tables.sessionsTable).values({ sessionToken, userId: '1', expires: new Date() }).run()
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
    expect(await count(parts, { sessionsTable: tables.sessionsTable })).toEqual({ ...none, sessions })
  })
})

describe('accounts', () => {
  const parts = readOptions({ sessionTokens: 'hashed', accountTokens })

  test('are counted by the keys of their tokens', async () => {
    await addAccount({})
    await addAccount({ access_token: 'plain', refresh_token: 'plain', id_token: '' })
    await addAccount(async (encrypt) => ({ access_token: await encrypt('a', 'access_token'), id_token: await encrypt('i', 'id_token') }))
    await addAccount(async (encrypt) => ({
      access_token: await encrypt('a', 'access_token', oldKey),
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
    expect(await count(parts, { accountsTable: tables.accountsTable })).toEqual(expected)
    expect(await count(readOptions({ sessionTokens: 'hashed' }))).toEqual(none)
  })

  test('the first five tokens under the newest key show whether its secret is right', async () => {
    for (let index = 0; index < 3; index++)
      await addAccount(async (encrypt) => ({
        access_token: await encrypt('a', 'access_token'),
        id_token: await encrypt('i', 'id_token', oldKey),
      }))
    for (let index = 0; index < 4; index++) {
      expect((await count(parts)).newest).toEqual({ read: 3, unreadable: Math.min(index, 2) })
      // Encrypted with another secret under the same id.
      await addAccount(async (encrypt) => ({ refresh_token: await encrypt('r', 'refresh_token', { ...oldKey, id: newKey.id }) }))
    }
  })
})
