import type { Finding, FindingCode } from '../finding.js'
import { finding } from '../finding.js'
import type { Inspector, LiveColumn } from '../inspector.js'
import { isUnfilled } from '../inspector.js'
import { adviceFor, identifies } from '../models.js'
import type { Check, ExaminedColumn, ExaminedTable } from '../table.js'
import { fits } from '../table.js'

/** A column that the database has with the declared kind of type. */
interface Pair extends ExaminedColumn {
  live: LiveColumn
  about: ExaminedTable['about']
}

/** What can be wrong with such a column. */
interface Rule {
  code: FindingCode
  /** The sentence of the finding. */
  problem(pair: Pair): string | false | undefined
  /** Whether the declared type does not have this problem, so that changing the column to it is the fix. */
  isSolved(pair: Pair): boolean
}

const rules: Rule[] = [
  {
    code: 'too-short',
    problem({ live, declared, about, field, kind }) {
      if (live.length === undefined || live.holds !== 'text') return undefined
      const usual = about.lengths?.[field] ?? 0
      // If the app declares a length for ids that it generates itself, that is long enough for them.
      const isOwn = kind === 'id' && declared.length !== undefined && about.library === 'authjs'
      if (live.length < usual && !isOwn) return `the column holds ${live.length} characters, and real values have up to ${usual}`
      // Bytes and characters cannot be compared.
      const isShorter = declared.length === undefined || (declared.isBinary === live.isBinary && live.length < declared.length)
      return declared.holds === 'text' && isShorter && `the column is ${live.type}, shorter than in your code`
    },
    isSolved: ({ declared, about, field }) => (declared.length ?? Infinity) >= (about.lengths?.[field] ?? 0),
  },
  {
    code: 'no-milliseconds',
    problem({ live, declared, kind }) {
      // The library's own dates have milliseconds. For other columns, only a difference from the code counts.
      const needed = kind === 'date' ? 3 : Math.min(declared.fraction ?? 0, 3)
      const kept = Math.min(live.fraction ?? needed, kind === 'date' ? (declared.fraction ?? needed) : needed)
      return kept < needed && 'the column drops the milliseconds of its dates'
    },
    isSolved: ({ declared }) => (declared.fraction ?? 3) >= 3,
  },
  {
    code: 'ends-in-2038',
    problem: ({ live, declared, kind }) =>
      live.endsIn2038 && (kind === 'date' || !declared.endsIn2038) && 'the column cannot hold dates after January 2038',
    isSolved: ({ declared }) => !declared.endsIn2038,
  },
  {
    code: 'small-integer',
    problem: ({ live, declared, about, field }) =>
      live.holds === 'integer' &&
      live.bits !== undefined &&
      live.bits < Math.max(about.bits?.[field] ?? 0, declared.bits ?? 0) &&
      `the column is ${live.type}, which holds numbers up to ${(2 ** live.bits - 1).toLocaleString('en')}`,
    isSolved: ({ declared, about, field }) => (declared.bits ?? Infinity) >= (about.bits?.[field] ?? 0),
  },
  {
    code: 'loose-collation',
    problem: ({ live, about, field }) =>
      live.looseCollation && identifies(about, field) && `the collation ${live.looseCollation} treats different texts as equal`,
    isSolved: ({ column }) => /binary|blob|collate/i.test(column.getSQLType()),
  },
]

/** What is wrong with a declared column in the database. */
function compareColumn(table: ExaminedTable, column: ExaminedColumn, { changeType, quote }: Inspector): Finding[] {
  const { name, live, column: declared, field } = column
  const at = { table: table.name, column: name }
  const fix = changeType(table.quoted, quote(name), declared.getSQLType(), declared.notNull)
  if (!live)
    return [finding('missing-column', 'the column is not in the database', { ...at, fix: 'Run your migrations, or drizzle-kit push.' })]
  if (!fits(column))
    return [finding('wrong-type', `the column is ${live.type} in the database, and ${declared.getSQLType()} in your code`, { ...at, fix })]
  return rules.flatMap(({ code, problem, isSolved }) => {
    const pair: Pair = { ...column, live, about: table.about }
    const message = problem(pair)
    if (!message) return []
    // Some apps compare addresses loosely on purpose.
    const severity = code === 'loose-collation' && /^(email|identifier)$/.test(field) ? 'warning' : undefined
    return finding(code, message, { ...at, severity, fix: isSolved(pair) ? fix : (adviceFor(table.about) ?? fix) })
  })
}

/** The library's columns that the schema lacks. With Better Auth, apps may have renamed them. */
const lacking = ({ about, columns }: ExaminedTable) =>
  about.library === 'authjs' ? [] : Object.keys(about.fields).filter((field) => !columns.some((column) => column.field === field))

/** Whether inserts provide no value for a column that needs one, and why. */
function whyUnfilled(table: ExaminedTable, { name }: LiveColumn, drop: string): [why: string, fix: string] | undefined {
  const declared = table.columns.find((column) => column.name === name)
  if (!declared)
    return ['without a default, and your tables do not have it, so every insert fails', `Add the column to your tables, or: ${drop}`]
  const { notNull, hasDefault } = declared.column
  if (hasDefault) return undefined
  if (!notNull)
    return [
      'in the database and optional in your code, so inserts without a value fail',
      'Add .notNull() to the column in your code, or allow null in the database.',
    ]
  // Apps pass values for their own columns of users when somebody signs up. A column with another name may be a field that was renamed.
  const isFilledByLibrary = table.about.library === 'betterAuth' && !/^(users|others)$/.test(table.about.role)
  if (!isFilledByLibrary || declared.kind !== undefined || lacking(table).length > 0) return undefined
  return [
    'without a default, and Better Auth does not fill it, so inserts fail',
    `If neither additionalFields nor a hook of yours fills it, run npx auth generate, then: ${drop}`,
  ]
}

export const compareColumns: Check = {
  about: 'the columns',
  find(table, { inspector }) {
    const missing = lacking(table)
    const required = table.live.columns.filter(isUnfilled).flatMap((column) => {
      const drop = `ALTER TABLE ${table.quoted} DROP COLUMN ${inspector.quote(column.name)};`
      const [why, fix] = whyUnfilled(table, column, drop) ?? []
      return why ? finding('required-column', `the column is NOT NULL ${why}`, { table: table.name, column: column.name, fix }) : []
    })
    const renamed = finding('hidden', `your schema has no ${missing.join(', ')} in this table, so not everything could be checked`, {
      table: table.name,
      fix: 'If you did not rename these fields in the options of Better Auth, run npx auth generate.',
    })
    const compared = table.columns.flatMap((column) => compareColumn(table, column, inspector))
    return [...compared, ...required, ...(missing.length > 0 ? [renamed] : [])]
  },
}
