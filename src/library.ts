import type { Column, Table } from 'drizzle-orm'
import type { AccountNames } from './models.js'
import { getTableColumns, getTableName } from './query/drizzle.js'
import { configError } from './query/errors.js'
import { isAlias, isTable } from './query/internals.js'
import { dataOf, isNumeric, kindOf, typeOf } from './query/kinds.js'
import type { Tables } from './types.js'

/** The libraries whose tables are recognized. */
const libraries = { authjs: 'Auth.js', betterAuth: 'Better Auth' } as const

export type Library = keyof typeof libraries

/** How a table is recognized. */
interface Role {
  /** Its usual name. It may be plural, have a prefix, or end in `Table`. */
  name: string
  /** A table with the usual name is recognized by any of these columns. */
  any: readonly string[]
  /** A table with any name is recognized by all of these columns. */
  all: readonly string[]
  /** The type of data that `emailVerified` never has in this library. */
  emailVerifiedIsNot?: 'boolean' | 'date'
}

const roles = {
  authjs: {
    usersTable: { name: 'user', any: ['email'], all: ['id', 'email', 'emailVerified'], emailVerifiedIsNot: 'boolean' },
    accountsTable: { name: 'account', any: ['provider', 'providerAccountId'], all: ['provider', 'providerAccountId', 'userId'] },
    sessionsTable: { name: 'session', any: ['sessionToken'], all: ['sessionToken', 'userId', 'expires'] },
    verificationTokensTable: { name: 'verificationToken', any: ['token', 'expires'], all: ['identifier', 'token', 'expires'] },
    authenticatorsTable: { name: 'authenticator', any: ['credentialID'], all: ['credentialID', 'credentialPublicKey', 'userId'] },
  },
  betterAuth: {
    user: { name: 'user', any: ['email'], all: ['id', 'email', 'emailVerified', 'createdAt', 'updatedAt'], emailVerifiedIsNot: 'date' },
    account: { name: 'account', any: ['providerId', 'accountId'], all: ['providerId', 'accountId', 'userId'] },
    // Access tokens of plugins also have a token, a user and an end, so a session under another name needs more columns.
    session: { name: 'session', any: ['token', 'expiresAt'], all: ['token', 'expiresAt', 'userId', 'ipAddress', 'userAgent'] },
    verification: { name: 'verification', any: ['value', 'expiresAt'], all: ['identifier', 'value', 'expiresAt'] },
    rateLimit: { name: 'rateLimit', any: ['lastRequest'], all: ['key', 'count', 'lastRequest'] },
  },
} as const satisfies Record<Library, Record<string, Role>>

/** What each library calls the columns of an account whose tokens can be encrypted. */
export const accountNames = {
  authjs: {
    provider: 'provider',
    providerAccountId: 'providerAccountId',
    access_token: 'access_token',
    refresh_token: 'refresh_token',
    id_token: 'id_token',
  },
  betterAuth: {
    provider: 'providerId',
    providerAccountId: 'accountId',
    access_token: 'accessToken',
    refresh_token: 'refreshToken',
    id_token: 'idToken',
  },
} as const satisfies Record<Library, AccountNames>

/** Better Auth's own tables. Sessions, verifications and rate limits may be stored elsewhere. */
export type BetterAuthTables = { [Name in keyof typeof roles.betterAuth]?: Table }

/** The exports of a schema file for Better Auth. */
export type BetterAuthSchema = Readonly<Record<string, unknown>> & { [Name in keyof Tables]?: never }

/** The tables of a schema, by the library that they belong to and their role in it. */
export interface LibraryTables {
  /** As `DrizzleAdapter` takes them. Absent if the schema has no tables of Auth.js. */
  authjs?: Partial<Tables>
  /** Absent if the schema has no tables of Better Auth. */
  betterAuth?: BetterAuthTables
  /** All other tables, by the names of their exports: those of plugins, and the app's own. */
  others: Record<string, Table>
}

/** A table of a schema, or one of a live database. */
interface Candidate {
  /** The name of its export, if it has one, and its name in the database. */
  names: readonly string[]
  columns: readonly string[]
  /** The type of data in the column `emailVerified`. */
  emailVerified?: string | undefined
}

/** What to do if tables of Better Auth were passed to `DrizzleAdapter`. */
export const useOtherAdapter = "For tables of Better Auth: import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'"

/** The same, if one of these is the columns of Better Auth's accounts, sessions or verifications. */
export const otherLibrary = (tables: readonly object[]): string | undefined =>
  tables.some((columns) => /providerId,.*accountId|accountId,.*providerId|expiresAt/.test(Object.keys(columns).join()))
    ? useOtherAdapter
    : undefined

/** The columns of the tables among these values, also of tables that are passed as `{ schema }`. */
export const columnsIn = (given: object | undefined): object[] =>
  Object.values({ ...given, ...Object((given as { schema?: object } | undefined)?.schema) }).flatMap((table) =>
    isTable(table) ? [getTableColumns(table)] : [],
  )

/** What tables are recognized by, for messages. */
export const lookedFor =
  'Auth.js has a table session with sessionToken and a table account with provider; Better Auth has a table session with token and expiresAt and a table account with providerId'

/** The names of the libraries that have tables here: `Auth.js`, `Better Auth`, or both. */
export const librariesIn = (found: { [Name in Library]?: unknown }): string =>
  (Object.keys(libraries) as Library[]).flatMap((name) => (found[name] ? libraries[name] : [])).join(' and ')

/** Finds the tables of each library among the exports of a schema. Other exports, such as relations, are ignored. */
export function libraryTables(schema: Readonly<Record<string, unknown>>, caller: string): LibraryTables {
  const candidates = Object.entries(schema).flatMap(([name, table]) => (isTable(table) && !isAlias(table) ? candidateOf(name, table) : []))
  const found = recognize(candidates, caller)
  const tablesOf = (library: Library) => Object.fromEntries([...(found[library] ?? [])].map(([role, { table }]) => [role, table]))
  const betterAuth = tablesOf('betterAuth')
  const taken = new Set(Object.values(betterAuth))
  // The names of the contract are enough, unless the tables are Better Auth's. What the tables lack is reported by their checks.
  const isNamed = (name: string) => name in roles.authjs && schema[name] !== undefined && !taken.has(schema[name] as Table)
  const named = found.betterAuth && !found.authjs ? [] : Object.keys(schema).filter(isNamed)
  const authjs = { ...tablesOf('authjs'), ...Object.fromEntries(named.map((name) => [name, schema[name] as Table])) }
  for (const table of Object.values(authjs)) taken.add(table)
  return {
    ...(Object.keys(authjs).length > 0 && { authjs: authjs as Partial<Tables> }),
    ...(Object.keys(betterAuth).length > 0 && { betterAuth }),
    others: Object.fromEntries(candidates.flatMap(({ names: [name], table }) => (taken.has(table) ? [] : [[name, table]]))),
  }
}

/** The tables of each library, by their roles. */
export function recognize<T extends Candidate>(candidates: readonly T[], caller: string): { [Name in Library]?: Map<string, T> } {
  const found: { [Name in Library]?: Map<string, T> } = {}
  for (const library of Object.keys(libraries) as Library[]) {
    const tables = tablesIn(library, candidates, caller)
    if (tables.size > 0) found[library] = tables
  }
  return found
}

function candidateOf(name: string, table: Table): Candidate & { names: [string, string]; table: Table } {
  const columns = getTableColumns(table) as Record<string, Column>
  const { emailVerified } = columns
  return { names: [name, getTableName(table)], columns: Object.keys(columns), emailVerified: emailVerified && dataOf(emailVerified), table }
}

const isOf = ({ any, all, emailVerifiedIsNot }: Role, { columns, emailVerified }: Candidate, needs: 'any' | 'all'): boolean => {
  if (emailVerified !== undefined && emailVerified === emailVerifiedIsNot) return false
  return needs === 'any' ? any.some((name) => columns.includes(name)) : all.every((name) => columns.includes(name))
}

/** The columns that identify a row of Better Auth's: the primary key, or `id`. Throws if they cannot. */
export function keyOf(table: Table, what: string): string[] {
  const columns = getTableColumns(table) as Record<string, Column & { autoIncrement?: boolean }>
  const primary = Object.entries(columns).filter(([, column]) => column.primary)
  const key = primary.length > 0 ? primary : Object.entries(columns).filter(([name]) => name === 'id')
  if (key.length === 0) configError(`${what} has neither a primary key nor a column id`)
  for (const [name, column] of key)
    if (kindOf(column) === 'other' || isNumeric(column))
      configError(`${what} has the key ${name} of the type ${typeOf(column)}; a key must be a text, a uuid, an integer or a date`)
  // MySQL returns the number that it generated, but no other default.
  const defaulted = key.find(([, column]) => !column.autoIncrement && column.hasDefault && !column.defaultFn)
  if (defaulted && key.some(([, column]) => column.autoIncrement))
    configError(`${what} has the key ${defaulted[0]} with a default beside an auto-increment key. Give ${defaulted[0]} a $defaultFn`)
  return key.map(([name]) => name)
}

/** What precedes the usual name of a role in a name, or undefined if it is another name. */
function prefixIn(name: string, role: Role): string | undefined {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .replace(/tables?$/, '')
  const usual = role.name.toLowerCase()
  const own = [usual, `${usual}s`].find((each) => plain.endsWith(each))
  return own === undefined ? undefined : plain.slice(0, -own.length)
}

function tablesIn<T extends Candidate>(library: Library, candidates: readonly T[], caller: string): Map<string, T> {
  const own = Object.entries<Role>(roles[library])
  const other = Object.values<Role>(roles[library === 'authjs' ? 'betterAuth' : 'authjs'])
  const isOthers = (role: Role, each: T) =>
    !isOf(role, each, 'any') && other.some((one) => one.name === role.name && isOf(one, each, 'any'))
  // A name alone is not enough, and the tables of users differ only in emailVerified.
  const isEvident = (role: Role, each: T, prefix: string | undefined) =>
    isOf(role, each, prefix === '' && role.name !== 'user' ? 'any' : 'all') && (role.name !== 'user' || prefix !== undefined)
  if (!candidates.some((each) => own.some(([, role]) => each.names.some((name) => isEvident(role, each, prefixIn(name, role))))))
    return new Map()

  // The tables of one app have the same prefix. Names of exports count more than those in the database.
  for (const index of [0, 1]) {
    const prefixOf = (role: Role, { names }: T) => (names[index] === undefined ? undefined : prefixIn(names[index], role))
    const evident = new Set(
      own.flatMap(([, role]) =>
        candidates.filter((each) => isEvident(role, each, prefixOf(role, each))).map((each) => prefixOf(role, each)),
      ),
    )
    evident.delete(undefined)
    const prefixes = evident.has('') ? [''] : [...evident]
    if (prefixes.length > 1)
      configError(
        `${caller}: the schema has several sets of tables of ${libraries[library]}, with the prefixes ${prefixes.join(', ')}. Pass one of them`,
      )
    if (prefixes.length === 0) continue
    const found = new Map<string, T>()
    for (const [name, role] of own) {
      const named = candidates.filter((each) => prefixOf(role, each) === prefixes[0] && !isOthers(role, each))
      const best = named.find((each) => isOf(role, each, 'all')) ?? named.find((each) => isOf(role, each, 'any')) ?? named[0]
      if (best) found.set(name, best)
    }
    return withOthers(found, own, candidates)
  }
  return withOthers(new Map(), own, candidates)
}

/** Adds the tables with other names, which are recognized by their columns. */
function withOthers<T extends Candidate>(found: Map<string, T>, own: [string, Role][], candidates: readonly T[]): Map<string, T> {
  for (const [name, role] of own) {
    const alike = candidates.filter((each) => isOf(role, each, 'all') && ![...found.values()].includes(each))
    if (!found.has(name) && alike.length === 1) found.set(name, alike[0] as T)
  }
  return found
}
