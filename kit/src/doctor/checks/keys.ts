import { sql } from 'drizzle-auth-adapter/internal'
import type { Finding } from '../finding.js'
import { finding } from '../finding.js'
import { samePath } from '../inspector.js'
import { isKey } from '../model.js'
import { key, rowsIn, sumOfGroups } from '../rows.js'
import type { Check, Subject, SubjectColumn, SubjectKey, SubjectTable } from '../subject.js'
import { isUnique, liveColumns } from '../subject.js'

const nameList = (columns: SubjectColumn[]) => columns.map(({ name }) => name).join(', ')

/** The fix for a key or an index that is missing, under the name that the schema file gives it: that of drizzle-kit, or of `auth generate`. */
const createIndex = (
  { inspector }: Subject,
  { name, quoted, about, exported, live }: SubjectTable,
  columns: SubjectColumn[],
  isUnique: boolean,
  declared?: { name?: string | undefined },
): Pick<Finding, 'fix' | 'line'> => {
  if (columns.some(({ live }) => live && inspector.cannotIndex?.(live))) return about.advice === undefined ? {} : { fix: about.advice }
  const names = columns.map((column) => column.name)
  const fields = columns.map(({ field }) => field)
  const isKey = isUnique && (columns.length === 1 || !about.namesIndexesByField)
  const byField = about.namesIndexesByField ? [exported, ...fields] : [name, ...names]
  const usual = isKey ? [name, ...names, 'unique'] : [...byField, isUnique ? 'uidx' : 'idx']
  const index = declared?.name ?? usual.join('_')
  const builder = isKey ? 'unique()' : `${isUnique ? 'uniqueIndex' : 'index'}('${index}')`
  // SQLite and PostgreSQL have one such name in a schema.
  const isTaken = live.keys.some((key) => key.name === index)
  return {
    fix: `${isTaken ? `Drop the index ${index}, then: ` : ''}CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${inspector.quote(index)} ON ${quoted} (${names.map(inspector.quote).join(', ')});`,
    ...(!declared && { line: `${builder}.on(${fields.map((field) => `table.${field}`).join(', ')})` }),
  }
}

const sameFields = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((field) => other.includes(field))

/** The keys of the table: those of the library, and those that the code declares as unique. */
const keysOf = ({ about, keys }: SubjectTable): { fields: readonly string[]; declared: SubjectKey | undefined }[] => {
  const unique = keys.filter(({ isUnique }) => isUnique)
  const isOwn = ({ fields }: SubjectKey) => about.keys.some((key) => sameFields(key, fields))
  return [
    ...about.keys.map((fields) => ({ fields, declared: unique.find((key) => sameFields(key.fields, fields)) })),
    ...unique.filter((key) => !isOwn(key)).map((key) => ({ fields: key.fields, declared: key })),
  ]
}

/** Keys that identify a row, but are not unique in the database. */
export const uniqueKeys: Check = async (subject) => {
  const findings: Finding[] = []
  for (const table of subject.tables)
    for (const { fields, declared } of keysOf(table)) {
      const columns = liveColumns(table, fields)
      if (!columns || isUnique(table, columns)) continue
      const check = async () => {
        const count = await sumOfGroups(subject, table, columns, sql`count(*) - 1`)
        const message = `no unique key on ${nameList(columns)}; duplicates of another row: ${rowsIn(count)}`
        const { fix, ...line } = createIndex(subject, table, columns, true, declared)
        const after = fix && `${count.found > 0 ? 'Delete the duplicates, then: ' : ''}${fix}`
        return [finding('not-unique', message, { table: table.name, column: nameList(columns), ...line, ...(after && { fix: after }) })]
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
  subject.tables.flatMap((table) => {
    const { indexed } = table.about
    const declared = table.keys.filter(
      ({ isUnique, fields: [first = '', ...others] }) => !isUnique && (others.length > 0 || !indexed[first]),
    )
    const keyOn = (field: string) => table.keys.find(({ isUnique, fields }) => !isUnique && fields.join() === field)
    return [
      ...Object.entries(indexed).map(([field, reason]) => ({ fields: [field], reason, key: keyOn(field) })),
      ...declared.map((key) => ({ fields: key.fields, key, reason: 'your code declares one' })),
    ].flatMap(({ fields, reason, key }) => {
      const columns = liveColumns(table, fields)
      if (!columns || hasIndex(table, ...columns)) return []
      const message = `no index starts with ${columns.length > 1 ? 'these columns' : 'this column'}: ${reason}`
      const remedy = createIndex(subject, table, columns, false, key)
      return finding('missing-index', message, { table: table.name, column: nameList(columns), ...remedy })
    })
  })

/** Whether an index starts with these columns. */
export const hasIndex = ({ live }: SubjectTable, ...columns: SubjectColumn[]) =>
  live.keys.some((key) => columns.every(({ name }, index) => key.columns[index] === name))

/** The foreign key of the library's own tables to the users, and what is wrong without it. */
const toUsers = {
  onDelete: 'CASCADE',
  missing: 'no foreign key to the users table: rows can belong to users who do not exist',
  different: 'the foreign key does not delete the row together with its user (ON DELETE CASCADE)',
}

export const foreignKeys: Check = ({ tables, inspector }) => {
  const users = tables.find(({ about }) => about.model === 'users')
  const list = (names: readonly string[]) => names.map(inspector.quote).join(', ')
  return tables.flatMap((table) => {
    const id = users?.columns.find(({ field }) => field === 'id')?.name ?? 'id'
    const own =
      table.about.fields.userId && users ? [{ ...toUsers, name: undefined, fields: ['userId'], target: users, targetColumns: [id] }] : []
    const declared = table.foreignKeys.flatMap((key) => {
      const target = tables.find(({ names }) => names.name === key.target.name && names.schema === key.target.schema)
      if (!target || (own.length > 0 && key.fields.join() === 'userId')) return []
      const onDelete = key.onDelete.toUpperCase()
      return {
        ...{ name: key.name, fields: key.fields, target, targetColumns: key.targetColumns, onDelete },
        missing: `no foreign key to ${target.name}, which your code declares: rows can refer to rows that do not exist`,
        different: `the foreign key has ON DELETE ${onDelete} in your code, but not in the database`,
      }
    })
    return [...own, ...declared].flatMap(({ name, fields, target, targetColumns, onDelete, missing, different }) => {
      const columns = liveColumns(table, fields)
      if (!columns) return []
      const names = columns.map(({ name }) => name)
      const isSame = (one: readonly string[], other: readonly string[]) => one.join('\0') === other.join('\0')
      const found = table.live.foreignKeys.find(
        (key) =>
          isSame(key.columns, names) &&
          samePath(key.target, target.live) &&
          (key.targetColumns.length === 0 || isSame(key.targetColumns, targetColumns)),
      )
      // Without one of these rules, the row that is referred to cannot be deleted.
      if (found && (/^(NO ACTION|RESTRICT)$/.test(onDelete) || found.rules.includes(` ON DELETE ${onDelete}`))) return []
      // The name that drizzle-kit gives it.
      const usual = [table.name, ...names, target.name, ...targetColumns, 'fk'].join('_')
      const fix = inspector.addForeignKey(
        inspector.quote(name ?? usual),
        table.quoted,
        list(names),
        target.quoted,
        list(targetColumns),
        onDelete,
      )
      const isDeclared = table.foreignKeys.some((key) => key.fields.join() === fields.join())
      const line = `.references(() => ${target.exported}.${target.columns.find((each) => each.name === targetColumns[0])?.field}, { onDelete: 'cascade' })`
      const at = { table: table.name, column: nameList(columns), ...(!isDeclared && { line }) }
      return found
        ? finding('not-cascading', different, { ...at, fix: `Drop the foreign key, then: ${fix}` })
        : finding('missing-foreign-key', missing, { ...at, fix })
    })
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
