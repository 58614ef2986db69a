import { finding } from '../finding.js'
import type { LiveColumn } from '../inspector.js'
import { isUnfilled } from '../inspector.js'
import type { Check, Subject, SubjectColumn, SubjectTable } from '../subject.js'
import { fits } from '../subject.js'

interface Here {
  table: SubjectTable
  column: SubjectColumn
  live: LiveColumn
  /** The place of a finding about this column. */
  at: { table: string; column: string }
  /** SQL that changes the column to the type in the code. */
  fix: string
}

/** Each column that the database has with the declared kind of type. */
const columnsOf = ({ tables, inspector }: Subject): Here[] =>
  tables.flatMap((table) =>
    table.columns.flatMap((column) => {
      const { live, name } = column
      if (!live || !fits(column)) return []
      return { table, column, live, at: { table: table.name, column: name }, fix: changeOf(inspector, table, column) }
    }),
  )

const changeOf = (inspector: Subject['inspector'], { quoted }: SubjectTable, { name, column }: SubjectColumn) =>
  inspector.changeType(quoted, inspector.quote(name), column.getSQLType(), column.notNull)

export const missingColumns: Check = ({ tables }) =>
  tables.flatMap(({ name: table, columns }) =>
    columns.flatMap(({ live, name: column }) =>
      live
        ? []
        : finding('missing-column', 'the column is not in the database', {
            table,
            column,
            fix: 'Run your migrations, or drizzle-kit push.',
          }),
    ),
  )

export const wrongTypes: Check = ({ tables, inspector }) =>
  tables.flatMap((table) =>
    table.columns.flatMap((column) => {
      const { live, name, column: declared } = column
      if (!live || fits(column)) return []
      const message = `the column is ${live.type} in the database, and ${declared.getSQLType()} in your code`
      return finding('wrong-type', message, { table: table.name, column: name, fix: changeOf(inspector, table, column) })
    }),
  )

/** Columns that need a value which inserts do not provide. */
export const requiredColumns: Check = ({ tables, inspector }) =>
  tables.flatMap(({ name: table, quoted, live, columns }) =>
    live.columns
      .filter((one) => {
        const declared = columns.find((column) => column.name === one.name)?.column
        return isUnfilled(one) && !(declared && (declared.notNull || declared.hasDefault))
      })
      .map(({ name: column }) => {
        const isKnown = columns.some(({ name }) => name === column)
        const message = isKnown
          ? 'the column is NOT NULL in the database and optional in your code, so inserts without a value fail'
          : 'the column is NOT NULL without a default, and your tables do not have it, so every insert fails'
        const fix = isKnown
          ? 'Add .notNull() to the column in your code, or allow null in the database.'
          : `Add the column to your tables, or: ALTER TABLE ${quoted} DROP COLUMN ${inspector.quote(column)};`
        return finding('required-column', message, { table, column, fix })
      }),
  )

/** Columns whose default is not used, because the code does not declare it. */
export const ignoredDefaults: Check = ({ tables, inspector }) =>
  tables.flatMap(({ name: table, columns }) =>
    columns
      .filter(({ live, column }) => inspector.ignoresDefaults && live?.default !== undefined && !column.hasDefault && !live.isFilled)
      .map(({ name: column }) =>
        finding(
          'ignored-default',
          'the default exists only in the database and is not used: on SQLite, Drizzle sends null for a column without a value',
          {
            table,
            column,
            fix: 'Declare it with .default() in your code.',
          },
        ),
      ),
  )

export const shortColumns: Check = (subject) =>
  columnsOf(subject).flatMap(({ table, column, live, at, fix }) => {
    if (live.length === undefined || live.holds !== 'text') return []
    const usual = table.about.lengths[column.field]
    const { length, isBinary } = column.declared
    // If the app declares a length for ids that it generates itself, that is long enough for them.
    if (usual !== undefined && live.length < usual && !(column.kind === 'id' && length !== undefined && table.about.advice === undefined)) {
      const message = `the column holds ${live.length} characters, and real values have up to ${usual}`
      const remedy = (length ?? usual) >= usual ? fix : table.about.advice
      return finding('too-short', message, { ...at, ...(remedy !== undefined && { fix: remedy }) })
    }
    // Bytes and characters cannot be compared.
    const isShorter = column.declared.holds === 'text' && (length === undefined || (isBinary === live.isBinary && live.length < length))
    return isShorter ? finding('too-short', `the column is ${live.type}, shorter than in your code`, { ...at, fix }) : []
  })

/** SQL that changes the column to the type in the code, or advice if that type has the same problem. */
const remedy = ({ table, fix }: Here, isSolved: boolean) => (isSolved ? fix : (table.about.advice ?? fix))

export const dateColumns: Check = (subject) =>
  columnsOf(subject).flatMap((here) => {
    const { column, live, at } = here
    const { declared } = column
    // The library's own dates have milliseconds. For other columns, only a difference from the code counts.
    const isOwn = column.kind === 'date'
    const needed = isOwn ? 3 : Math.min(declared.fraction ?? 0, 3)
    const kept = Math.min(live.fraction ?? needed, isOwn ? (declared.fraction ?? needed) : needed)
    const isShort = live.endsIn2038 && (isOwn || !declared.endsIn2038)
    return [
      ...(kept < needed
        ? [
            finding('no-milliseconds', 'the column drops the milliseconds of its dates', {
              ...at,
              fix: remedy(here, (declared.fraction ?? 3) >= 3),
            }),
          ]
        : []),
      ...(isShort
        ? [finding('ends-in-2038', 'the column cannot hold dates after January 2038', { ...at, fix: remedy(here, !declared.endsIn2038) })]
        : []),
    ]
  })

export const smallIntegers: Check = (subject) =>
  columnsOf(subject).flatMap((here) => {
    const { table, column, live, at } = here
    if (live.holds !== 'integer' || live.bits === undefined) return []
    const bits = Math.max(table.about.bits[column.field] ?? 0, column.declared.bits ?? 0)
    if (live.bits >= bits) return []
    const message = `the column is ${live.type}, which holds numbers up to ${(2 ** live.bits - 1).toLocaleString('en')}`
    return finding('small-integer', message, { ...at, fix: remedy(here, (column.declared.bits ?? bits) >= bits) })
  })

/** One finding for all columns, because their character set is usually that of the database. */
export const narrowCharacterSets: Check = async (subject) => {
  const { db, inspector } = subject
  const narrow = columnsOf(subject).filter(({ live }) => live.narrowCharacterSet !== undefined)
  const [first, ...others] = narrow
  if (!first) return []
  const sets = [...new Set(narrow.map(({ live }) => live.narrowCharacterSet))].join(' and ')
  const message = `the character set ${sets} cannot store all of Unicode: such names and addresses are refused`
  if (others.length === 0) {
    const { table, column } = first
    const declared = column.column.getSQLType()
    const type = /character set|binary|blob/i.test(declared) ? declared : `${declared} CHARACTER SET utf8mb4`
    const fix = inspector.changeType(table.quoted, inspector.quote(column.name), type, column.column.notNull)
    return [finding('character-set', message, { severity: 'error', ...first.at, fix })]
  }
  const tables = subject.tables.filter((table) => narrow.some((one) => one.table === table))
  const fix = await inspector.convertToUnicode?.(
    db,
    tables.map(({ live }) => live),
  )
  const names = narrow.map(({ at: { table, column } }) => `${table}.${column}`).join(', ')
  return [finding('character-set', `${message} (${names})`, { severity: 'error', ...(fix !== undefined && { fix }) })]
}
