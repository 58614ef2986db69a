import { sql } from 'drizzle-orm'
import type { Database } from '../core.js'
import { groupBy, inspectors, read } from '../core.js'
import type { Syntax } from './alter.js'
import { alterSteps } from './alter.js'
import type { Key, Mover, NewColumn, OldColumn, OldDatabase, TablePath } from './model.js'

const { quote, parseType } = inspectors.pg
const path = ({ schema, name }: TablePath) => `${quote(schema)}.${quote(name)}`

const separator = '\x1f'
const list = (text: unknown) => String(text).split(separator)
const isOurs = sql`n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`

async function readDatabase(db: Database): Promise<OldDatabase> {
  const [current] = await read(db, { schema: sql`current_schema()::text` }, sql`(select 1) as one`)
  const columns = await read(
    db,
    {
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      name: sql`a.attname::text`,
      type: sql`format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), case when t.typbasetype = 0 then a.atttypmod else t.typtypmod end)`,
      required: sql`case when a.attnotnull then 1 else 0 end`,
      default: sql`pg_get_expr(d.adbin, d.adrelid)`,
      filled: sql`case when a.attidentity <> '' or a.attgenerated <> '' then 1 else 0 end`,
      loose: sql`(select k.collname::text from pg_collation k where k.oid = a.attcollation and not k.collisdeterministic)`,
      users: sql`(select string_agg(distinct pg_describe_object(p.classid, p.objid, p.objsubid), chr(31)) from pg_depend p
        where p.refclassid = 'pg_class'::regclass and p.refobjid = c.oid and p.refobjsubid = a.attnum
          and (p.classid in ('pg_rewrite'::regclass, 'pg_policy'::regclass, 'pg_trigger'::regclass)
            or p.classid = 'pg_attrdef'::regclass and not exists (select 1 from pg_attrdef o where o.oid = p.objid and o.adnum = a.attnum)))`,
    },
    sql`pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum`,
    sql`c.relkind in ('r', 'p') and ${isOurs} and a.attnum > 0 and not a.attisdropped order by c.oid, a.attnum`,
  )
  const keys = await read(
    db,
    {
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      name: sql`x.relname::text`,
      primary: sql`case when i.indisprimary then 1 else 0 end`,
      unique: sql`case when i.indisunique then 1 else 0 end`,
      constraint: sql`case when exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u')) then 1 else 0 end`,
      columns: sql`(select string_agg(a.attname::text, chr(31) order by k.n) from unnest(i.indkey::int2[]) with ordinality k (attnum, n)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum where k.n <= i.indnkeyatts)`,
    },
    sql`pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace`,
    sql`${isOurs} and i.indisvalid and i.indpred is null and i.indexprs is null order by i.indexrelid`,
  )
  const foreignKeys = await read(
    db,
    {
      name: sql`f.conname::text`,
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      columns: namesOf('f.conrelid', 'f.conkey'),
      targetSchema: sql`m.nspname::text`,
      target: sql`r.relname::text`,
      targetColumns: namesOf('f.confrelid', 'f.confkey'),
      definition: sql`pg_get_constraintdef(f.oid)`,
    },
    sql`pg_constraint f join pg_class c on c.oid = f.conrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_class r on r.oid = f.confrelid join pg_namespace m on m.oid = r.relnamespace`,
    sql`f.contype = 'f' and f.conparentid = 0 order by f.oid`,
  )
  return {
    schemaOf: (declared) => declared || String(current?.schema),
    tables: groupBy(columns, ({ schema, table }) => `${schema}.${table}`).map((group) => {
      const [first] = group
      return {
        schema: String(first?.schema),
        name: String(first?.table),
        columns: group.map(({ name, type, required, default: value, filled, loose, users }) => ({
          ...parseType(String(type)),
          name: String(name),
          type: String(type),
          notNull: Number(required) === 1,
          default: value === null ? undefined : String(value),
          isFilled: Number(filled) === 1,
          looseCollation: type === 'citext' ? 'citext' : loose === null ? undefined : String(loose),
          usedBy: users === null ? [] : list(users),
        })),
        keys: keys
          .filter(({ schema, table }) => schema === first?.schema && table === first?.table)
          .map(({ name, primary, unique, constraint, columns: names }) => ({
            kind: Number(primary) === 1 ? 'primary' : Number(unique) === 1 ? 'unique' : 'index',
            name: String(name),
            columns: list(names),
            isConstraint: Number(constraint) === 1,
          })),
      }
    }),
    foreignKeys: foreignKeys.map((key) => ({
      name: String(key.name),
      table: { schema: String(key.schema), name: String(key.table) },
      columns: list(key.columns),
      target: { schema: String(key.targetSchema), name: String(key.target) },
      targetColumns: list(key.targetColumns),
      rules: String(key.definition).replace(beforeRules, ''),
    })),
  }
}

const namesOf = (table: string, numbers: string) =>
  sql.raw(`(select string_agg(a.attname::text, chr(31) order by k.n) from unnest(${numbers}) with ordinality k (attnum, n)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.attnum)`)

// Names may hold anything between quotes.
const beforeRules = /^FOREIGN KEY \((?:[^")]|"[^"]*")*\) REFERENCES (?:[^"(]|"[^"]*")*\((?:[^")]|"[^"]*")*\)/

function isSameType(old: OldColumn, { type, holds }: NewColumn): boolean {
  if (old.looseCollation !== undefined && type !== old.type) return false
  if (holds.holds === 'other') return old.type === type.toLowerCase()
  return old.holds === holds.holds && old.length === holds.length && old.bits === holds.bits && old.fraction === holds.fraction
}

const constraint = ({ name, kind, columns }: Key) =>
  `${name ? `CONSTRAINT ${quote(name)} ` : ''}${kind === 'primary' ? 'PRIMARY KEY' : 'UNIQUE'} (${columns.map(quote).join(', ')})`

const isDate = (holds: string) => holds === 'date' || holds === 'zoned date'

const syntax: Syntax = {
  quote,
  path,
  isSameType,
  renameTable: (from, to) =>
    from.schema === to.schema
      ? `ALTER TABLE ${path(from)} RENAME TO ${quote(to.name)};`
      : `ALTER TABLE ${path(from)} SET SCHEMA ${quote(to.schema)};\nALTER TABLE ${path({ ...to, name: from.name })} RENAME TO ${quote(to.name)};`,
  prepareType: () => [],
  changeType({ old, type, holds, notNull, default: declared, isOwn }) {
    const name = quote(old.name)
    const kept = isOwn && old.default !== undefined ? `(${old.default})::${type}` : declared
    // Drizzle writes and reads dates without a time zone as UTC.
    const isZoned = isDate(old.holds) && isDate(holds.holds) && old.holds !== holds.holds
    return [
      ...(old.default === undefined ? [] : [`ALTER COLUMN ${name} DROP DEFAULT`]),
      `ALTER COLUMN ${name} TYPE ${type} USING ${isZoned ? `${name} AT TIME ZONE 'UTC'` : `${name}::${type}`}`,
      ...(kept === undefined ? [] : [`ALTER COLUMN ${name} SET DEFAULT ${kept}`]),
      ...(old.notNull === notNull ? [] : [syntax.changeNull(old, notNull)]),
    ]
  },
  changeNull: ({ name }, notNull) => `ALTER COLUMN ${quote(name)} ${notNull ? 'SET' : 'DROP'} NOT NULL`,
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
  foldsCase: false,
  noAddress: (id) => `${id} || '@no-email.invalid'`,
  rowChecks: [],
  steps: (moves, missing, database, rows) => alterSteps(syntax, moves, missing, database, rows),
  breakpoint: '--> statement-breakpoint',
  howToRun: 'Run it in one transaction: psql -v ON_ERROR_STOP=1 --single-transaction -f FILE. If it fails, nothing has changed.',
}
