import type { Database, DialectName } from 'drizzle-auth-adapter/internal'
import type { Column, SQL, Table } from 'drizzle-orm'
import { getTableColumns, is, SQL as SqlClass, StringChunk } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { Declaration, LiveKey, TablePath } from '../doctor/inspector.js'
import { isKey } from '../doctor/models.js'
import { columnName, tableNames } from '../doctor/table.js'
import type { NewColumn, NewForeignKey, NewTable } from './model.js'
import { literal } from './model.js'

const pathOf = (table: Table): TablePath => {
  const { schema, name } = tableNames(table)
  return { schema: schema ?? '', name }
}

/** Tables of the app's code. Keys without a name get the one that drizzle-kit generates. */
export function declare(db: Database, dialect: DialectName, given: { model: NewTable['model']; table: Table }[]): NewTable[] {
  const inspector = inspectors[dialect]
  return given.map(({ model, table }) => {
    const config = inspector.declaration(table)
    const path = pathOf(table)
    const nameOf = (column: Column) => columnName(db, column.table, column)
    const fields = Object.entries(getTableColumns(table) as Record<string, Column>)
    return {
      model,
      path,
      columns: fields.map(([field, column]): NewColumn => {
        const type = column.getSQLType()
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
      keys: keysOf(
        config,
        fields.map(([, column]) => column),
        path.name,
        nameOf,
      ),
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

const suffixes = { primary: 'pk', unique: 'unique', index: 'index' }

function keysOf(
  { primaryKeys, uniqueConstraints, indexes }: Declaration,
  columns: Column[],
  table: string,
  nameOf: (column: Column) => string,
): LiveKey[] {
  const key = (kind: LiveKey['kind'], names: string[], name?: string, isConstraint = true): LiveKey => ({
    kind,
    name: name ?? [table, ...names, suffixes[kind]].join('_'),
    columns: names,
    isConstraint,
    isPlain: true,
  })
  const single = columns.find((column) => column.primary)
  // PostgreSQL's indexes hold copies of the columns.
  const columnOf = (indexed: object) =>
    columns.find((column) => column === indexed) ?? columns.find((column) => column.name === (indexed as Column).name)
  return [
    ...(single ? [key('primary', [nameOf(single)], '')] : primaryKeys.map((one) => key('primary', one.columns.map(nameOf), one.name))),
    ...columns.filter((column) => column.isUnique).map((column) => key('unique', [nameOf(column)], column.uniqueName)),
    ...uniqueConstraints.map((one) => key('unique', one.columns.map(nameOf), one.name)),
    ...indexes.flatMap(({ config: { name, columns: indexed, unique, where } }) => {
      const found = indexed.flatMap((column) => columnOf(column) ?? [])
      // drizzle-kit creates indexes on expressions and partial indexes.
      if (where !== undefined || found.length < indexed.length) return []
      const names = found.map(nameOf)
      return [key(unique ? 'unique' : 'index', names, name ?? [table, ...names, 'index'].join('_'), false)]
    }),
  ]
}

/** The default in the database, if it is a plain value. */
function defaultOf({ default: value }: Column): string | undefined {
  if (typeof value === 'string') return literal(value)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (!is(value, SqlClass)) return undefined
  const chunks = (value as SQL).queryChunks
  // A list of texts in Drizzle 0.45, one text in 1.0.
  return chunks.every((chunk) => is(chunk, StringChunk)) ? withOldClock(chunks.flatMap(({ value }) => value).join('')) : undefined
}

/** SQLite has this option of `unixepoch` since 3.42. What replaces it works in all versions. */
const withOldClock = (text: string) => text.replaceAll(/unixepoch\('subsec(ond)?'\) \* 1000/g, "(julianday('now') - 2440587.5) * 86400000")
