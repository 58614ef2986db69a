import type { DialectName } from '../../support/dialects.js'
import { tableSet } from '../../support/table-sets.js'

// NO ACTION is left out: RESTRICT is at least as strict on every database.
const actions = [undefined, 'cascade', 'restrict', 'set null']

export type TableSet = ReturnType<typeof tableSetsOf>[number]

/** Table sets without foreign keys to the users table and with each ON DELETE action, side by side in one database. */
export function tableSetsOf(dialect: DialectName) {
  return actions.map((onDelete, index) => {
    const prefix = `f${index}_`
    const { tables, migrations } = tableSet(dialect, { prefix, onDelete })
    const { verificationTokensTable: _, ...owned } = tables
    return { title: onDelete ? `on delete ${onDelete}` : 'no foreign keys', prefix, tables: owned, migrations }
  })
}

/** Statements that insert a user with two accounts, two sessions and two authenticators. */
export function insertUser(dialect: DialectName, { prefix }: TableSet, id: string): string[] {
  const q = dialect === 'mysql' ? '`' : '"'
  const [user, expires] = [`'${id}'`, dialect === 'sqlite' ? '4000000000000' : `'2100-01-01'`]
  const insert = (table: string, columns: string[], ...rows: string[][]) =>
    `insert into ${prefix}${table} (${columns.map((name) => q + name + q)}) values ${rows.map((row) => `(${row})`)}`
  const twice = (row: (key: string) => string[]) => [`'${id} 1'`, `'${id} 2'`].map(row)
  const authenticator = ['userId', 'credentialID', 'providerAccountId', 'credentialPublicKey', 'counter', 'credentialDeviceType']
  return [
    insert('user', ['id', 'email'], [user, `'${id}@example.com'`]),
    insert('session', ['userId', 'sessionToken', 'expires'], ...twice((key) => [user, key, expires])),
    insert('account', ['userId', 'type', 'provider', 'providerAccountId'], ...twice((key) => [user, `'oauth'`, `'p'`, key])),
    insert('authenticator', [...authenticator, 'credentialBackedUp'], ...twice((key) => [user, key, key, `'k'`, '0', `'d'`, 'true'])),
  ]
}

type Run = (statement: string) => Promise<Record<string, unknown>[]>

/** Number of rows of a user per table. Matches the rows' own keys, because SET NULL clears `userId`. */
export async function countRows(run: Run, dialect: DialectName, { prefix }: TableSet, id: string): Promise<Record<string, number>> {
  const q = dialect === 'mysql' ? '`' : '"'
  const keys = { user: 'id', account: 'providerAccountId', session: 'sessionToken', authenticator: 'credentialID' }
  const counts = Object.entries(keys).map(
    ([table, key]) => `(select count(*) from ${prefix}${table} where ${q}${key}${q} like '${id}%') as ${q}${table}${q}`,
  )
  const [row] = await run(`select ${counts}`)
  return Object.fromEntries(Object.entries(row ?? {}).map(([table, count]) => [table, Number(count)]))
}

export const allRows = { user: 1, account: 2, session: 2, authenticator: 2 }
export const noRows = { user: 0, account: 0, session: 0, authenticator: 0 }
