import type { Database, DialectName } from 'drizzle-auth-adapter/internal'
import type { Column, SQL, Table } from 'drizzle-orm'
import { is, SQL as SqlClass, StringChunk } from 'drizzle-orm'
import { isKey } from '../doctor/authjs.js'
import { inspectors } from '../doctor/index.js'
import type { LiveKey, TablePath } from '../doctor/inspector.js'
import { columnName, tableNames } from '../doctor/subject.js'
import type { NewColumn, NewForeignKey, NewTable } from './model.js'

/** The result of `getTableConfig` in each dialect, in Drizzle 0.45 and 1.0. */
interface TableConfig {
  columns: Column[]
  indexes: { config: { name?: string; columns: unknown[]; unique?: boolean; where?: unknown } }[]
  primaryKeys: { columns: Column[]; name?: string }[]
  uniqueConstraints: { columns: Column[]; name?: string }[]
  foreignKeys: {
    reference(): { name?: string; columns: Column[]; foreignColumns: Column[]; foreignTable: Table }
    onDelete?: string
    onUpdate?: string
  }[]
}

const readers: Record<DialectName, () => Promise<(table: Table) => TableConfig>> = {
  pg: async () => (await import('drizzle-orm/pg-core')).getTableConfig as never,
  mysql: async () => (await import('drizzle-orm/mysql-core')).getTableConfig as never,
  sqlite: async () => (await import('drizzle-orm/sqlite-core')).getTableConfig as never,
}

/** Tables of the app's code. Keys without a name get the one that drizzle-kit generates. */
export async function declare(
  db: Database,
  dialect: DialectName,
  given: { model: NewTable['model']; table: Table }[],
): Promise<NewTable[]> {
  const configOf = await readers[dialect]()
  const inspector = inspectors[dialect]
  const pathOf = (table: Table): TablePath => {
    const { schema, name } = tableNames(table)
    return { schema: schema ?? '', name }
  }
  return given.map(({ model, table }) => {
    const config = configOf(table)
    const path = pathOf(table)
    const nameOf = (column: Column) => columnName(db, column.table, column)
    const fields = Object.entries(table as unknown as Record<string, Column>)
    return {
      model,
      path,
      columns: config.columns.map((column): NewColumn => {
        const type = column.getSQLType()
        const field = fields.find(([, one]) => one === column)?.[0] ?? column.name
        return {
          field,
          isKey: model !== 'others' && isKey(model, field),
          name: nameOf(column),
          type,
          holds: inspector.parseType(type, column),
          notNull: column.notNull,
          default: defaultOf(column),
          column,
        }
      }),
      keys: keysOf(config, path.name, nameOf),
      foreignKeys: config.foreignKeys.map((key): NewForeignKey => {
        const { name, columns, foreignColumns, foreignTable } = key.reference()
        const target = pathOf(foreignTable)
        const [own, others] = [columns.map(nameOf), foreignColumns.map(nameOf)]
        return {
          name: name ?? [path.name, ...own, target.name, ...others, 'fk'].join('_'),
          columns: own,
          target,
          targetColumns: others,
          onDelete: key.onDelete ?? 'no action',
          onUpdate: key.onUpdate ?? 'no action',
        }
      }),
    }
  })
}

function keysOf(config: TableConfig, table: string, nameOf: (column: Column) => string): LiveKey[] {
  const { columns, primaryKeys, uniqueConstraints, indexes } = config
  const key = (
    kind: LiveKey['kind'],
    names: string[],
    name = [table, ...names, suffixes[kind]].join('_'),
    isConstraint = true,
  ): LiveKey => ({
    kind,
    name,
    columns: names,
    isConstraint,
    isPlain: true,
  })
  const single = columns.find((column) => column.primary)
  return [
    ...(single ? [key('primary', [nameOf(single)], '')] : primaryKeys.map((one) => key('primary', one.columns.map(nameOf), one.name))),
    ...columns.filter((column) => column.isUnique).map((column) => key('unique', [nameOf(column)], column.uniqueName)),
    ...uniqueConstraints.map((one) => key('unique', one.columns.map(nameOf), one.name)),
    ...indexes.flatMap(({ config: { name, columns: indexed, unique, where } }) => {
      const names = indexed.flatMap((column) => columnOf(config, column)?.map(nameOf) ?? '')
      const given = name ?? [table, ...names, 'index'].join('_')
      // drizzle-kit creates indexes on expressions and partial indexes.
      return where !== undefined || names.includes('') ? [] : [key(unique ? 'unique' : 'index', names, given, false)]
    }),
  ]
}

const suffixes = { primary: 'pk', unique: 'unique', index: 'index' }

/** The column of an index: PostgreSQL's indexes hold copies of the columns. */
function columnOf({ columns }: TableConfig, indexed: unknown): [Column] | undefined {
  const found = columns.find((column) => column === indexed) ?? columns.find((column) => column.name === (indexed as Column).name)
  return found && [found]
}

/** The default in the database, if it is a plain value. */
function defaultOf({ default: value }: Column): string | undefined {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!is(value, SqlClass)) return undefined
  const chunks = (value as SQL).queryChunks
  // A list of texts in Drizzle 0.45, one text in 1.0.
  return chunks.every((chunk) => is(chunk, StringChunk)) ? withOldClock(chunks.flatMap(({ value }) => value).join('')) : undefined
}

/** SQLite has this option of `unixepoch` since 3.42. What replaces it works in all versions. */
const withOldClock = (text: string) => text.replaceAll(/unixepoch\('subsec(ond)?'\) \* 1000/g, "(julianday('now') - 2440587.5) * 86400000")
