import { inspect } from 'node:util'
import { AdapterConfigError } from 'drizzle-auth-adapter'
import { DrizzleAdapter as mysqlAdapter } from 'drizzle-auth-adapter/mysql'
import { DrizzleAdapter as pgAdapter } from 'drizzle-auth-adapter/pg'
import type { SecretsOptions } from 'drizzle-auth-adapter/secrets'
import { protectSecrets, secretsAtRest } from 'drizzle-auth-adapter/secrets'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql-proxy'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/pg-proxy'
import { describe, expect, test } from 'vitest'
import * as mysqlSchema from '../schema/mysql.js'
import * as pgSchema from '../schema/pg.js'
import { keys, newKey } from './modes.js'

const secret = 'TopSecret-TopSecret-TopSecret-TopSecret'
const short = 'TopSecret'

/** The AdapterConfigError that is thrown, as a log would show it. */
function configErrorOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(AdapterConfigError)
    return inspect(error, { depth: 9 })
  }
  return expect.fail('no error was thrown')
}

const wrong: [name: string, options: unknown, message: RegExp][] = [
  ['no options', undefined, /options must be an object/],
  ['options that are a string', secret, /options must be an object/],
  ['an unknown option', { sessions: 'hashed', [short]: 1 }, /options must be an object with sessionTokens and accountTokens/],
  ['an unknown mode of sessions', { sessionTokens: secret }, /sessionTokens must be one of plain, ready, migrating, hashed/],
  ['a mode of accounts for sessions', { sessionTokens: 'encrypted' }, /sessionTokens must be one of/],
  ['no mode of sessions', { sessionTokens: { hmac: secret } }, /sessionTokens\.mode must be one of/],
  ['null for sessions', { sessionTokens: null }, /sessionTokens must be an object/],
  ['a missing hmac', { sessionTokens: { mode: 'hashed', hmac: undefined } }, /sessionTokens\.hmac is missing/],
  ['a short hmac', { sessionTokens: { mode: 'hashed', hmac: short } }, /sessionTokens\.hmac must be a text of 32 characters/],
  ['an hmac that is not a string', { sessionTokens: { mode: 'hashed', hmac: [secret] } }, /sessionTokens\.hmac must be a text/],
  ['a string for accounts', { accountTokens: secret }, /accountTokens must be an object with mode and keys/],
  ['no keys', { accountTokens: {} }, /accountTokens\.keys must be a list of one key or more/],
  ['an empty list of keys', { accountTokens: { keys: [] } }, /accountTokens\.keys must be a list of one key or more/],
  ['one key instead of a list', { accountTokens: { keys: { id: short, secret } } }, /accountTokens\.keys must be a list/],
  ['a key that is a string', { accountTokens: { keys: [secret] } }, /accountTokens\.keys\[0\] must be an object with id and secret/],
  ['a missing secret', { accountTokens: { keys: [newKey, { id: 'x', secret: undefined }] } }, /keys\[1\]\.secret is missing\. Is its/],
  ['an empty secret', { accountTokens: { keys: [{ id: 'x', secret: '' }] } }, /keys\[0\]\.secret is missing/],
  ['a short secret', { accountTokens: { keys: [{ id: secret, secret: short }] } }, /keys\[0\]\.secret must be a text of 32 characters/],
  ['a secret that is not a string', { accountTokens: { keys: [{ id: 'x', secret: { secret } }] } }, /keys\[0\]\.secret must be a text/],
  [
    'a secret that is not valid Unicode',
    { accountTokens: { keys: [{ id: 'x', secret: `${secret}\ud800` }] } },
    /keys\[0\]\.secret must be a text/,
  ],
  ['an empty id', { accountTokens: { keys: [{ id: '', secret }] } }, /keys\[0\]\.id must be a text, not empty/],
  ['an id with a dot', { accountTokens: { keys: [{ id: `${short}.1`, secret }] } }, /keys\[0\]\.id must be .* without dots/],
  ['an id with a space', { accountTokens: { keys: [{ id: `${short} 1`, secret }] } }, /keys\[0\]\.id must be/],
  ['no id', { accountTokens: { keys: [{ secret }] } }, /keys\[0\]\.id must be/],
  ['two keys with the same id', { accountTokens: { keys: [...keys, { id: newKey.id, secret }] } }, /keys\[2\] has the id of another key/],
  [
    'an unknown mode of accounts',
    { accountTokens: { mode: secret, keys } },
    /accountTokens\.mode must be one of ready, migrating, encrypted/,
  ],
  ['the mode of sessions for accounts', { accountTokens: { mode: 'hashed', keys } }, /accountTokens\.mode must be one of/],
  ['an unknown option of accounts', { accountTokens: { keys, [short]: 1 } }, /accountTokens must be an object with mode and keys/],
]

describe('secretsAtRest rejects without showing a secret', () => {
  test.each(wrong)('%s', (_, options, message) => {
    const text = configErrorOf(() => secretsAtRest(options as SecretsOptions))
    expect(text).toMatch(message)
    for (const value of [short, newKey.secret, 'the old secret']) expect(text).not.toContain(value)
  })

  test('no valid options', () => {
    for (const options of [
      {},
      { sessionTokens: 'plain' },
      { sessionTokens: { mode: 'ready' } },
      { sessionTokens: { mode: 'hashed', hmac: secret } },
      { accountTokens: { keys } },
      { sessionTokens: 'hashed', accountTokens: { mode: 'encrypted', keys: [{ id: 'schlüssel-1', secret }] } },
    ] satisfies SecretsOptions[])
      expect(() => secretsAtRest(options)).not.toThrow()
  })
})

test('what secretsAtRest returns shows no secret', () => {
  const secrets = secretsAtRest({ sessionTokens: { mode: 'hashed', hmac: secret }, accountTokens: { keys } })
  const shown = `${inspect(secrets, { depth: 9, showHidden: true })}${JSON.stringify(secrets)}`
  for (const value of [secret, newKey.secret]) expect(shown).not.toContain(value)
})

describe('DrizzleAdapter rejects', () => {
  const pgDb = drizzlePg(async () => ({ rows: [] }))
  const mysqlDb = drizzleMysql(async () => ({ rows: [] }))
  const all = secretsAtRest({ sessionTokens: 'ready', accountTokens: { mode: 'ready', keys } })
  const none = secretsAtRest({ sessionTokens: 'plain' })

  const pgWith = (sessionToken: unknown) => ({
    ...pgSchema,
    sessionsTable: pg.pgTable('session', {
      sessionToken: sessionToken as ReturnType<typeof pg.text>,
      userId: pg.text('userId').notNull(),
      expires: pg.timestamp('expires', { mode: 'date' }).notNull(),
    }),
  })
  const pgWithToken = (access_token: unknown) => ({
    ...pgSchema,
    accountsTable: pg.pgTable('account', {
      userId: pg.text('userId').notNull(),
      type: pg.text('type').notNull(),
      provider: pg.text('provider').notNull(),
      providerAccountId: pg.text('providerAccountId').notNull(),
      access_token: access_token as ReturnType<typeof pg.text>,
    }),
  })

  test.each([
    ['uuid', pg.uuid('sessionToken')],
    ['varchar(45)', pg.varchar('sessionToken', { length: 45 })],
    ['char(36)', pg.char('sessionToken', { length: 36 })],
    ['char', pg.char('sessionToken')],
    ['a custom uuid', pg.customType<{ data: string }>({ dataType: () => 'uuid' })('sessionToken')],
  ])('session tokens in %s', (_, column) => {
    const tables = pgWith(column)
    expect(configErrorOf(() => pgAdapter(pgDb, tables, { secrets: all }))).toMatch(
      /DrizzleAdapter: the column sessionToken of sessionsTable is .*, which cannot hold a protected token/,
    )
    expect(() => pgAdapter(pgDb, tables, { secrets: none })).not.toThrow()
    expect(() => pgAdapter(pgDb, tables)).not.toThrow()
  })

  test.each([
    ['varchar(3999)', pg.varchar('access_token', { length: 3_999 })],
    ['char(255)', pg.char('access_token', { length: 255 })],
  ])('OAuth tokens in %s', (_, column) => {
    expect(configErrorOf(() => pgAdapter(pgDb, pgWithToken(column), { secrets: all }))).toMatch(
      /the column access_token of accountsTable is/,
    )
    expect(() => pgAdapter(pgDb, pgWithToken(column), { secrets: none })).not.toThrow()
  })

  test('no columns that are long enough', () => {
    for (const column of [pg.varchar('sessionToken', { length: 46 }), pg.varchar('sessionToken'), pg.text('sessionToken')])
      expect(() => pgAdapter(pgDb, pgWith(column), { secrets: all })).not.toThrow()
    for (const column of [pg.varchar('access_token', { length: 4_000 }), pg.text('access_token')])
      expect(() => pgAdapter(pgDb, pgWithToken(column), { secrets: all })).not.toThrow()
    expect(() => mysqlAdapter(mysqlDb, mysqlSchema, { secrets: all })).not.toThrow()
  })

  test('tokens in a tinytext column on MySQL', () => {
    const bytes = my.customType<{ data: string }>({ dataType: () => 'varbinary(1020)' })
    const accountsTable = my.mysqlTable('account', {
      userId: bytes('userId').notNull(),
      type: my.text('type').notNull(),
      provider: my.varchar('provider', { length: 255 }).notNull(),
      providerAccountId: my.varchar('providerAccountId', { length: 255 }).notNull(),
      refresh_token: my.tinytext('refresh_token'),
      access_token: my.text('access_token'),
    })
    const { usersTable } = mysqlSchema
    const sessionsTable = mysqlSchema.sessionsTable
    const loose = { usersTable, accountsTable, sessionsTable } as unknown as typeof mysqlSchema
    expect(configErrorOf(() => mysqlAdapter(mysqlDb, loose, { secrets: all }))).toMatch(/refresh_token of accountsTable is tinytext/)
  })

  test('secrets that are not from secretsAtRest', () => {
    for (const secrets of [secret, {}, null, { keys }])
      expect(configErrorOf(() => pgAdapter(pgDb, pgSchema, { secrets: secrets as never }))).toMatch(
        /secrets must be what secretsAtRest returns/,
      )
  })
})

describe('protectSecrets rejects', () => {
  const db = drizzlePg(async () => ({ rows: [] }))
  const configErrorFor = async (options: unknown, tables: object = pgSchema) =>
    protectSecrets(db, tables as typeof pgSchema, options as never).then(
      () => expect.fail('no error was thrown'),
      (error) => {
        expect(error).toBeInstanceOf(AdapterConfigError)
        return String(error.message)
      },
    )
  const migrating = secretsAtRest({ sessionTokens: 'migrating', accountTokens: { mode: 'migrating', keys } })

  test('missing secrets, and secrets in an earlier mode', async () => {
    expect(await configErrorFor(undefined)).toMatch(/options must be an object/)
    expect(await configErrorFor({})).toMatch(/secrets must be what secretsAtRest returns/)
    expect(await configErrorFor({ secrets: { ...migrating } })).toMatch(/secrets must be what secretsAtRest returns/)
    expect(await configErrorFor({ secrets: secretsAtRest({ sessionTokens: 'ready' }) })).toMatch(
      /sessionTokens is at 'ready'.*'migrating' first/,
    )
    expect(await configErrorFor({ secrets: secretsAtRest({ accountTokens: { mode: 'ready', keys } }) })).toMatch(
      /accountTokens is at 'ready'/,
    )
    expect(await configErrorFor({ secrets: secretsAtRest({}) })).toMatch(/no table is given whose secrets are protected/)
    expect(await configErrorFor({ secrets: migrating }, {})).toMatch(/no table is given whose secrets are protected/)
  })

  test('other invalid options', async () => {
    for (const [options, message] of [
      [{ before: new Date() }, /there is no option before\. Options are secrets, batch, pause, signal, onProgress/],
      [{ batch: 0 }, /batch must be a whole number/],
      [{ pause: -1 }, /pause must be/],
      [{ signal: 1 }, /signal must be/],
      [{ onProgress: 1 }, /onProgress must be/],
    ] as const)
      expect(await configErrorFor({ secrets: migrating, ...options })).toMatch(message)
  })
})
