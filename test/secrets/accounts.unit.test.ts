import type { Column, Table } from 'drizzle-orm'
import { getTableColumns, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import { describe, expect, test } from 'vitest'
import { mysql } from '../../src/mysql/dialect.js'
import { pg as postgres } from '../../src/pg/dialect.js'
import type { Dialect, TableStatements } from '../../src/query/dialect.js'
import { Failure } from '../../src/query/errors.js'
import type { AccountTokensMode } from '../../src/secrets/accounts.js'
import { accountModes, accountOf, protectAccounts } from '../../src/secrets/accounts.js'
import type { Cipher, TokenField } from '../../src/secrets/cipher.js'
import { createCipher, parse } from '../../src/secrets/cipher.js'

// What the adapter writes to the table of accounts, and what callers get of its rows.

const newer = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
const older = { id: '2025a', secret: 'the old secret of the tests with 32 characters or more' }
const cipher = createCipher([newer, older])
const key = { provider: 'github', providerAccountId: '42' }
const other = { provider: 'github', providerAccountId: '43' }

const statementsOf = (table: unknown) =>
  ({
    table: table as Table,
    columns: getTableColumns(table as Table) as Record<string, unknown> as Record<string, Column>,
  }) as TableStatements

const accounts = pg.pgTable('account', {
  userId: pg.text().notNull(),
  type: pg.text().notNull(),
  provider: pg.text().notNull(),
  providerAccountId: pg.text('account id').notNull(),
  access_token: pg.text('the access token'),
  refresh_token: pg.text(),
  id_token: pg.text(),
  scope: pg.text(),
})

const protectionIn = (mode: AccountTokensMode, table: unknown = accounts, dialect: Dialect = postgres, with_: Cipher = cipher) =>
  protectAccounts({ mode, cipher: with_ }, statementsOf(table), dialect.sql)
const encrypt = (token: string, field: TokenField = 'access_token', account = key) => cipher.encrypt(token, field, account)

/** The failure of a call, which shows none of these texts. */
async function failureOf(call: PromiseLike<unknown> | unknown, ...texts: string[]): Promise<Failure> {
  const failure = await Promise.resolve(call).then(
    () => expect.fail('did not fail'),
    (error) => error,
  )
  expect(failure).toBeInstanceOf(Failure)
  for (const text of texts) expect(JSON.stringify(failure) + failure.message).not.toContain(text)
  return failure
}

describe('what is written', () => {
  test.each([
    ['ready', 'plain-token'],
    ['migrating', expect.stringMatching(/^e1\.2026b\./)],
    ['encrypted', expect.stringMatching(/^e1\.2026b\./)],
  ] as const)('at %s, a token is %s', async (mode, form) => {
    const values = Object.freeze({ ...key, userId: '1', access_token: 'plain-token', refresh_token: null, scope: 'read' })
    expect(await protectionIn(mode).storedValues(values)).toEqual({ ...values, access_token: form })
  })

  test('at ready, a token that looks encrypted is encrypted', async () => {
    const { access_token } = await protectionIn('ready').storedValues({ ...key, access_token: 'e1.mine' })
    expect(await cipher.decrypt(parse(access_token as string) ?? {}, 'access_token', key)).toBe('e1.mine')
  })

  test('each token is bound to its column and account, of the key where there is one', async () => {
    const tokens = { access_token: 'a', refresh_token: 'r', id_token: 'i' }
    const protection = protectionIn('encrypted')
    for (const stored of [await protection.storedValues({ ...key, ...tokens }), await protection.storedValues(tokens, key)])
      for (const field of ['access_token', 'refresh_token', 'id_token'] as const) {
        const encrypted = parse(stored[field] as string) ?? {}
        expect(await cipher.decrypt(encrypted, field, key)).toBe(tokens[field])
        expect(await cipher.decrypt(encrypted, field, other)).toBeUndefined()
      }
  })

  test('changes without tokens, and keys, are the same', async () => {
    for (const mode of accountModes) {
      const protection = protectionIn(mode)
      expect(await protection.storedValues({ scope: 's', access_token: undefined }, null)).toEqual({ scope: 's' })
      expect(protection.storedKey(key)).toBe(key)
      expect(protection.storedKey(null)).toBeNull()
    }
  })

  test.each([['\ud800-token'], [5], [sql`'expression'`]])('a token that is %o is rejected', async (token) => {
    for (const mode of accountModes) {
      const failure = await failureOf(protectionIn(mode).storedValues({ access_token: token }, key), '-token', 'expression')
      expect(failure).toMatchObject({ kind: 'invalid', details: { table: 'account', column: 'the access token' } })
    }
  })

  test.each([
    { provider: 'github', providerAccountId: sql`'42'` },
    { provider: sql`'github'`, providerAccountId: '42' },
    { provider: 'github' },
    { provider: 'github', providerAccountId: '\ud800' },
  ])('a token of an account whose key is not known is rejected', async (account) => {
    const failure = await failureOf(protectionIn('encrypted').storedValues({ ...account, access_token: 'a-token' }), 'a-token')
    expect(failure).toMatchObject({ kind: 'invalid', details: { table: 'account', column: 'account id' } })
  })

  test('a token that the column would cut is rejected', async () => {
    const small = my.mysqlTable('small', {
      provider: my.varchar({ length: 20 }).notNull(),
      providerAccountId: my.varchar({ length: 20 }).notNull(),
      id_token: my.varchar('the id token', { length: 100 }),
    })
    const protection = protectionIn('encrypted', small, mysql)
    expect(await protection.storedValues({ ...key, id_token: 'x' })).toMatchObject({ id_token: expect.stringMatching(/^e1\./) })
    const long = 'x'.repeat(60)
    const failure = await failureOf(protection.storedValues({ ...key, id_token: long }), long)
    expect(failure).toMatchObject({ kind: 'too-long', details: { table: 'small', column: 'the id token' } })
  })
})

describe('what callers get', () => {
  test('the tokens of every known key, and the other columns as they are', async () => {
    const stored = {
      ...key,
      scope: 'e1.scope',
      access_token: await encrypt('a'),
      refresh_token: await createCipher([older]).encrypt('r', 'refresh_token', key),
      id_token: null,
    }
    for (const mode of accountModes) {
      const row = await protectionIn(mode).reveal({ ...stored }, key)
      expect(row).toEqual({ ...key, scope: 'e1.scope', access_token: 'a', refresh_token: 'r', id_token: null })
    }
  })

  test('plain tokens, until only encrypted ones are accepted', async () => {
    const row = { ...key, access_token: 'plain-token' }
    for (const mode of ['ready', 'migrating'] as const) expect(await protectionIn(mode).reveal({ ...row }, key)).toEqual(row)
    const failure = await failureOf(protectionIn('encrypted').reveal({ ...row }, key), 'plain-token')
    expect(failure).toMatchObject({ kind: 'undecipherable' })
    expect(failure.details).toEqual({ column: 'the access token', hint: undefined })
  })

  test('where a user is looked for by an account, nothing is decrypted', async () => {
    const row = { ...key, access_token: 'e1.2026b.damaged' }
    expect(await protectionIn('encrypted').reveal(row, key, 'joined')).toEqual({ ...key, access_token: 'e1.2026b.damaged' })
  })

  test.each([
    ['of another account', () => encrypt('a', 'access_token', other), '2026b'],
    ['of another column', () => encrypt('a', 'id_token'), '2026b'],
    ['of an unknown key', async () => (await encrypt('a')).replace('2026b', '2020x'), '2020x'],
    ['without a key', async () => 'e1.damaged', undefined],
  ])('a token %s is an error, which names the column and the key', async (_, make, id) => {
    const stored = await make()
    for (const use of [undefined, 'inserted'] as const) {
      const failure = await failureOf(protectionIn('ready').reveal({ ...key, access_token: stored }, key, use), stored)
      expect(failure.kind).toBe('undecipherable')
      expect(failure.details).toEqual({ column: 'the access token', hint: id && `key ${id}` })
    }
  })

  test.each(['removed', 'changed'] as const)('the row without its unreadable tokens, where it is %s', async (use) => {
    const row = { ...key, access_token: 'e1.2026b.damaged', refresh_token: await encrypt('r', 'refresh_token'), id_token: 'plain' }
    expect(await protectionIn('encrypted').reveal(row, key, use)).toEqual({ ...key, refresh_token: 'r' })
  })

  test('an error of another kind is not hidden', async () => {
    const broken = { ...cipher, decrypt: () => Promise.reject(new TypeError('broken')) }
    const protection = protectionIn('encrypted', accounts, postgres, broken)
    const reveal = async () => protection.reveal({ ...key, access_token: await encrypt('a') }, key, 'removed')
    await expect(reveal()).rejects.toThrow(TypeError)
  })

  test('a row without its key cannot be decrypted', async () => {
    const row = { provider: 'github', access_token: await encrypt('a') }
    expect(await failureOf(protectionIn('encrypted').reveal(row, key))).toMatchObject({ kind: 'undecipherable' })
  })
})

describe('the key of an account that a token is bound to', () => {
  const custom = (type: string) =>
    pg
      .customType<{ data: string }>({ dataType: () => type })()
      .notNull()
  const upper = pg.customType<{ data: string; driverData: string }>({
    dataType: () => 'text',
    toDriver: (value) => value.toUpperCase(),
    fromDriver: (value) => `<${value}>`,
  })
  const keyIn = (providerAccountId: unknown, value: unknown) =>
    accountOf(statementsOf(pg.pgTable('account', { provider: pg.text().notNull(), providerAccountId } as never)), {
      provider: 'github ',
      providerAccountId: value,
    })?.providerAccountId

  test.each([
    ['char(5)', pg.char({ length: 5 }).notNull()],
    ['bpchar', custom('bpchar(5)')],
    ['nchar', custom('nchar(5)')],
    ['CHAR', custom('CHAR(5)')],
  ])('does not include the padding of %s', (_, column) => {
    for (const value of ['4 2', '4 2 ', '4 2  ']) expect(keyIn(column, value)).toBe('4 2')
    expect(keyIn(column, ' 42')).toBe(' 42')
    expect(keyIn(column, '42\t')).toBe('42\t')
  })

  test.each([
    ['text', pg.text().notNull()],
    ['varchar', pg.varchar({ length: 5 }).notNull()],
    ['character varying', custom('character varying(5)')],
    ['a type of its own', custom('charm')],
  ])('includes the spaces at the end of %s', (_, column) => expect(keyIn(column, '42  ')).toBe('42  '))

  test('is what a custom type reads back', () => expect(keyIn(upper().notNull(), 'ab')).toBe('<AB>'))

  test.each([undefined, null, 42, sql`'42'`, '\ud800'])('is not known where a part is %o', (value) => {
    expect(keyIn(pg.char({ length: 5 }).notNull(), value)).toBeUndefined()
    const statements = statementsOf(accounts)
    expect(accountOf(statements, { provider: value, providerAccountId: '42' })).toBeUndefined()
    expect(accountOf(statements, key)).toEqual(key)
    const binary = () => my.varbinary({ length: 20 }).notNull()
    const binaries = statementsOf(my.mysqlTable('account', { provider: binary(), providerAccountId: binary() }))
    expect(accountOf(binaries, { provider: 'github', providerAccountId: value })).toBeUndefined()
    expect(accountOf(binaries, key)).toEqual(key)
    const template = pg.customType<{ data: string }>({ dataType: () => 'text', toDriver: (part) => `${part}` })
    expect(keyIn(template().notNull(), value === '\ud800' ? undefined : value)).toBeUndefined()
  })
})
