import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-auth-adapter/internal'
import type { Column } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/sqlite-core'
import { readDefinition, unquoted } from './definition.js'
import { finding } from './finding.js'
import type { ColumnType, Declaration, Inspector, LiveForeignKey, LiveTable, ServerCheck, TableName } from './inspector.js'
import { groupBy, read, readOne } from './inspector.js'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

// SQLite's rules for the affinity of a type, in order. NUMERIC stores whole numbers unchanged.
function parseType(written: string, column?: Column): ColumnType {
  const type = written.toUpperCase()
  // In this mode, Drizzle stores seconds.
  const fraction = (column as { mode?: string } | undefined)?.mode === 'timestamp' ? { fraction: 0 } : {}
  if (type.includes('INT')) return { holds: 'integer', ...fraction }
  if (/CHAR|CLOB|TEXT/.test(type)) return { holds: 'text' }
  if (type === '' || type.includes('BLOB')) return { holds: 'bytes' }
  return { holds: /REAL|FLOA|DOUB/.test(type) ? 'number' : 'integer', ...fraction }
}

async function inspect(db: Database, { name }: TableName): Promise<LiveTable | undefined> {
  const [master] = await read(
    db,
    { name: sql`m.name`, definition: sql`m.sql` },
    sql`sqlite_master m`,
    sql`m.type in ('table', 'view') and m.name = ${name} collate nocase`,
  )
  return master && describe(db, String(master.name), String(master.definition))
}

async function inspectAll(db: Database): Promise<LiveTable[]> {
  const masters = await read(
    db,
    { name: sql`m.name`, definition: sql`m.sql` },
    sql`sqlite_master m`,
    sql`m.type = 'table' and m.rootpage > 0 and m.name not like 'sqlite\\_%' escape '\\' order by m.rowid`,
  )
  const tables: LiveTable[] = []
  for (const { name, definition } of masters) tables.push(await describe(db, String(name), String(definition)))
  return tables
}

async function describe(db: Database, table: string, definition: string): Promise<LiveTable> {
  const columns = await read(
    db,
    { name: sql`c.name`, type: sql`c.type`, required: sql`c."notnull"`, default: sql`c.dflt_value`, key: sql`c.pk`, hidden: sql`c.hidden` },
    sql`pragma_table_xinfo(${table}) c`,
  )
  const indexes = await read(
    db,
    {
      name: sql`l.name`,
      unique: sql`l."unique"`,
      origin: sql`l.origin`,
      column: sql`x.name`,
      collation: sql`x.coll`,
    },
    sql`pragma_index_list(${table}) l, pragma_index_xinfo(l.name) x`,
    sql`x."key" = 1 and l.partial = 0 order by l.seq, x.seqno`,
  )
  const primary = columns.filter(({ key }) => Number(key) > 0).sort((one, other) => Number(one.key) - Number(other.key))
  // An alias of the rowid, which has no separate index.
  const isRowid = primary.length === 1 && /^integer$/i.test(String(primary[0]?.type)) && !/without\s+rowid/i.test(definition)
  const collations = collationsIn(definition)
  const collationOf = (column: unknown) => collations.get(String(column).toLowerCase()) ?? 'BINARY'
  return {
    schema: '',
    name: table,
    definition,
    columns: columns.map(({ name, type, required, default: value, key, hidden }) => ({
      ...parseType(String(type)),
      name: String(name),
      type: String(type).toLowerCase(),
      notNull: Number(required) === 1,
      default: value === null ? undefined : String(value),
      isFilled: Number(hidden) > 0 || (isRowid && Number(key) > 0),
      isGenerated: Number(hidden) > 1,
      looseCollation: /^binary$/i.test(collationOf(name)) ? undefined : collationOf(name),
    })),
    keys: [
      ...(primary.length > 0
        ? [{ kind: 'primary' as const, name: '', columns: primary.map(({ name }) => String(name)), isConstraint: true, isPlain: true }]
        : []),
      ...groupBy(
        indexes.filter(({ origin }) => origin !== 'pk'),
        ({ name }) => name,
      ).map((parts) => ({
        kind: Number(parts[0]?.unique) === 1 ? ('unique' as const) : ('index' as const),
        name: String(parts[0]?.name),
        columns: parts.map(({ column }) => String(column ?? '')),
        isConstraint: parts[0]?.origin === 'u',
        isPlain: parts.every(
          ({ column, collation }) => column !== null && String(collation).toUpperCase() === collationOf(column).toUpperCase(),
        ),
      })),
    ],
    foreignKeys: await foreignKeysOf(db, table),
    reusesIds: isRowid && !/autoincrement/i.test(definition),
  }
}

async function foreignKeysOf(db: Database, table: string): Promise<LiveForeignKey[]> {
  const rows = await read(
    db,
    {
      id: sql`f.id`,
      column: sql`f."from"`,
      // The name of the other table, as it was created: SQLite ignores the case of names.
      target: sql`coalesce((select m.name from sqlite_master m where m.type = 'table' and m.name = f."table" collate nocase), f."table")`,
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
    targetColumns: group.flatMap(({ to }) => (to === null ? [] : String(to))),
    rules: ` ON DELETE ${group[0]?.onDelete} ON UPDATE ${group[0]?.onUpdate}`,
  }))
}

/** The collations of columns, which SQLite shows only in the CREATE TABLE statement. */
function collationsIn(definition: string): Map<string, string> {
  try {
    return new Map(
      readDefinition(definition).columns.flatMap(({ name, clauses }) =>
        clauses.filter(({ kind }) => kind === 'collate').map(({ text }) => [name.toLowerCase(), unquoted(text.split(/\s+/).at(-1) ?? '')]),
      ),
    )
  } catch {
    // A view, or a virtual table.
    return new Map()
  }
}

async function rowChangers(db: Database, { name }: LiveTable): Promise<string[]> {
  const isOf = sql`(m.type = 'trigger' and m.tbl_name = ${name} or m.type = 'view' and m.name = ${name})`
  const found = await read(db, { type: sql`m.type`, name: sql`m.name` }, sql`sqlite_master m`, sql`${isOf} order by m.name`)
  return found.map(({ type, name }) => (type === 'view' ? 'a view, which this table is' : `the trigger ${name}`))
}

const serverChecks: ServerCheck[] = [
  {
    about: 'whether foreign keys are enforced on this connection',
    async run(db) {
      const { on } = await readOne(db, { on: sql`foreign_keys` }, sql`pragma_foreign_keys`)
      if (Number(on) === 1) return []
      return [
        finding('not-enforced', 'foreign keys are not enforced on this connection', {
          fix: 'Run PRAGMA foreign_keys = ON on each new connection.',
        }),
      ]
    },
  },
]

const rebuild = 'SQLite cannot change it in place: run drizzle-kit push or generate, which rebuild the table.'

export const sqlite: Inspector = {
  declaration: (table) => getTableConfig(table as never) as unknown as Declaration,
  inspect,
  inspectAll,
  parseType,
  rowChangers,
  serverChecks,
  quote,
  exact: (value) => sql`${value} collate binary`,
  lowerCase: (text) => `LOWER(${text})`,
  hasCapitals: (value) => sql`lower(${value}) <> ${value} collate binary`,
  isHex: (value) => sql`(${value} <> '' and ${value} not glob '*[^0-9a-f]*')`,
  changeType: () => rebuild,
  rebuild,
}
