import { sql } from '../../query/drizzle.js'
import type { Finding } from '../finding.js'
import { finding } from '../finding.js'
import { samePath } from '../inspector.js'
import { isKey } from '../model.js'
import { key, rowsIn, sumOfGroups } from '../rows.js'
import type { Check, Subject, SubjectColumn, SubjectTable } from '../subject.js'
import { isUnique, liveColumns } from '../subject.js'

const nameList = (columns: SubjectColumn[]) => columns.map(({ name }) => name).join(', ')

const createIndex = (
  { inspector }: Subject,
  { name, quoted, about }: SubjectTable,
  columns: SubjectColumn[],
  suffix: 'key' | 'idx',
): string | undefined => {
  if (columns.some(({ live }) => live && inspector.cannotIndex?.(live))) return about.advice
  const names = columns.map((column) => column.name)
  const index = inspector.quote([name, ...(about.namesIndexesByField ? columns.map(({ field }) => field) : names), suffix].join('_'))
  return `CREATE ${suffix === 'key' ? 'UNIQUE ' : ''}INDEX ${index} ON ${quoted} (${names.map(inspector.quote).join(', ')});`
}

/** The keys of the table: those of the library, and single columns that the code declares as unique. */
const keysOf = ({ about, columns }: SubjectTable): readonly (readonly string[])[] => {
  const declared = columns.filter(({ column }) => column.isUnique || column.primary).map(({ field }) => [field])
  return [...about.keys, ...declared.filter(([field]) => !about.keys.some((key) => key.length === 1 && key[0] === field))]
}

/** Keys that identify a row, but are not unique in the database. */
export const uniqueKeys: Check = async (subject) => {
  const findings: Finding[] = []
  for (const table of subject.tables)
    for (const fields of keysOf(table)) {
      const columns = liveColumns(table, fields)
      if (!columns || isUnique(table, columns)) continue
      const check = async () => {
        const count = await sumOfGroups(subject, table, columns, sql`count(*) - 1`)
        const message = `no unique key on ${nameList(columns)}; duplicates of another row: ${rowsIn(count)}`
        const create = createIndex(subject, table, columns, 'key')
        const fix = create && `${count.found > 0 ? 'Delete the duplicates, then: ' : ''}${create}`
        return [finding('not-unique', message, { table: table.name, column: nameList(columns), ...(fix && { fix }) })]
      }
      findings.push(...(await subject.attempt(table, check)))
    }
  return findings
}

// Some apps compare addresses loosely on purpose.
const mayBeLoose = ['email', 'identifier']

/** Keys that the database compares loosely, with the number of pairs of rows that it treats as equal. */
export const looseCollations: Check = async (subject) => {
  const findings: Finding[] = []
  for (const table of subject.tables) {
    const { keys, advice } = table.about
    for (const column of table.columns) {
      if (!isKey(table.about, column.field) || !column.live?.looseCollation) continue
      const own = keys.map((fields) => (fields.includes(column.field) ? liveColumns(table, fields) : undefined)).find(Boolean)
      const { quoted, name } = table
      const { inspector } = subject
      const collation = column.live.looseCollation
      const check = async () => {
        const pairs = own && !isUnique(table, own) ? await collisions(subject, table, own) : ''
        return [
          finding('loose-collation', `the collation ${collation} treats different texts as equal${pairs}`, {
            severity: mayBeLoose.includes(column.field) ? 'warning' : 'error',
            table: name,
            column: column.name,
            fix:
              advice !== undefined && isLoose(column)
                ? advice
                : inspector.changeType(quoted, inspector.quote(column.name), column.column.getSQLType(), column.column.notNull),
          }),
        ]
      }
      findings.push(...(await subject.attempt(table, check)))
    }
  }
  return findings
}

/** Whether the declared type leaves the collation to the database. */
const isLoose = ({ column }: SubjectColumn) => !/binary|blob|collate/i.test(column.getSQLType())

async function collisions(subject: Subject, table: SubjectTable, columns: SubjectColumn[]): Promise<string> {
  const [first, ...others] = columns.map((_, index) => subject.inspector.exact(key(index)))
  const spellings = others.length === 0 ? sql`${first}` : sql`${sql.join([first, ...others], subject.inspector.between)}`
  const distinct = sql`count(distinct ${spellings})`
  const count = await sumOfGroups(subject, table, columns, sql`${distinct} * (${distinct} - 1) / 2`)
  return count.found === 0 ? '' : `; pairs of rows that collide: ${count.found}${count.isPartial ? ' among those that were read' : ''}`
}

export const missingIndexes: Check = (subject) =>
  subject.tables.flatMap((table) =>
    Object.entries(table.about.indexed).flatMap(([field, reason]) => {
      const columns = liveColumns(table, [field])
      if (!columns || hasIndex(table, columns[0] as SubjectColumn)) return []
      const fix = createIndex(subject, table, columns, 'idx')
      const message = `no index starts with this column: ${reason}`
      return finding('missing-index', message, { table: table.name, column: nameList(columns), ...(fix && { fix }) })
    }),
  )

export const hasIndex = ({ live }: SubjectTable, { name }: SubjectColumn) => live.keys.some(({ columns: [first] }) => first === name)

export const foreignKeys: Check = ({ tables, inspector }) => {
  const users = tables.find(({ about }) => about.model === 'users')
  return tables.flatMap((table) => {
    const column = table.about.fields.userId && liveColumns(table, ['userId'])?.[0]
    if (!users || !column) return []
    const found = table.live.foreignKeys.find(({ columns, target }) => columns.join() === column.name && samePath(target, users.live))
    if (found && / ON DELETE CASCADE\b/.test(found.rules)) return []
    const id = users.columns.find(({ field }) => field === 'id')?.name ?? 'id'
    const fix = inspector.addForeignKey(table.quoted, inspector.quote(column.name), users.quoted, inspector.quote(id))
    const at = { table: table.name, column: column.name }
    return found
      ? finding('not-cascading', 'the foreign key does not delete the row together with its user (ON DELETE CASCADE)', {
          ...at,
          fix: `Drop the foreign key, then: ${fix}`,
        })
      : finding('missing-foreign-key', 'no foreign key to the users table: rows can belong to users who do not exist', { ...at, fix })
  })
}

export const reusedIds: Check = ({ tables }) =>
  tables
    .filter(({ about, live }) => about.model === 'users' && live.reusesIds)
    .map(({ name }) =>
      finding('reused-ids', 'SQLite reuses the ids of deleted users, so a new user may get rows that were left behind', {
        table: name,
        column: 'id',
        fix: 'Declare the id as integer().primaryKey({ autoIncrement: true }) and rebuild the table.',
      }),
    )
