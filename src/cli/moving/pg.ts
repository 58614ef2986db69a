import { sql } from 'drizzle-orm'
import type { Database, LiveColumn, LiveKey, TablePath } from '../core.js'
import { inspectors, read } from '../core.js'
import type { Syntax } from './alter.js'
import { alterSteps } from './alter.js'
import type { Current, Dependent, Mover, NewColumn } from './model.js'
import { breakpoint, looseKeys, nameKey } from './model.js'

const { quote, inspectAll } = inspectors.pg
const path = ({ schema, name }: TablePath) => `${quote(schema)}.${quote(name)}`
const isOurs = sql`n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`

async function readDatabase(db: Database): Promise<Current> {
  const [current] = await read(db, { schema: sql`current_schema()::text` }, sql`(select 1) as one`)
  const names = await read(
    db,
    { schema: sql`n.nspname::text`, name: sql`c.name` },
    sql`(select relnamespace as schema, relname::text as name from pg_class union select typnamespace, typname::text from pg_type
      union select connamespace, conname::text from pg_constraint) c join pg_namespace n on n.oid = c.schema`,
    isOurs,
  )
  return {
    tables: await inspectAll(db, []),
    dependents: [...(await columnDependents(db)), ...(await rowTypes(db)), ...(await primaryKeyUsers(db))],
    texts: await functions(db),
    names: new Set(names.map(({ schema, name }) => nameKey(String(schema), String(name)))),
    pathOf: ({ schema, name }) => ({ schema: schema || String(current?.schema), name }),
  }
}

/** Everything that depends on a column, except for objects that PostgreSQL or the plan updates. */
async function columnDependents(db: Database): Promise<Dependent[]> {
  const rows = await read(
    db,
    {
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      column: sql`a.attname::text`,
      what: sql`pg_describe_object(p.classid, p.objid, p.objsubid)`,
      // PostgreSQL rebuilds these for the new type, which works unless an operator is missing.
      adapts: sql`case when p.classid in ('pg_constraint'::regclass, 'pg_class'::regclass, 'pg_statistic_ext'::regclass) then 1 else 0 end`,
    },
    sql`pg_depend p join pg_class c on c.oid = p.refobjid join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum = p.refobjsubid`,
    sql`p.refclassid = 'pg_class'::regclass and p.refobjsubid > 0 and c.relkind in ('r', 'p') and ${isOurs}
      and not (p.classid = 'pg_attrdef'::regclass and exists (select 1 from pg_attrdef o where o.oid = p.objid and o.adrelid = c.oid and o.adnum = a.attnum and a.attgenerated = ''))
      and not (p.classid = 'pg_constraint'::regclass and exists (select 1 from pg_constraint k where k.oid = p.objid and k.contype in ('f', 'p', 'u', 'n')))
      and not (p.classid = 'pg_class'::regclass and exists (select 1 from pg_class s where s.oid = p.objid and s.relkind = 'S'))
      and not (p.classid = 'pg_class'::regclass and exists (select 1 from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
        where i.indexrelid = p.objid and i.indexprs is null and i.indpred is null and m.amname = 'btree'
          and not exists (select 1 from unnest(i.indclass::oid[]) o join pg_opclass q on q.oid = o where not q.opcdefault)))`,
  )
  return rows.map(({ schema, table, column, what, adapts }) => ({
    what: String(what),
    table: { schema: String(schema), name: String(table) },
    column: String(column),
    breaksOn: Number(adapts) === 1 ? 'kind' : 'type',
  }))
}

/** Columns whose type is the row type of a table. */
async function rowTypes(db: Database): Promise<Dependent[]> {
  const rows = await read(
    db,
    {
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      what: sql`pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum)`,
    },
    sql`pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_type t on t.oid = c.reltype
      join pg_attribute a on a.atttypid in (t.oid, t.typarray) and not a.attisdropped`,
    sql`c.relkind in ('r', 'p') and ${isOurs}`,
  )
  return rows.map(({ schema, table, what }) => tableDependent(schema, table, what, 'type'))
}

/** Views that group by a primary key, and so implicitly by all columns. */
async function primaryKeyUsers(db: Database): Promise<Dependent[]> {
  const rows = await read(
    db,
    { schema: sql`n.nspname::text`, table: sql`c.relname::text`, what: sql`pg_describe_object(p.classid, p.objid, p.objsubid)` },
    sql`pg_depend p join pg_constraint k on k.oid = p.refobjid and k.contype = 'p' join pg_class c on c.oid = k.conrelid
      join pg_namespace n on n.oid = c.relnamespace`,
    sql`p.refclassid = 'pg_constraint'::regclass and p.deptype = 'n' and ${isOurs}`,
  )
  return rows.map(({ schema, table, what }) => tableDependent(schema, table, what, 'key'))
}

const tableDependent = (schema: unknown, table: unknown, what: unknown, breaksOn: Dependent['breaksOn']): Dependent => ({
  what: String(what),
  table: { schema: String(schema), name: String(table) },
  breaksOn,
})

/** Functions, whose source PostgreSQL only parses when they are called. */
async function functions(db: Database): Promise<Current['texts']> {
  const rows = await read(
    db,
    { what: sql`p.oid::regprocedure::text`, text: sql`p.prosrc` },
    sql`pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang`,
    sql`${isOurs} and l.lanname not in ('c', 'internal') and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  return rows.map(({ what, text }) => ({ what: `function ${what}`, text: String(text) }))
}

function isSameType(old: LiveColumn, { type, holds, isKey }: NewColumn): boolean {
  if (old.looseCollation !== undefined && isKey) return type.toLowerCase() === old.looseCollation
  if (holds.holds === 'other') return old.type === type.toLowerCase()
  return old.holds === holds.holds && old.length === holds.length && old.bits === holds.bits && old.fraction === holds.fraction
}

const constraint = ({ name, kind, columns }: LiveKey) =>
  `${name ? `CONSTRAINT ${quote(name)} ` : ''}${kind === 'primary' ? 'PRIMARY KEY' : 'UNIQUE'} (${columns.map(quote).join(', ')})`

const isDate = (holds: string) => holds === 'date' || holds === 'zoned date'

export const syntax: Syntax = {
  quote,
  path,
  isSameType,
  renameTable: (from, to) =>
    from.schema === to.schema
      ? `ALTER TABLE ${path(from)} RENAME TO ${quote(to.name)};`
      : `ALTER TABLE ${path(from)} SET SCHEMA ${quote(to.schema)};\nALTER TABLE ${path({ ...to, name: from.name })} RENAME TO ${quote(to.name)};`,
  prepareType: () => [],
  changeType({ old, type, holds, notNull, isKey, default: declared }) {
    const name = quote(old.name)
    // Drizzle writes and reads dates without a time zone as UTC.
    const isZoned = isDate(old.holds) && isDate(holds.holds) && old.holds !== holds.holds
    const converted = (value: string) => (isZoned ? `${value} AT TIME ZONE 'UTC'` : `${value}::${type}`)
    const value = declared ?? (old.default && converted(`(${old.default})`))
    const collation = old.collation && holds.holds === 'text' && !(isKey && old.looseCollation) ? ` COLLATE ${old.collation}` : ''
    return [
      ...(old.default === undefined ? [] : [`ALTER COLUMN ${name} DROP DEFAULT`]),
      `ALTER COLUMN ${name} TYPE ${type}${collation} USING ${converted(name)}`,
      ...(value === undefined ? [] : [`ALTER COLUMN ${name} SET DEFAULT ${value}`]),
      ...(old.notNull === notNull ? [] : [syntax.changeNull(old, notNull)]),
    ]
  },
  changeNull: ({ name }, notNull) => `ALTER COLUMN ${quote(name)} ${notNull ? 'SET' : 'DROP'} NOT NULL`,
  nullIsDefinition: false,
  dropForeignKey: ({ table, name }) => `ALTER TABLE ${path(table)} DROP CONSTRAINT ${quote(name)};`,
  dropPrimaryKey: ({ name }) => `DROP CONSTRAINT ${quote(name)}`,
  addKey: (key) => `ADD ${constraint(key)}`,
  adoptKey(table, old, now) {
    if (now.isConstraint && !old.isConstraint)
      return [`ALTER TABLE ${path(table)} ADD CONSTRAINT ${quote(now.name)} UNIQUE USING INDEX ${quote(old.name)};`]
    if (old.name === now.name) return []
    const index = path({ ...table, name: old.name })
    return [
      old.isConstraint
        ? `ALTER TABLE ${path(table)} RENAME CONSTRAINT ${quote(old.name)} TO ${quote(now.name)};`
        : `ALTER INDEX ${index} RENAME TO ${quote(now.name)};`,
    ]
  },
  createIndex: (table, { name, kind, columns }) =>
    `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${path(table)} (${columns.map(quote).join(', ')});`,
  columnDefinition: ({ name, type, notNull, default: value }) =>
    `${quote(name)} ${type}${value === undefined ? '' : ` DEFAULT ${value}`}${notNull ? ' NOT NULL' : ''}`,
}

export const pg: Mover = {
  read: readDatabase,
  quote,
  noAddress: (id) => `${id} || '@no-email.invalid'`,
  lengthOf: (text) => `char_length(${text}::text)`,
  isSameType,
  converts: (old, { holds }) =>
    old.holds === holds.holds
      ? holds.holds !== 'other' && (old.bits ?? 0) <= (holds.bits ?? 64)
      : !old.isFilled && ((holds.holds === 'text' && old.holds !== 'bytes') || (isDate(old.holds) && isDate(holds.holds))),
  rowChecks: [],
  steps(moves, missing, current, rows) {
    // PostgreSQL cannot alter a table that has pending deferred checks.
    const checked = rows.sql.length > 0 ? { ...rows, sql: [...rows.sql, 'SET CONSTRAINTS ALL IMMEDIATE;'] } : rows
    const plan = alterSteps(syntax, moves, missing, current, checked)
    return { ...plan, notices: [...plan.notices, ...looseKeys(moves)] }
  },
  breakpointLine: breakpoint,
  howToRun: 'Run it in one transaction: psql -v ON_ERROR_STOP=1 --single-transaction -f FILE. If it fails, nothing has changed.',
}
