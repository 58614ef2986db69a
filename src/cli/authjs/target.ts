import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { Problem } from '../command.js'
import type { Database, DialectName, ModelName } from '../core.js'
import { inspectors } from '../core.js'
import { describeDeclared } from '../moving/declared.js'
import type { Current, NewColumn, NewTable } from '../moving/model.js'

/** Better Auth's tables, with the fields by which each is recognized, and the table of Auth.js whose rows it gets. */
const roles = {
  user: { fields: ['id', 'name', 'email', 'emailVerified', 'createdAt', 'updatedAt'], model: 'users' },
  account: { fields: ['id', 'userId', 'accountId', 'providerId', 'accessToken', 'password'], model: 'accounts' },
  session: { fields: ['id', 'userId', 'token', 'expiresAt', 'ipAddress', 'userAgent'], model: 'sessions' },
  verification: { fields: ['id', 'identifier', 'value', 'expiresAt'], model: 'verificationTokens' },
  passkey: { fields: ['id', 'userId', 'credentialID', 'publicKey', 'counter', 'deviceType', 'backedUp'], model: 'authenticators' },
} as const satisfies Record<string, { fields: string[]; model: ModelName }>

type Name = keyof typeof roles

/** The tables of the schema file. Passkeys need a plugin. */
export type Target = Record<Exclude<Name, 'passkey'>, NewTable> & {
  passkey?: NewTable
  /** All other tables of the file: those of other plugins, and the app's own. */
  others: NewTable[]
}

export async function readTarget(
  db: Database,
  dialect: DialectName,
  current: Current,
  tables: Record<string, Table>,
  schemaSource: string,
): Promise<Target> {
  const found = new Map<Table, Name>()
  for (const name of Object.keys(roles) as Name[]) {
    const alike = Object.entries(tables).filter(([, table]) => {
      const columns = getTableColumns(table) as Record<string, Column>
      return roles[name].fields.every((field) => columns[field])
    })
    const [first] = alike
    if (alike.length > 1)
      throw new Problem(`${schemaSource} exports more than one table that could be Better Auth's ${name}: ${alike.map(([own]) => own)}.`, 2)
    if (first) found.set(first[1], name)
    else if (name !== 'passkey')
      throw new Problem(
        `${schemaSource} exports no table with the fields of Better Auth's ${name}: ${roles[name].fields.join(', ')}. Write the file with npx auth generate, and pass it with --schema.`,
        2,
      )
  }
  const given = [...new Set(Object.values(tables))].map((table) => ({ table, model: roles[found.get(table) ?? 'verification'].model }))
  const declared = await describeDeclared(db, dialect, inspectors[dialect], given)
  for (const path of declared.flatMap((table) => [table.path, ...table.foreignKeys.map(({ target }) => target)]))
    Object.assign(path, current.pathOf(path))
  const target: Partial<Target> & { others: NewTable[] } = { others: [] }
  given.forEach(({ table }, index) => {
    const name = found.get(table)
    if (name) target[name] = declared[index] as NewTable
    else target.others.push(declared[index] as NewTable)
  })
  return target as Target
}

export const columnOf = ({ columns }: NewTable, field: string): NewColumn | undefined => columns.find((column) => column.field === field)

/** The column of a field by which the table was recognized. */
export const mustColumn = (table: NewTable, field: string) => columnOf(table, field) as NewColumn
