import { getTableName, sql } from 'drizzle-orm'
import { alias, boolean, pgTable, text, timestamp } from 'drizzle-orm/pg-core'
import { describe, expect, inject, test } from 'vitest'
import { libraryTables } from '../../src/library.js'
import * as mysqlTables from '../support/schema/mysql.js'
import * as pgTables from '../support/schema/pg.js'
import * as sqliteTables from '../support/schema/sqlite.js'

const authjs = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }
/** A table whose columns are texts, but for those with another type. */
const tableWith = (name: string, names: string, types: object = {}) =>
  pgTable(name, { ...Object.fromEntries(names.split(' ').map((each) => [each, text()])), ...types })
const sessionColumns = 'id token userId expiresAt ipAddress userAgent'

/** The columns of Better Auth's tables by which they are recognized. */
const betterAuthTables = {
  user: tableWith('user', 'id name email createdAt updatedAt', { emailVerified: boolean() }),
  account: tableWith('account', 'id providerId accountId userId password'),
  session: tableWith('session', sessionColumns),
  verification: tableWith('verification', 'id identifier value expiresAt'),
  rateLimit: tableWith('rate_limit', 'id key count lastRequest'),
}

/** The roles of each library, with the names of the exports that have them. */
function rolesIn(schema: Record<string, unknown>) {
  const { others, ...found } = libraryTables(schema, 'test')
  const nameOf = (table: unknown) => Object.keys(schema).find((name) => schema[name] === table)
  const named = Object.entries(found).map(([library, tables]) => [
    library,
    Object.fromEntries(Object.entries(tables).map(([role, table]) => [role, nameOf(table)])),
  ])
  return { ...Object.fromEntries(named), others: Object.keys(others) }
}

/** The tables of Better Auth under other export names, and with other names in the database. */
const renamed = (name: (role: string) => string) =>
  Object.fromEntries(Object.entries(betterAuthTables).map(([role, table]) => [name(role), table]))

const capitalized = (name: string) => name[0]?.toUpperCase() + name.slice(1)

const betterAuthRoles = (name: (role: string) => string) =>
  Object.fromEntries(['user', 'account', 'session', 'verification', 'rateLimit'].map((role) => [role, name(role)]))

describe.each(inject('dialects'))('the tables of a schema for %s', (dialect) => {
  test("are Auth.js's with sessionToken and provider", () => {
    const tables = authjs[dialect] as Record<string, unknown>
    const names = Object.keys(tables).filter((name) => name.endsWith('Table'))
    expect(rolesIn({ ...tables, relations: {} })).toEqual({ authjs: Object.fromEntries(names.map((name) => [name, name])), others: [] })
  })
})

describe('the tables of a schema', () => {
  test("are Better Auth's with token and providerId", () => {
    expect(rolesIn({ ...betterAuthTables, userRelations: {} })).toEqual({ betterAuth: betterAuthRoles((role) => role), others: [] })
  })

  test('may be of both', () => {
    const { authjs: first, betterAuth: second, others } = rolesIn({ ...pgTables, ...betterAuthTables })
    expect(Object.keys(first)).toContain('sessionsTable')
    expect(second).toEqual(betterAuthRoles((role) => role))
    expect(others).toEqual([])
  })

  test.each([
    ['plural', (role: string) => `${role}s`],
    ['ending in Table', (role: string) => `${role}Table`],
    ['plural and ending in Table, as in Auth.js', (role: string) => `${role}sTable`],
    ['with a prefix', (role: string) => `auth${capitalized(role)}`],
    ['with a prefix and an underscore, plural', (role: string) => `my_app_${role}s`],
  ])('may be %s', (_, name) => {
    expect(rolesIn(renamed(name))).toEqual({ betterAuth: betterAuthRoles(name), others: [] })
  })

  test('may have names of their own', () => {
    const { user: people, account: logins, session: devices, verification: codes } = betterAuthTables
    const own = { people, logins, devices, codes }
    expect(rolesIn(own)).toEqual({
      betterAuth: { user: 'people', account: 'logins', session: 'devices', verification: 'codes' },
      others: [],
    })
    // In the database, they may still have the usual ones.
    expect(getTableName(devices)).toBe('session')
    const renamedSession = tableWith('devices', sessionColumns)
    expect(rolesIn({ account: betterAuthTables.account, devices: renamedSession }).betterAuth).toEqual({
      account: 'account',
      session: 'devices',
    })
  })

  test('of plugins and of the app are others', () => {
    const plugin = {
      oauthAccessToken: tableWith('oauth_access_token', 'id token userId expiresAt'),
      uploadSession: tableWith('upload_session', 'id token userId expiresAt'),
      ssoProvider: tableWith('sso_provider', 'id providerId userId'),
    }
    const { session, ...withoutSessions } = betterAuthTables
    expect(rolesIn({ ...betterAuthTables, ...plugin })).toMatchObject({ betterAuth: { session: 'session' }, others: Object.keys(plugin) })
    const { betterAuth: found, others } = rolesIn({ ...withoutSessions, ...plugin })
    expect(found).not.toHaveProperty('session')
    expect(others).toEqual(Object.keys(plugin))
    expect(rolesIn(plugin)).toEqual({ others: Object.keys(plugin) })
    expect(rolesIn({ ...pgTables, ...plugin })).not.toHaveProperty('betterAuth')
  })

  test('may be some of them', () => {
    const { session, verification } = betterAuthTables
    expect(rolesIn({ session, verification }).betterAuth).toEqual({ session: 'session', verification: 'verification' })
    expect(rolesIn({ sessionsTable: pgTables.sessionsTable })).toEqual({ authjs: { sessionsTable: 'sessionsTable' }, others: [] })
  })

  test('of users are told apart by emailVerified', () => {
    const users = tableWith('users', 'id email createdAt updatedAt', { emailVerified: timestamp() })
    const user = tableWith('user', 'id email createdAt updatedAt', { emailVerified: boolean() })
    expect(rolesIn({ users })).toEqual({ authjs: { usersTable: 'users' }, others: [] })
    expect(rolesIn({ user })).toEqual({ betterAuth: { user: 'user' }, others: [] })
    expect(rolesIn({ users, user })).toEqual({ authjs: { usersTable: 'users' }, betterAuth: { user: 'user' }, others: [] })
    const own = tableWith('users', 'id email')
    expect(rolesIn({ users: own })).toEqual({ others: ['users'] })
    expect(rolesIn({ users: own, accounts: pgTables.accountsTable }).authjs).toEqual({ usersTable: 'users', accountsTable: 'accounts' })
    expect(rolesIn({ users: own, accounts: betterAuthTables.account }).betterAuth).toEqual({ user: 'users', account: 'accounts' })
  })

  test('with the names of the contract are of Auth.js, whatever they lack', () => {
    expect(rolesIn({ sessionsTable: tableWith('session', 'id') })).toEqual({
      authjs: { sessionsTable: 'sessionsTable' },
      others: [],
    })
  })

  test('of two apps are refused', () => {
    const schemaOf = (name: string) => ({
      [`${name}Session`]: tableWith(`${name}_session`, sessionColumns),
      [`${name}Account`]: tableWith(`${name}_account`, 'id providerId accountId userId'),
    })
    expect(rolesIn(schemaOf('shop')).betterAuth).toEqual({ session: 'shopSession', account: 'shopAccount' })
    expect(() => rolesIn({ ...schemaOf('shop'), ...schemaOf('admin') })).toThrow(
      'test: the schema has several sets of tables of Better Auth, with the prefixes shop, admin. Pass one of them',
    )
  })

  test('are no other exports', () => {
    expect(rolesIn({ session: null, account: sql`1`, user: 'user', verification: alias(betterAuthTables.verification, 'v') })).toEqual({
      others: [],
    })
  })
})
