import type { Column, Table } from 'drizzle-orm'
import { getTableColumns, getTableName, is, SQL } from 'drizzle-orm'

/** The CREATE TABLE statement of a Drizzle table: columns, defaults, and keys declared on a column. Pass other constraints as SQL. */
export function createTable(table: Table, quote: '"' | '`', constraints: string[] = []): string {
  const name = (text: string) => quote + text + quote
  const columns = Object.values(getTableColumns(table) as Record<string, Column>).map((column) =>
    [
      name(column.name),
      // Drizzle 1.0 gives an array the type of its elements.
      column.getSQLType().replace(/(\[\])*$/, '') +
        '[]'.repeat(
          (/^bit/.test(column.getSQLType()) ? 0 : (column as { dimensions?: number }).dimensions) ??
            (/(\[\])*$/.exec(column.getSQLType())?.[0].length ?? 0) / 2,
        ),
      column.generated && `generated always as (${textOf(column.generated.as)}) stored`,
      column.generatedIdentity && `generated ${column.generatedIdentity.type === 'always' ? 'always' : 'by default'} as identity`,
      column.default !== undefined && `default ${is(column.default, SQL) ? `(${textOf(column.default)})` : literal(column.default)}`,
      column.notNull && !/serial/.test(column.getSQLType()) && 'not null',
      column.primary && 'primary key',
      (column as { autoIncrement?: boolean }).autoIncrement &&
        quote === '`' &&
        column.getSQLType() !== 'serial' &&
        !isSqlite(column) &&
        'auto_increment',
      column.isUnique && 'unique',
    ]
      .filter(Boolean)
      .join(' '),
  )
  return `create table ${name(getTableName(table))} (${[...columns, ...constraints].join(', ')})`
}

const isSqlite = (column: Column) => column.columnType.startsWith('SQLite')

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value))

/** The text of SQL that has no parameters. */
function textOf(value: unknown): string {
  const sql = (typeof value === 'function' ? value() : value) as SQL
  return sql.queryChunks.flatMap((chunk) => (chunk as { value: string | string[] }).value).join('')
}
