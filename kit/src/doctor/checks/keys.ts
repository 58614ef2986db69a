import type { Finding } from '../finding.js'
import { finding } from '../finding.js'
import type { Inspector } from '../inspector.js'
import { samePath } from '../inspector.js'
import { adviceFor } from '../models.js'
import { countDuplicates, rowsIn } from '../rows.js'
import type { Check, DeclaredForeignKey, DeclaredKey, Examined, ExaminedColumn, ExaminedTable } from '../table.js'
import { hasIndex, isUnique, liveColumns } from '../table.js'

/** A key or an index that a table should have. */
interface WantedKey {
  columns: ExaminedColumn[]
  isUnique: boolean
  /** What the database does without the index. */
  reason: string
  /** How the code declares it, if it does. */
  declared?: DeclaredKey | undefined
}

const nameList = (columns: ExaminedColumn[]) => columns.map(({ name }) => name).join(', ')

const hasSame = (one: ExaminedColumn[], other: ExaminedColumn[]) =>
  one.length === other.length && one.every((column) => other.includes(column))

/** The keys and indexes that the library needs, then the others that the code declares. All of their columns are in the database. */
function wantedKeys(table: ExaminedTable): WantedKey[] {
  const { keys, indexed = {} } = table.about
  const isThis = (one: { columns: ExaminedColumn[]; isUnique: boolean }, other: typeof one) =>
    one.isUnique === other.isUnique && hasSame(one.columns, other.columns)
  const needed = [
    ...keys.map((fields) => ({ fields, isUnique: true, reason: '' })),
    ...Object.entries(indexed).map(([field, reason]) => ({ fields: [field], isUnique: false, reason })),
  ].flatMap(({ fields, ...key }) => {
    const columns = liveColumns(table, fields)
    return columns ? { ...key, columns, declared: table.keys.find((one) => isThis(one, { ...key, columns })) } : []
  })
  const others = table.keys.filter((key) => !needed.some((one) => isThis(one, key)) && key.columns.every(({ live }) => live))
  return [...needed, ...others.map((key) => ({ ...key, reason: 'your code declares one', declared: key }))]
}

/** The name that the schema file gives a key or an index: that of drizzle-kit, or of `auth generate`. */
function nameFor({ name, about, exported }: ExaminedTable, { columns, isUnique, declared }: WantedKey): string {
  const names = columns.map((column) => column.name)
  const usesFields = about.library === 'betterAuth'
  if (isUnique && (columns.length === 1 || !usesFields)) return declared?.name ?? [name, ...names, 'unique'].join('_')
  const named = usesFields ? [exported, ...columns.map(({ field }) => field)] : [name, ...names]
  return declared?.name ?? [...named, isUnique ? 'uidx' : 'idx'].join('_')
}

/** The fix for a key or an index that is missing. */
function createIndex({ quote, cannotIndex }: Inspector, table: ExaminedTable, key: WantedKey): Pick<Finding, 'fix' | 'line'> {
  const { columns, isUnique, declared } = key
  const advice = adviceFor(table.about)
  if (columns.some(({ live }) => live && cannotIndex?.(live))) return advice === undefined ? {} : { fix: advice }
  const name = nameFor(table, key)
  // SQLite and PostgreSQL have one such name in a schema.
  const drop = table.live.keys.some((one) => one.name === name) ? `Drop the index ${name}, then: ` : ''
  const names = columns.map((column) => quote(column.name)).join(', ')
  const builder = name.endsWith('_unique') ? 'unique()' : `${isUnique ? 'uniqueIndex' : 'index'}('${name}')`
  return {
    fix: `${drop}CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${table.quoted} (${names});`,
    ...(!declared && { line: `${builder}.on(${columns.map(({ field }) => `table.${field}`).join(', ')})` }),
  }
}

export const compareKeys: Check = {
  about: 'the keys and indexes',
  async find(table, examined) {
    const findings: Finding[] = []
    for (const key of wantedKeys(table)) {
      const { columns } = key
      if (key.isUnique ? isUnique(table, columns) : hasIndex(table, ...columns)) continue
      const at = { table: table.name, column: nameList(columns) }
      const remedy = createIndex(examined.inspector, table, key)
      if (!key.isUnique) {
        const message = `no index starts with ${columns.length > 1 ? 'these columns' : 'this column'}: ${key.reason}`
        findings.push(finding('missing-index', message, { ...at, ...remedy }))
        continue
      }
      const count = await countDuplicates(examined, table, columns)
      const isDeferrable = table.live.keys.some((one) => one.isDeferrable && one.columns.join(', ') === at.column)
      const message = isDeferrable
        ? `the unique key on ${at.column} is deferrable, so several writers can use a value`
        : `no unique key on ${at.column}`
      const fix = remedy.fix && `${count.found > 0 ? 'Delete the duplicates, then: ' : ''}${remedy.fix}`
      findings.push(finding('not-unique', `${message}; duplicates of another row: ${rowsIn(count)}`, { ...at, ...remedy, fix }))
    }
    return findings
  },
}

/** The foreign keys that the code declares, and the one to the users, which the library's own tables need. */
function wantedForeignKeys(table: ExaminedTable, { tables }: Examined): (DeclaredForeignKey & { isDeclared: boolean })[] {
  const users = tables.find(({ about }) => about.role === 'users' && about.library === table.about.library)
  const userId = table.about.fields.userId && liveColumns(table, ['userId'])?.[0]
  const id = users && liveColumns(users, ['id'])?.[0]
  const isNeeded = userId && users && id && !table.foreignKeys.some(({ columns }) => hasSame(columns, [userId]))
  return [
    ...(isNeeded ? [{ columns: [userId], target: users.table, targetColumns: [id.name], onDelete: 'CASCADE', isDeclared: false }] : []),
    ...table.foreignKeys.filter(({ columns }) => columns.every(({ live }) => live)).map((key) => ({ ...key, isDeclared: true })),
  ]
}

export const compareForeignKeys: Check = {
  about: 'the foreign keys',
  find: (table, examined) =>
    wantedForeignKeys(table, examined).flatMap(({ columns, targetColumns, onDelete, isDeclared, ...key }) => {
      const { quote, rebuild } = examined.inspector
      const target = examined.tables.find((one) => one.table === key.target)
      if (!target) return []
      const names = columns.map(({ name }) => name)
      const isSame = (one: readonly string[], other: readonly string[]) => one.join('\0') === other.join('\0')
      const found = table.live.foreignKeys.find(
        (one) =>
          isSame(one.columns, names) &&
          samePath(one.target, target.live) &&
          (one.targetColumns.length === 0 || isSame(one.targetColumns, targetColumns)),
      )
      // With any other rule, the row that is referred to cannot be deleted.
      if (found && (!isDeclared || !/CASCADE|SET/.test(onDelete) || found.rules.includes(` ON DELETE ${onDelete}`))) return []
      // The name that drizzle-kit gives it.
      const name = key.name ?? [table.name, ...names, target.name, ...targetColumns, 'fk'].join('_')
      const list = (each: readonly string[]) => each.map(quote).join(', ')
      const reference = `(${list(names)}) REFERENCES ${target.quoted} (${list(targetColumns)}) ON DELETE ${onDelete}`
      const fix = rebuild ?? `ALTER TABLE ${table.quoted} ADD CONSTRAINT ${quote(name)} FOREIGN KEY ${reference};`
      const field = target.columns.find((one) => one.name === targetColumns[0])?.field
      const line = isDeclared ? undefined : `.references(() => ${target.exported}.${field}, { onDelete: 'cascade' })`
      const at = { table: table.name, column: nameList(columns) }
      if (!found)
        return finding('missing-foreign-key', `no foreign key to ${target.name}: rows can refer to rows that do not exist`, {
          ...at,
          fix,
          line,
        })
      const message = `the foreign key has ON DELETE ${onDelete} in your code, but not in the database`
      return finding('not-cascading', message, { ...at, fix: `Drop the foreign key, then: ${fix}` })
    }),
}

export const reusedIds: Check = {
  about: 'the ids',
  find({ about, live, name: table }) {
    if (about.role !== 'users' || !live.reusesIds) return []
    const message = 'SQLite reuses the ids of deleted users, so a new user may get rows that were left behind'
    const fix = 'Declare the id as integer().primaryKey({ autoIncrement: true }) and rebuild the table.'
    return [finding('reused-ids', message, { table, column: 'id', fix })]
  },
}
