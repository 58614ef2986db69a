import type { BetterAuthTables, FieldKind, LibraryTables, ModelName, Tables } from 'drizzle-auth-adapter/internal'
import { keys, modelNames, models, tokenFields } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { pageUrl } from './finding.js'

/** What the checks know about a table of a library. Columns have their names in code. */
export interface TableModel {
  readonly library: 'authjs' | 'betterAuth'
  /** Its role in the library. `others` are tables of plugins and of the app. */
  readonly role: ModelName | 'rateLimits' | 'others'
  /** What the library's own columns hold. */
  readonly fields: Readonly<Record<string, { readonly kind: FieldKind }>>
  /** The columns that identify a row. */
  readonly keys: readonly (readonly string[])[]
  /** Other columns that must be compared exactly. */
  readonly compared?: readonly string[]
  /** Columns by which rows are looked up, with what the database does without an index. */
  readonly indexed?: Readonly<Record<string, string>>
  /** The lengths that real values reach. */
  readonly lengths?: Readonly<Record<string, number>>
  /** The bits that real numbers need, without the sign. */
  readonly bits?: Readonly<Record<string, number>>
}

/** A table that the app passes, and what is known about it. */
export interface GivenTable {
  about: TableModel
  table: Table
}

const userId = "the database reads the whole table to find or delete a user's rows"
const expires = 'the database reads the whole table to find expired rows'

type Known = Omit<TableModel, 'library' | 'role' | 'fields'>

const authjs: Record<ModelName, Known> = {
  users: { keys: [keys.users, ['email']], lengths: { id: 36, email: 254 } },
  accounts: {
    keys: [keys.accounts],
    indexed: { userId },
    lengths: {
      ...{ userId: 36, provider: 32, providerAccountId: 255, scope: 1000 },
      ...Object.fromEntries(tokenFields.map((field) => [field, 4096])),
    },
    bits: { expires_at: 32 },
  },
  sessions: { keys: [keys.sessions], indexed: { userId, expires }, lengths: { sessionToken: 46, userId: 36 } },
  verificationTokens: { keys: [keys.verificationTokens], indexed: { expires }, lengths: { identifier: 254, token: 64 } },
  authenticators: {
    keys: [keys.authenticators],
    indexed: { userId },
    // Credential ids may have 1,023 bytes, which are 1,364 characters in base64.
    lengths: { userId: 36, credentialID: 1364, providerAccountId: 1364, credentialPublicKey: 500 },
    bits: { counter: 32 },
  },
}

/** Columns of each kind, by their names. */
const of = (kind: FieldKind, ...names: string[]) => Object.fromEntries(names.map((name) => [name, { kind }]))
const dates = of('date', 'createdAt', 'updatedAt')

/** The tables that Better Auth has without plugins. Their columns stay the same throughout version 1. */
const betterAuth: Record<keyof BetterAuthTables, Omit<TableModel, 'library'>> = {
  user: {
    role: 'users',
    fields: { ...of('id', 'id'), ...of('string', 'name', 'email', 'image'), ...of('boolean', 'emailVerified'), ...dates },
    keys: [['id'], ['email']],
    lengths: { id: 32, email: 254 },
  },
  account: {
    role: 'accounts',
    fields: {
      ...of('id', 'id', 'userId'),
      ...of('string', 'accountId', 'providerId', 'accessToken', 'refreshToken', 'idToken', 'scope', 'password'),
      ...of('date', 'accessTokenExpiresAt', 'refreshTokenExpiresAt'),
      ...dates,
    },
    keys: [['id'], ['providerId', 'accountId']],
    indexed: { userId },
    lengths: {
      ...{ id: 32, userId: 32, providerId: 32, accountId: 255, scope: 1000, password: 161 },
      ...{ accessToken: 4096, refreshToken: 4096, idToken: 4096 },
    },
  },
  session: {
    role: 'sessions',
    fields: { ...of('id', 'id', 'userId'), ...of('string', 'token', 'ipAddress', 'userAgent'), ...of('date', 'expiresAt'), ...dates },
    keys: [['id'], ['token']],
    indexed: { userId, expiresAt: expires },
    lengths: { id: 32, userId: 32, token: 32, ipAddress: 45 },
  },
  verification: {
    role: 'verificationTokens',
    fields: { ...of('id', 'id'), ...of('string', 'identifier', 'value'), ...of('date', 'expiresAt'), ...dates },
    keys: [['id']],
    compared: ['identifier'],
    indexed: { identifier: 'the database reads the whole table for each lookup', expiresAt: expires },
    // A value that may be used once has a SHA-256 hash in base64 as its id.
    lengths: { id: 43, identifier: 254 },
  },
  rateLimit: {
    role: 'rateLimits',
    fields: { ...of('id', 'id'), ...of('string', 'key'), ...of('number', 'count', 'lastRequest') },
    keys: [['key']],
    // Milliseconds since 1970.
    bits: { lastRequest: 41 },
  },
}

/** The tables of Auth.js that are given, in the order of the contract. */
export function givenTables(given: Partial<Tables>): { model: ModelName; table: Table }[] {
  return modelNames.flatMap((model) => {
    const table = given[`${model}Table`]
    return table ? [{ model, table }] : []
  })
}

const authjsModel = (role: ModelName): TableModel => ({ library: 'authjs', role, fields: models[role], ...authjs[role] })

/** The tables of both libraries in a schema. With Better Auth, the other tables follow: the code alone says what they hold. */
export const modelsOf = (given: LibraryTables): GivenTable[] => [
  ...givenTables(given.authjs ?? {}).map(({ model, table }) => ({ about: authjsModel(model), table })),
  ...(Object.keys(betterAuth) as (keyof BetterAuthTables)[]).flatMap((name) => {
    const table = given.betterAuth?.[name]
    return table ? [{ about: { library: 'betterAuth' as const, ...betterAuth[name] }, table }] : []
  }),
  ...Object.values(given.betterAuth ? given.others : {}).map((table) => ({ about: others, table })),
]

const others: TableModel = { library: 'betterAuth', role: 'others', fields: {}, keys: [] }

/** Whether a column must be compared exactly: it identifies a row or a user. */
export const identifies = ({ fields, keys, compared = [] }: TableModel, field: string) =>
  fields[field]?.kind === 'id' || [...keys, compared].some((each) => each.includes(field))

/** The same for a column of Auth.js. */
export const isKey = (model: ModelName, field: string) => identifies(authjsModel(model), field)

/** How to get better columns, if the schema file itself declares a type that is part of the problem. */
export const adviceFor = ({ library }: TableModel): string | undefined =>
  library === 'betterAuth'
    ? `Get the types of this package with doctor --from better-auth: ${pageUrl('better-auth-moving.md#new-types-for-old-columns')}`
    : undefined
