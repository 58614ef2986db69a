import { finding } from '../finding.js'
import { isUnfilled } from '../inspector.js'
import type { Check, SubjectTable } from '../subject.js'
import { fits } from '../subject.js'

/** The library's columns that the schema lacks. Apps may have renamed them. */
const lacking = ({ about, columns }: SubjectTable) =>
  Object.keys(about.fields).filter((field) => !columns.some((column) => column.field === field))

/** Tables that cannot be checked as a whole. */
export const unknownFields: Check = ({ tables }) =>
  tables.flatMap((table) => {
    const missing = lacking(table)
    if (missing.length === 0) return []
    const message = `your schema has no ${missing.join(', ')} in this table, so not everything could be checked`
    const fix = 'If you did not rename these fields in the options of Better Auth, run npx auth generate.'
    return finding('hidden', message, { table: table.name, fix })
  })

// Apps pass values for their own columns of users when somebody signs up.
const filledByLibrary = ['accounts', 'sessions', 'verificationTokens', 'rateLimits']

/** Columns that every insert needs, and that neither the library nor the database fills. */
export const unfilledColumns: Check = ({ tables, inspector }) =>
  tables
    // A column with another name may be a field that was renamed.
    .filter((table) => filledByLibrary.includes(table.about.model) && lacking(table).length === 0)
    .flatMap(({ name: table, quoted, columns }) =>
      columns
        .filter(({ kind, live, column }) => kind === undefined && live && isUnfilled(live) && column.notNull && !column.hasDefault)
        .map(({ name: column }) =>
          finding('required-column', 'the column is NOT NULL without a default, and Better Auth does not fill it, so inserts fail', {
            table,
            column,
            fix: `If neither additionalFields nor a hook of yours fills it, run npx auth generate, then: ALTER TABLE ${quoted} DROP COLUMN ${inspector.quote(column)};`,
          }),
        ),
    )

export const zonelessDates: Check = ({ tables, inspector }) =>
  tables.flatMap((table) => {
    const dates = table.columns.filter((column) => column.kind === 'date' && column.live?.holds === 'date' && fits(column))
    if (dates.length === 0 || !inspector.hasZonedDates) return []
    const message = 'the dates have no time zone, so clients that do not read them as UTC are hours off'
    const { advice } = table.about
    return finding('no-time-zone', message, {
      table: table.name,
      column: dates.map(({ name }) => name).join(', '),
      ...(advice !== undefined && { fix: advice }),
    })
  })
