import type { LiveColumn, LiveTable } from '../core.js'

/** The tables of Auth.js, with the fields that the plan reads. A table is recognized by the fields that are marked. */
const roles = {
  users: { name: 'user', has: ['id', 'email', 'emailVerified'], may: ['name', 'image'] },
  accounts: {
    name: 'account',
    has: ['userId', 'provider', 'providerAccountId'],
    may: ['type', 'refresh_token', 'access_token', 'expires_at', 'scope', 'id_token'],
  },
  sessions: { name: 'session', has: ['sessionToken', 'userId', 'expires'], may: [] },
  verificationTokens: { name: 'verificationToken', has: ['identifier', 'token', 'expires'], may: [] },
  authenticators: {
    name: 'authenticator',
    has: ['credentialID', 'userId', 'credentialPublicKey', 'counter', 'credentialDeviceType', 'credentialBackedUp'],
    may: ['transports', 'providerAccountId'],
  },
} as const

export type Role = keyof typeof roles
export const roleNames = Object.keys(roles) as Role[]

/** A table of Auth.js in the database. */
export interface SourceTable {
  live: LiveTable
  /** The column of a field, whatever its casing. */
  column(field: string): LiveColumn | undefined
}

/** A name without its casing: `providerAccountId` and `provider_account_id` are the same. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[_\s-]/g, '')

export function sourceTable(live: LiveTable): SourceTable {
  return { live, column: (field) => live.columns.find(({ name }) => plain(name) === plain(field)) }
}

/** The tables that could have a role. If several could, only those with the name that the documentation of Auth.js gives it. */
export function candidatesFor(role: Role, tables: LiveTable[], prefix = ''): SourceTable[] {
  const { name: documented, has } = roles[role]
  const isNamed = ({ live: { name } }: SourceTable) =>
    [plain(documented), `${plain(documented)}s`].includes(plain(name.slice(prefix.length)))
  const found = tables
    .filter(({ name }) => name.startsWith(prefix))
    .map(sourceTable)
    .filter((table) => has.every((field) => table.column(field)) && (role !== 'users' || isNamed(table) || isReferenced(table, tables)))
  const named = found.filter(isNamed)
  return found.length > 1 && named.length > 0 ? named : found
}

/** Whether accounts belong to the rows of the table. */
const isReferenced = ({ live }: SourceTable, tables: LiveTable[]) =>
  candidatesFor('accounts', tables).some((accounts) =>
    accounts.live.foreignKeys.some(({ target }) => target.name === live.name && target.schema === live.schema),
  )

export const documentedName = (role: Role) => roles[role].name
