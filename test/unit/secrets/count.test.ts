import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { TokenField } from '../../../src/models.js'
import { createCipher } from '../../../src/secrets/cipher.js'
import { countSecrets } from '../../../src/secrets/count.js'
import { readOptions } from '../../../src/secrets/options.js'
import { hashWith } from '../../../src/secrets/sessions.js'
import { hmac, keys, newKey, oldKey } from '../../integration/secrets/modes.js'
import { migrationsOf } from '../../support/migrations.js'
import * as tables from '../../support/schema/sqlite.js'

let client: Database.Database
beforeEach(async () => {
  client = new Database(':memory:')
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  client.pragma('foreign_keys = off')
})
afterEach(() => client.close())

type Encrypted = [token: string, key: typeof newKey]
let accounts = 0
/** Adds an account with these tokens, of which those with a key are encrypted. */
async function addAccount(tokens: Partial<Record<TokenField, string | Encrypted>>) {
  const account = { provider: 'github', providerAccountId: String(++accounts) }
  const stored: Record<string, string> = {}
  for (const [name, token] of Object.entries(tokens))
    stored[name] = typeof token === 'string' ? token : await createCipher([token[1]]).encrypt(token[0], name as TokenField, account)
  await drizzle({ client })
    .insert(tables.accountsTable)
    .values({ userId: '1', type: 'oauth', ...account, ...stored })
}
const addSession = (sessionToken: string) =>
  drizzle({ client }).insert(tables.sessionsTable).values({ sessionToken, userId: '1', expires: new Date() })
const count = (options: Parameters<typeof readOptions>[0]) => countSecrets('count', drizzle({ client }), tables, readOptions(options))

test('counts sessions by their forms', async () => {
  for (const token of ['ada', 'eva', 's1.short']) await addSession(token)
  for (const token of ['a', 'b']) await addSession(await hashWith(undefined)(token))
  await addSession(await hashWith(hmac)('c'))
  expect((await count({ sessionTokens: 'migrating' })).sessions).toEqual({ plain: 3, hashed: 2, foreign: 1 })
  expect((await count({ sessionTokens: { mode: 'migrating', hmac } })).sessions).toEqual({ plain: 3, hashed: 1, foreign: 2 })
})

test('counts accounts by the keys of their tokens, and decrypts every token', async () => {
  await addAccount({})
  await addAccount({ access_token: 'plain', refresh_token: 'plain', id_token: '' })
  await addAccount({ access_token: ['a', newKey], id_token: ['i', newKey] })
  await addAccount({ access_token: ['a', oldKey], refresh_token: ['r', newKey] })
  await addAccount({ access_token: 'e1.2020x.damaged' })
  await addAccount({ refresh_token: 'e1.damaged' })
  // Encrypted with another secret under the same id.
  for (let index = 0; index < 8; index++) await addAccount({ refresh_token: ['r', { ...oldKey, id: newKey.id }] })
  expect(await count({ accountTokens: { keys } })).toEqual({
    sessions: { plain: 0, hashed: 0, foreign: 0 },
    tokens: {
      plain: 3,
      byKey: new Map(Object.entries({ '2026b': 11, '2025a': 1, '2020x': 1 })),
      unreadable: new Map(Object.entries({ '2020x': 1, '2026b': 8 })),
      damaged: 1,
    },
    unprotected: 4,
    encrypted: 12,
  })
})
