import type { Column } from 'drizzle-orm'
import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { finding } from './finding.js'
import type { ColumnType, Inspector, LiveTable, Question, TableName } from './inspector.js'
import { groupBy, read, readOne } from './inspector.js'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

// SQLite's own rules for the affinity of a type, in their order. What it calls NUMERIC stores whole numbers as they are.
function parseType(written: string, column?: Column): ColumnType {
  const type = written.toUpperCase()
  // Drizzle counts seconds in this mode.
  const fraction = (column as { mode?: string } | undefined)?.mode === 'timestamp' ? { fraction: 0 } : {}
  if (type.includes('INT')) return { holds: 'integer', ...fraction }
  if (/CHAR|CLOB|TEXT/.test(type)) return { holds: 'text' }
  if (type === '' || type.includes('BLOB')) return { holds: 'bytes' }
  return { holds: /REAL|FLOA|DOUB/.test(type) ? 'number' : 'integer', ...fraction }
}

async function inspect(db: Database, { name: table }: TableName): Promise<LiveTable | undefined> {
  const [master] = await read(
    db,
    { name: sql`m.name`, definition: sql`m.sql` },
    sql`sqlite_master m`,
    sql`m.type in ('table', 'view') and m.name = ${table} collate nocase`,
  )
  if (!master) return undefined
  const definition = String(master.definition)
  const columns = await read(
    db,
    { name: sql`c.name`, type: sql`c.type`, required: sql`c."notnull"`, default: sql`c.dflt_value`, key: sql`c.pk`, hidden: sql`c.hidden` },
    sql`pragma_table_xinfo(${table}) c`,
  )
  const indexes = await read(
    db,
    {
      index: sql`l.name`,
      unique: sql`l."unique"`,
      partial: sql`l.partial`,
      column: sql`x.name`,
      collation: sql`x.coll`,
      origin: sql`l.origin`,
    },
    sql`pragma_index_list(${table}) l, pragma_index_xinfo(l.name) x`,
    sql`x."key" = 1 order by l.seq, x.seqno`,
  )
  const foreignKeys = await read(
    db,
    { id: sql`f.id`, column: sql`f."from"`, table: sql`f."table"`, rule: sql`f.on_delete` },
    sql`pragma_foreign_key_list(${table}) f`,
  )
  const keys = columns.filter(({ key }) => Number(key) > 0)
  // The rowid under another name: it has no index of its own.
  const isRowid = keys.length === 1 && /^integer$/i.test(String(keys[0]?.type)) && !/without\s+rowid/i.test(definition)
  const rowid = isRowid ? [[String(keys[0]?.name)]] : []
  const groups = groupBy(
    indexes.filter(({ partial }) => Number(partial) === 0),
    ({ index }) => index,
  )
  const columnsOf = (group: typeof indexes) => group.map(({ column }) => String(column ?? ''))
  // The index of a primary key or a unique constraint compares as the column does.
  const collations = new Map(indexes.filter(({ origin }) => origin !== 'c').map(({ column, collation }) => [column, String(collation)]))
  return {
    id: table.toLowerCase(),
    columns: columns.map(({ name, type, required, default: value, key, hidden }) => {
      const collation = collationIn(definition, String(name)) ?? collations.get(name) ?? 'BINARY'
      return {
        ...parseType(String(type)),
        name: String(name),
        type: String(type).toLowerCase(),
        isRequired: Number(required) === 1 && value === null && Number(hidden) === 0 && !(isRowid && Number(key) > 0),
        looseCollation: /^binary$/i.test(collation) ? undefined : collation,
      }
    }),
    unique: [...rowid, ...groups.filter(([first]) => Number(first?.unique) === 1).map(columnsOf)],
    indexes: [...rowid, ...groups.map(columnsOf)],
    foreignKeys: groupBy(foreignKeys, ({ id }) => id).map((group) => ({
      columns: group.map(({ column }) => String(column)),
      references: String(group[0]?.table).toLowerCase(),
      cascades: group[0]?.rule === 'CASCADE',
    })),
    reusesIds: isRowid && !/autoincrement/i.test(definition),
  }
}

// SQLite tells the collation of a column nowhere but in the text of its table.
function collationIn(definition: string, column: string): string | undefined {
  const name = column.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`[(,]\\s*["\`[]?${name}["\`\\]]?\\s[^,]*?\\bcollate\\s+["\`]?(\\w+)`, 'i').exec(definition)?.[1]
}

const questions: Question[] = [
  {
    about: 'whether foreign keys are enforced on this connection',
    async ask(db) {
      const { on } = await readOne(db, { on: sql`foreign_keys` }, sql`pragma_foreign_keys`)
      if (Number(on) === 1) return []
      return [
        finding('not-enforced', 'foreign keys are not enforced on this connection', {
          fix: 'Run PRAGMA foreign_keys = ON on each new connection.',
        }),
      ]
    },
  },
  {
    about: 'whether the connection takes writes',
    async ask(db) {
      const { on } = await readOne(db, { on: sql`query_only` }, sql`pragma_query_only`)
      if (Number(on) === 0) return []
      return [finding('read-only', 'the connection is read-only (query_only)', { fix: 'PRAGMA query_only = OFF;' })]
    },
  },
]

const rebuild = 'SQLite cannot change it in place: run drizzle-kit push or generate, which rebuild the table.'

export const sqlite: Inspector = {
  inspect,
  parseType,
  questions,
  quote,
  exact: (value) => sql`${value} collate binary`,
  between: sql` || char(31) || `,
  lowerCase: (text) => `LOWER(${text})`,
  hasCapitals: (value) => sql`lower(${value}) <> ${value} collate binary`,
  isDecimalId: (value) => sql`(${value} glob '[0-9]*.0' and ${value} not glob '*[^0-9.]*')`,
  changeType: () => rebuild,
  addForeignKey: () => rebuild,
}
