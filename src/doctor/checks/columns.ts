import type { ModelName } from '../../models.js'
import { tokenFields } from '../../models.js'
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

/** The lengths that real values reach. Credential ids may have 1,023 bytes, which are 1,364 characters in base64. */
const lengths: { [Name in ModelName]?: Record<string, number> } = {
  users: { id: 36, email: 254 },
  accounts: {
    ...{ userId: 36, provider: 32, providerAccountId: 255, scope: 1000 },
    ...Object.fromEntries(tokenFields.map((field) => [field, 4096])),
  },
  sessions: { sessionToken: 46, userId: 36 },
  verificationTokens: { identifier: 254, token: 64 },
  authenticators: { userId: 36, credentialID: 1364, providerAccountId: 1364, credentialPublicKey: 500 },
}

export const shortColumns: Check = (subject) =>
  columnsOf(subject).flatMap(({ table, column, live, at, fix }) => {
    if (live.length === undefined || live.holds !== 'text') return []
    // The database or the app generates the ids, so a declared length is long enough for them.
    const usual = column.contract?.kind === 'id' && column.declared.length !== undefined ? 0 : lengths[table.model]?.[column.field]
    const { length, isBinary } = column.declared
    if (usual !== undefined && live.length < usual) {
      const message = `the column holds ${live.length} characters, and real values have up to ${usual}`
      return finding('too-short', message, { ...at, ...((length ?? usual) >= usual && { fix }) })
    }
    // Bytes and characters cannot be compared.
    const isShorter = column.declared.holds === 'text' && (length === undefined || (isBinary === live.isBinary && live.length < length))
    return isShorter ? finding('too-short', `the column is ${live.type}, shorter than in your code`, { ...at, fix }) : []
  })

const isDate = ({ column }: Here) => column.contract?.kind === 'date'

export const dateColumns: Check = (subject) =>
  columnsOf(subject)
    .filter(isDate)
    .flatMap(({ column, live, at, fix }) => {
      const fraction = Math.min(live.fraction ?? 3, column.declared.fraction ?? 3)
      return [
        ...(fraction < 3 ? [finding('no-milliseconds', 'the column drops the milliseconds of its dates', { ...at, fix })] : []),
        ...(live.endsIn2038 ? [finding('ends-in-2038', 'the column cannot hold dates after January 2038', { ...at, fix })] : []),
      ]
    })

const largeIntegers = ['counter', 'expires_at']

export const smallIntegers: Check = (subject) =>
  columnsOf(subject)
    .filter(
      ({ column, live }) => column.contract && largeIntegers.includes(column.field) && live.holds === 'integer' && (live.bits ?? 63) < 32,
    )
    .map(({ live, at, fix }) => {
      const message = `the column is ${live.type}, which holds numbers up to ${(2 ** (live.bits as number) - 1).toLocaleString('en')}`
      return finding('small-integer', message, { ...at, fix })
    })

export const narrowCharacterSets: Check = (subject) =>
  columnsOf(subject)
    .filter(({ live }) => live.narrowCharacterSet !== undefined)
    .map(({ live, at, fix }) =>
      finding('character-set', `the column's character set is ${live.narrowCharacterSet}, which cannot store all of Unicode`, {
        ...at,
        fix,
      }),
    )
