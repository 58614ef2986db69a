import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { sqlTokens } from '../doctor/definition.js'
import { inspectors } from '../doctor/index.js'
import type { ColumnType } from '../doctor/inspector.js'
import { textRows } from './catalog.js'
import type { Catalog, Dialect, NewTable, Trigger } from './model.js'
import { breakpoint, literal, nameKey, primaryKeyOf } from './model.js'
import { columnDefinition, createIndex, createTable, foreignKey, isDateMode, isSameType, names, quote, rebuild } from './rebuild.js'
import { standard } from './render.js'

export async function readCatalog(db: Database): Promise<Catalog> {
  const columns = { type: 'm.type', name: 'm.name', table: 'm.tbl_name', statement: 'm.sql' }
  const objects = await textRows(db, columns, 'sqlite_master m', sql`1 = 1 order by m.rowid`)
  const attached = objects
    .filter(({ statement }) => statement)
    .map(({ statement, ...object }) => ({ ...object, statement: withPlainSpaces(statement) }))
  const tables = await inspectors.sqlite.inspectAll(db, [])
  return {
    tables: tables.map((table) => ({ ...table, definition: withPlainSpaces(table.definition ?? '') })),
    dependents: [],
    texts: attached
      .filter(({ type }) => type === 'view' || type === 'trigger')
      .map(({ type, name, statement }) => ({ what: `${type} ${name}`, text: statement })),
    triggers: attached
      .filter(({ type }) => type === 'trigger')
      .map(({ table, name, statement }): Trigger => {
        const events = [/\b(insert|update|delete)\b/i.exec(statement)?.[1]?.toUpperCase() ?? '']
        return { name, table: { schema: '', name: table }, events, columns: [], off: `DROP TRIGGER ${quote(name)};`, on: `${statement};` }
      }),
    names: new Set(objects.filter(({ type }) => type !== 'trigger').map(({ name }) => nameKey('', name.toLowerCase()))),
    attached: attached.filter(({ type }) => type === 'index' || type === 'trigger'),
    pathOf: ({ name }) => ({ schema: '', name }),
  }
}

/** A definition is stored as it was written. Tabs and carriage returns between its parts are not printed. */
const withPlainSpaces = (statement: string) =>
  sqlTokens(statement)
    .map((token) => (/^(\s|--|\/\*)/.test(token) ? token.replaceAll(/[^\S\n]/g, ' ') : token))
    .join('')

const path = ({ name }: { name: string }) => quote(name)

function createStatement({ path: { name }, columns, foreignKeys, options, ...table }: NewTable): string {
  const primary = primaryKeyOf(table)
  const single = primary?.columns.length === 1 ? primary.columns[0] : undefined
  const parts = [
    ...columns.map((column) => columnDefinition(column, column.name === single)),
    ...(primary && single === undefined ? [`PRIMARY KEY(${names(primary.columns)})`] : []),
    ...foreignKeys.map(foreignKey),
  ]
  return createTable(name, parts, options)
}

/** Fails with this message if the condition is true: SQLite prints the name of the constraint. */
const failIf = (condition: string, why: string) => [
  `CREATE TABLE \`__guard\` (\`stop\` integer CONSTRAINT ${quote(why)} CHECK (\`stop\` = 0));`,
  `INSERT INTO \`__guard\` SELECT ${condition};`,
  'DROP TABLE `__guard`;',
]

/** Milliseconds, or seconds where Drizzle's mode is `timestamp`. */
const inUnit = (milliseconds: string, { fraction }: ColumnType) => (fraction === 0 ? `((${milliseconds}) / 1000)` : milliseconds)

/** Other adapters store dates as text, or as seconds. No date in milliseconds since 1973 is that small. */
const milliseconds = (value: string) =>
  `CASE WHEN typeof(${value}) = 'text' THEN CAST(strftime('%s', ${value}) AS INTEGER) * 1000 + CAST(substr(strftime('%f', ${value}), 4) AS INTEGER) WHEN abs(${value}) < 100000000000 THEN ${value} * 1000 ELSE ${value} END`

export const sqlite: Dialect = {
  quote,
  path,
  nameLimit: Number.POSITIVE_INFINITY,
  namesKeysByTable: false,
  longText: 'text',
  breakpointLine: breakpoint,
  howToRun: 'Run it with: sqlite3 -bail DATABASE < FILE, while the app is stopped.',
  alter: rebuild,
  render: {
    ...standard(quote, path, literal).render,
    // No integer is that large: if the condition is true, this is an error.
    stop: ({ when }) => [`SELECT abs(-9223372036854775807 - (${when}));`],
    create: ({ table }) => [
      createStatement(table),
      ...table.keys.filter(({ kind }) => kind !== 'primary').map((key) => createIndex(table.path.name, key)),
    ],
    renameKeys: ({ keys }) =>
      keys.flatMap(({ from, statements }) => [`DROP INDEX ${quote(from)};`, `${statements?.[1]?.replace(/;$/, '')};`]),
    renameTables({ tables, isSwap }) {
      const statements = tables.flatMap(([from, to]) => {
        // SQLite ignores case in names, so a rename that only changes case takes two steps.
        const isCase = from.name.toLowerCase() === to.name.toLowerCase()
        const names = [from.name, ...(isCase ? [`__old_${to.name}`] : []), to.name].map(quote)
        return names.slice(1).map((name, index) => `ALTER TABLE ${names[index]} RENAME TO ${name};`)
      })
      // In this mode, the foreign keys of other tables keep the name, and so refer to the new table.
      return isSwap ? ['PRAGMA legacy_alter_table = ON;', ...statements, 'PRAGMA legacy_alter_table = OFF;'] : statements
    },
    rebuild({ from, to, values }) {
      const [table, temporary] = [quote(from.name), quote(`__old_${from.name}`)]
      const rowid = /\bwithout\s+rowid\b/i.test(to.statement) || to.rowid === undefined ? [] : [to.rowid]
      const list = [...rowid, ...values.map(([name]) => quote(name))].join(', ')
      return [
        // In this mode, renames leave the references of other tables, views and triggers alone.
        'PRAGMA legacy_alter_table = ON;',
        `ALTER TABLE ${table} RENAME TO ${temporary};`,
        `${to.statement.replace(/;$/, '')};`,
        `INSERT INTO ${table} (${list})\nSELECT ${[...rowid, ...values.map(([, value]) => value)].join(',\n  ')}\nFROM ${temporary};`,
        // Ids of deleted rows must not be used again.
        ...(/\bautoincrement\b/i.test(to.statement)
          ? [
              `DELETE FROM sqlite_sequence WHERE name = ${literal(from.name)};`,
              `INSERT INTO sqlite_sequence (name, seq) SELECT ${literal(from.name)}, seq FROM sqlite_sequence WHERE name = ${literal(`__old_${from.name}`)};`,
            ]
          : []),
        `DROP TABLE ${temporary};`,
        'PRAGMA legacy_alter_table = OFF;',
        ...to.attached.map((statement) => `${statement.replace(/;$/, '')};`),
      ]
    },
  },
  wrap(all, changes) {
    // What only looks comes first, so that a plan that stops there has not even changed a setting.
    const stops = changes[0]?.kind === 'stop' ? 1 : 0
    const [first, steps] = [all.slice(0, stops), all.slice(stops)]
    const isCheap = !changes.some(({ kind }) => kind === 'rebuild' || kind === 'drop' || kind === 'copy')
    const begin = { about: 'Start a transaction, or a savepoint in the current one', sql: ['SAVEPOINT `moving`;'] }
    if (isCheap) return [...first, begin, ...steps, { about: 'Commit', sql: ['RELEASE `moving`;'] }]
    const tables = new Set(
      changes.flatMap((change) => {
        if (change.kind === 'rebuild') return [change.to.name]
        if (change.kind === 'create') return [change.table.path.name]
        return change.kind === 'renameTables' ? change.tables.flatMap((pair) => pair.map(({ name }) => name)) : []
      }),
    )
    return [
      ...first,
      {
        // Inside a transaction, SQLite ignores the pragma, and dropping the table of users would delete every row that references it.
        about: 'Disable foreign keys: dropping a table would delete the rows that reference it',
        sql: [
          'PRAGMA foreign_keys = OFF;',
          ...failIf('`foreign_keys` FROM pragma_foreign_keys', 'disable foreign keys before the transaction begins; nothing was changed'),
        ],
      },
      begin,
      ...steps,
      {
        about: 'Check the foreign keys',
        sql: failIf(`count(*) > 0 FROM pragma_foreign_key_check WHERE ${references([...tables])}`, 'a foreign key refers to no row'),
      },
      { about: 'Commit, and restore settings', sql: ['RELEASE `moving`;', 'PRAGMA foreign_keys = ON;'] },
    ]
  },

  deleteFrom: (table) => `DELETE FROM ${path(table)} AS o`,
  exists: ({ name }) => `EXISTS (SELECT 1 FROM sqlite_master WHERE name = ${literal(name)} COLLATE NOCASE)`,
  text: (value) => value,
  concat: (...parts) => parts.join(' || '),
  earliest: (one, other) => `min(${one}, ${other})`,
  same: (one, other) => `${one} = ${other} COLLATE BINARY`,
  equals: (one, other) => `(${one}) IS (${other}) COLLATE BINARY`,
  length: (text) => `length(${text})`,
  hasOtherLetters: (text) => `length(CAST(${text} AS BLOB)) <> length(${text})`,
  comparable: (value) => `${value} COLLATE BINARY`,
  newId: ({ holds }) => (holds.holds === 'text' ? 'lower(hex(randomblob(16)))' : undefined),
  moment: (column, seconds) => inUnit(`CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + ${seconds * 1000}`, column),
  fromSeconds: (value, column) => (column.fraction === 0 ? value : `${value} * 1000`),
  date: (value, _, to) => inUnit(milliseconds(value), to),
  isDate: ({ holds }) => holds === 'integer' || holds === 'text' || holds === 'number',
  isUnreadable: (value) => `(typeof(${value}) = 'text' AND strftime('%s', ${value}) IS NULL)`,
  // What is no date, and the beginning of 1970, verified nothing.
  isVerified: (value) => `(${value} IS NOT NULL AND ${value} NOT IN (0, '', '0'))`,
  isSameType,
  converts: (old, now) => old.holds === now.holds.holds || isDateMode(now) || (!old.isFilled && /^(text|bytes)$/.test(now.holds.holds)),
  canRetype: () => true,
  retyped: ({ old }) => old,
}

/** Violations of foreign keys that belong to these tables or refer to them. */
export const references = (tables: string[]) => {
  const all = tables.map((name) => literal(name.toLowerCase())).join(', ')
  return `lower("table") IN (${all}) OR lower("parent") IN (${all})`
}
