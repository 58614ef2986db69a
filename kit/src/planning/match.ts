import type { ModelName } from 'drizzle-auth-adapter/internal'
import type { LiveColumn, LiveTable } from '../doctor/inspector.js'
import { samePath } from '../doctor/inspector.js'
import type { Catalog, Match, NewColumn, NewTable } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** What a plan can move from. */
export type Source = 'official' | 'prisma' | 'kysely' | 'better-auth' | 'authjs'

/** The tables of Auth.js, with the names that its documentation gives them and the fields by which each is recognized. */
const roles = {
  users: { name: 'user', has: ['id', 'email', 'emailVerified'] },
  accounts: { name: 'account', has: ['userId', 'provider', 'providerAccountId'] },
  sessions: { name: 'session', has: ['sessionToken', 'userId', 'expires'] },
  verificationTokens: { name: 'verificationToken', has: ['identifier', 'token', 'expires'] },
  authenticators: {
    name: 'authenticator',
    has: ['credentialID', 'userId', 'credentialPublicKey', 'counter', 'credentialDeviceType', 'credentialBackedUp'],
  },
} as const

export type Role = keyof typeof roles

/** A name without its casing: `providerAccountId` and `provider_account_id` are the same. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[_\s-]/g, '')

/** Existing tables that may hold the rows: with the same name, or with the old adapter's name in any casing. */
function candidatesFor({ path }: NewTable, documented: string, { tables }: Catalog): LiveTable[] {
  const here = tables.filter(({ schema }) => schema === path.schema)
  const found = here.filter((table) => plain(table.name) === plain(path.name) || isNamed(table, documented))
  const rank = ({ name }: LiveTable) => Number(name === path.name) + Number(name.toLowerCase() === path.name.toLowerCase())
  return found.sort((one, other) => rank(other) - rank(one))
}

/** The tables that a plan turns into declared ones of the same library, and those that are missing. */
export function matchTables(source: Exclude<Source, 'authjs'>, declared: NewTable[], catalog: Catalog) {
  const notices: Notice[] = []
  const matches: Match[] = []
  const missing: NewTable[] = []
  for (const now of declared) {
    const same = catalog.tables.find(({ schema, name }) => schema === now.path.schema && name === now.path.name)
    const documented = source === 'better-auth' ? now.path.name.replace(/s$/, '') : roles[now.model as Role].name
    const candidates = source === 'better-auth' && same ? [same] : candidatesFor(now, documented, catalog)
    if (candidates.length > 1) notices.push(twoTables(now.path.name, candidates))
    if (candidates[0]) matches.push(matchOf(now, candidates[0]))
    else missing.push(now)
  }
  // Only some ways to sign in need verification tokens and passkeys.
  const essential = missing.filter(({ model }) => !['verificationTokens', 'authenticators', 'others'].includes(model))
  return { matches, missing, notices: [...notices, ...essential.map(({ path }) => missingTable(path.name))] }
}

export function matchOf(now: NewTable, old: LiveTable): Match {
  const names = new Set(now.columns.map(({ name }) => name))
  const columnFor = ({ name, field }: NewColumn): LiveColumn | undefined => {
    const exact = old.columns.find((column) => column.name === name)
    if (exact) return exact
    const alike = old.columns.filter((column) => !names.has(column.name) && [plain(name), plain(field)].includes(plain(column.name)))
    return alike.length === 1 ? alike[0] : undefined
  }
  const columns = now.columns.map((column) => ({ now: column, old: columnFor(column) }))
  return { now, old, columns, others: old.columns.filter((column) => !columns.some((each) => each.old === column)) }
}

export const pairOf = ({ columns }: Match, field: string) => columns.find(({ now }) => now.field === field)
export const columnOf = ({ columns }: NewTable, field: string): NewColumn | undefined => columns.find((column) => column.field === field)

/** The column of a field of Auth.js, whatever its casing. */
export const liveColumnOf = ({ columns }: { columns: LiveColumn[] }, field: string) =>
  columns.find(({ name }) => plain(name) === plain(field))

const isNamed = ({ name }: LiveTable, documented: string) => [plain(documented), `${plain(documented)}s`].includes(plain(name))

/** The tables that could have a role. If several could, only those with the name that the documentation of Auth.js gives it. */
function authjsCandidates(role: Role, tables: LiveTable[]): LiveTable[] {
  const { name, has } = roles[role]
  const alike = tables.filter((table) => has.every((field) => liveColumnOf(table, field)))
  // Other tables may have the columns of users: accounts belong to none of their rows.
  const owners = role === 'users' ? authjsCandidates('accounts', tables).flatMap(({ foreignKeys }) => foreignKeys) : []
  const found = alike.filter((table) => role !== 'users' || isNamed(table, name) || owners.some(({ target }) => samePath(target, table)))
  const named = found.filter((table) => isNamed(table, name))
  return found.length > 1 && named.length > 0 ? named : found
}

export function matchAuthjs(tables: LiveTable[]): { found: Partial<Record<Role, LiveTable>>; notices: Notice[] } {
  const found: Partial<Record<Role, LiveTable>> = {}
  const notices: Notice[] = []
  for (const role of Object.keys(roles) as Role[]) {
    const { name } = roles[role]
    const candidates = authjsCandidates(role, tables)
    if (candidates[0]) found[role] = candidates[0]
    if (candidates.length > 1) notices.push(twoTables(name, candidates))
    if (candidates.length === 0 && role !== 'verificationTokens' && role !== 'authenticators') notices.push(missingTable(name))
  }
  return { found, notices }
}

const twoTables = (name: string, candidates: LiveTable[]) =>
  notice('two-tables', [name], `more than one table could hold the rows: ${candidates.map((table) => table.name).join(' or ')}`)

function missingTable(name: string) {
  const message = 'the database has no table with this name and its columns, or with the name that the old adapter uses'
  return notice('missing-table', [name], message, 'Check --url and the names and schemas of the tables in your schema file.')
}

/** Better Auth's tables, with the fields by which each is recognized, and the model of Auth.js whose rows it gets. */
const targets = {
  user: { fields: ['id', 'name', 'email', 'emailVerified', 'createdAt', 'updatedAt'], model: 'users' },
  account: { fields: ['id', 'userId', 'accountId', 'providerId', 'accessToken', 'password'], model: 'accounts' },
  session: { fields: ['id', 'userId', 'token', 'expiresAt', 'ipAddress', 'userAgent'], model: 'sessions' },
  verification: { fields: ['id', 'identifier', 'value', 'expiresAt'], model: 'verificationTokens' },
  passkey: { fields: ['id', 'userId', 'credentialID', 'publicKey', 'counter', 'deviceType', 'backedUp'], model: 'authenticators' },
} as const satisfies Record<string, { fields: string[]; model: ModelName }>

type TargetName = keyof typeof targets

/** The tables of a schema file of Better Auth. Passkeys need a plugin. `others` are those of other plugins, and the app's own. */
export type Target<Table> = Record<Exclude<TargetName, 'passkey'>, Table> & { passkey?: Table; others: Table[] }

/** Finds Better Auth's tables by their fields. Throws a message about a table that is missing or declared twice. */
export function findTarget<Table>(tables: Record<string, Table>, fieldsOf: (table: Table) => string[], refuse: (why: string) => never) {
  const found: Partial<Record<TargetName, Table>> = {}
  for (const name of Object.keys(targets) as TargetName[]) {
    const alike = Object.entries(tables).filter(([, table]) => targets[name].fields.every((field) => fieldsOf(table).includes(field)))
    const [first] = alike
    if (alike.length > 1) refuse(`exports more than one table that could be Better Auth's ${name}: ${alike.map(([own]) => own)}.`)
    if (first) found[name] = first[1]
    else if (name !== 'passkey')
      refuse(
        `exports no table with the fields of Better Auth's ${name}: ${targets[name].fields.join(', ')}. Write the file with npx auth generate, and pass it with --schema.`,
      )
  }
  const taken = new Set(Object.values(found))
  return { ...found, others: [...new Set(Object.values(tables))].filter((table) => !taken.has(table)) } as Target<Table>
}

/** The tables that a plan creates. */
export const freshOf = <Table>({ account, session, verification, passkey }: Target<Table>): Table[] => [
  account,
  session,
  verification,
  ...(passkey ? [passkey] : []),
]

export const modelOf = (name: string): ModelName => targets[name as TargetName].model
