import { sql } from 'drizzle-orm'
import type { Database } from '../core.js'
import { groupBy, inspectors, read } from '../core.js'
import type { Key, OldColumn, OldDatabase, OldForeignKey, OldTable } from './model.js'

const { parseType } = inspectors.sqlite

/** SQLite takes names that differ only in case for the same. */
export const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** The tables of a SQLite database, with the statements that made them. */
export async function readSqlite(db: Database): Promise<OldDatabase> {
  const masters = await read(
    db,
    { name: sql`m.name`, definition: sql`m.sql` },
    sql`sqlite_master m`,
    sql`m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\' order by m.rowid`,
  )
  const attached = await read(
    db,
    { name: sql`m.name`, table: sql`m.tbl_name`, definition: sql`m.sql` },
    sql`sqlite_master m`,
    sql`m.type in ('index', 'trigger') and m.sql is not null order by m.rowid`,
  )
  const tables: OldTable[] = []
  const foreignKeys: OldForeignKey[] = []
  for (const { name, definition } of masters) {
    const table = String(name)
    tables.push({
      schema: '',
      name: table,
      ...(await columnsAndKeys(db, table)),
      definition: String(definition),
      attached: new Map(
        attached.filter((each) => isSame(String(each.table), table)).map((each) => [String(each.name), String(each.definition)]),
      ),
    })
    foreignKeys.push(...(await readForeignKeys(db, table)))
  }
  return { schemaOf: () => '', tables, foreignKeys }
}

async function columnsAndKeys(db: Database, table: string): Promise<{ columns: OldColumn[]; keys: Key[] }> {
  const columns = await read(
    db,
    { name: sql`c.name`, type: sql`c.type`, required: sql`c."notnull"`, default: sql`c.dflt_value`, key: sql`c.pk`, hidden: sql`c.hidden` },
    sql`pragma_table_xinfo(${table}) c`,
  )
  const indexes = await read(
    db,
    { name: sql`l.name`, unique: sql`l."unique"`, origin: sql`l.origin`, column: sql`x.name` },
    sql`pragma_index_list(${table}) l, pragma_index_xinfo(l.name) x`,
    sql`x."key" = 1 and l.partial = 0 order by l.seq, x.seqno`,
  )
  const primary = columns.filter(({ key }) => Number(key) > 0).sort((one, other) => Number(one.key) - Number(other.key))
  const isRowid = primary.length === 1 && /^integer$/i.test(String(primary[0]?.type))
  return {
    columns: columns.map(({ name, type, required, default: value, key, hidden }) => ({
      ...parseType(String(type)),
      name: String(name),
      type: String(type).toLowerCase(),
      notNull: Number(required) === 1,
      default: value === null ? undefined : String(value),
      isFilled: Number(hidden) > 0 || (isRowid && Number(key) > 0),
      isGenerated: Number(hidden) > 1,
    })),
    keys: [
      ...(primary.length > 0
        ? [{ kind: 'primary' as const, name: '', columns: primary.map(({ name }) => String(name)), isConstraint: true }]
        : []),
      ...groupBy(
        indexes.filter(({ origin }) => origin !== 'pk'),
        ({ name }) => name,
      ).map((parts) => ({
        kind: Number(parts[0]?.unique) === 1 ? ('unique' as const) : ('index' as const),
        name: String(parts[0]?.name),
        columns: parts.map(({ column }) => String(column ?? '')),
        isConstraint: parts[0]?.origin === 'u',
      })),
    ],
  }
}

async function readForeignKeys(db: Database, table: string): Promise<OldForeignKey[]> {
  const rows = await read(
    db,
    {
      id: sql`f.id`,
      column: sql`f."from"`,
      target: sql`f."table"`,
      to: sql`f."to"`,
      onDelete: sql`f.on_delete`,
      onUpdate: sql`f.on_update`,
    },
    sql`pragma_foreign_key_list(${table}) f`,
    sql`1 = 1 order by f.id, f.seq`,
  )
  return groupBy(rows, ({ id }) => id).map((group) => ({
    name: '',
    table: { schema: '', name: table },
    columns: group.map(({ column }) => String(column)),
    target: { schema: '', name: String(group[0]?.target) },
    targetColumns: group.map(({ to }) => String(to ?? '')),
    rules: ` ON DELETE ${group[0]?.onDelete} ON UPDATE ${group[0]?.onUpdate}`,
  }))
}
