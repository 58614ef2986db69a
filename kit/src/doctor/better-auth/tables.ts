import type { BetterAuthTables, FieldKind } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import { pageUrl } from '../finding.js'
import type { TableModel } from '../model.js'
import { withoutIndex } from '../model.js'

/** Columns of each kind, by their names. */
const of = (kind: FieldKind, ...names: string[]) => Object.fromEntries(names.map((name) => [name, { kind }]))

const advice = `Get the types of this package with doctor --from better-auth: ${pageUrl('better-auth-moving.md#new-types-for-old-columns')}`
const plain = { advice, namesIndexesByField: true, indexed: {}, lengths: {}, bits: {} } as const
const { user: userId, expires: expiresAt, lookup: identifier } = withoutIndex
const dates = ['createdAt', 'updatedAt']

/** The tables that Better Auth has without plugins. Their columns stay the same throughout version 1. */
const tables = {
  user: {
    ...plain,
    model: 'users',
    fields: { ...of('id', 'id'), ...of('string', 'name', 'email', 'image'), ...of('boolean', 'emailVerified'), ...of('date', ...dates) },
    keys: [['id'], ['email']],
    lengths: { id: 32, email: 254 },
  },
  account: {
    ...plain,
    model: 'accounts',
    fields: {
      ...of('id', 'id', 'userId'),
      ...of('string', 'accountId', 'providerId', 'accessToken', 'refreshToken', 'idToken', 'scope', 'password'),
      ...of('date', 'accessTokenExpiresAt', 'refreshTokenExpiresAt', ...dates),
    },
    keys: [['id'], ['providerId', 'accountId']],
    indexed: { userId },
    lengths: {
      ...{ id: 32, userId: 32, providerId: 32, accountId: 255, scope: 1000, password: 161 },
      ...{ accessToken: 4096, refreshToken: 4096, idToken: 4096 },
    },
  },
  session: {
    ...plain,
    model: 'sessions',
    fields: { ...of('id', 'id', 'userId'), ...of('string', 'token', 'ipAddress', 'userAgent'), ...of('date', 'expiresAt', ...dates) },
    keys: [['id'], ['token']],
    indexed: { userId, expiresAt },
    expires: 'expiresAt',
    lengths: { id: 32, userId: 32, token: 32, ipAddress: 45 },
  },
  verification: {
    ...plain,
    model: 'verificationTokens',
    fields: { ...of('id', 'id'), ...of('string', 'identifier', 'value'), ...of('date', 'expiresAt', ...dates) },
    keys: [['id']],
    compared: ['identifier'],
    indexed: { identifier, expiresAt },
    expires: 'expiresAt',
    // A value that may be used once has a SHA-256 hash in base64 as its id.
    lengths: { id: 43, identifier: 254 },
  },
  rateLimit: {
    ...plain,
    model: 'rateLimits',
    fields: { ...of('id', 'id'), ...of('string', 'key'), ...of('number', 'count', 'lastRequest') },
    keys: [['key']],
    // Milliseconds since 1970.
    bits: { lastRequest: 41 },
  },
} satisfies Record<keyof BetterAuthTables, TableModel>

/** Tables of plugins and of the app: only what the code declares is known. */
const others: TableModel = { ...plain, model: 'others', fields: {}, keys: [] }

/** The tables of a schema for Better Auth: its own first, then all others. */
export function betterAuthTables(own: BetterAuthTables, rest: Readonly<Record<string, Table>>): { about: TableModel; table: Table }[] {
  return [
    ...(Object.keys(tables) as (keyof typeof tables)[]).flatMap((role) => {
      const table = own[role]
      return table ? [{ about: tables[role], table }] : []
    }),
    ...Object.values(rest).map((table) => ({ about: others, table })),
  ]
}
