import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/pg-core'
import { finding } from './finding.js'
import type { ColumnType, Declaration, Inspector, LiveTable, ServerCheck, TableName } from './inspector.js'
import { groupBy, read, readOne } from './inspector.js'

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
const pathOf = ({ schema, name }: TableName) => (schema ? `${quote(schema)}.` : '') + quote(name)

// Sent as a literal, so that every driver and pooler gives it the same type.
const text = (value: string) => sql.raw(`'${value.replaceAll("'", "''")}'`)
const oidOf = (table: TableName) => sql`to_regclass(${text(pathOf(table))})`
const one = sql`(select 1) as one`

const bitsOf: Record<string, number> = { smallint: 15, smallserial: 15, integer: 31, int: 31, serial: 31, bigint: 63, bigserial: 63 }

function parseType(written: string): ColumnType {
  const type = written.toLowerCase()
  const [, name = '', size] = /^([a-z ]*[a-z])(?: ?\((\d+)[^)]*\))?(?!.*\[\])/.exec(type) ?? []
  if (Object.hasOwn(bitsOf, name)) return { holds: 'integer', bits: bitsOf[name] as number }
  if (/^(timestamp|timestamptz)\b/.test(type) && !type.endsWith(']'))
    return { holds: /with time zone|timestamptz/.test(type) ? 'zoned date' : 'date', fraction: Number(/\((\d)\)/.exec(type)?.[1] ?? 6) }
  if (/^(text|citext|(character varying|varchar|character|char|bpchar))$/.test(name))
    return { holds: 'text', ...(size && { length: Number(size) }) }
  const others: Record<string, ColumnType['holds']> = {
    boolean: 'boolean',
    uuid: 'uuid',
    bytea: 'bytes',
    json: 'json',
    jsonb: 'json',
    numeric: 'number',
    real: 'number',
    'double precision': 'number',
    date: 'day',
  }
  return { holds: others[name] ?? 'other' }
}

const inspect = async (db: Database, table: TableName) => (await describe(db, sql`c.oid = ${oidOf(table)}`))[0]

const inspectAll = (db: Database) =>
  describe(db, sql`c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`)

async function describe(db: Database, isHere: SQL): Promise<LiveTable[]> {
  const columns = await read(
    db,
    {
      id: sql`c.oid::text`,
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      peculiarity: sql`case when c.relkind = 'p' or c.relispartition then 'it is partitioned'
        when c.reloftype <> 0 then 'it is a typed table'
        when exists (select 1 from pg_inherits i where i.inhrelid = c.oid or i.inhparent = c.oid) then 'it inherits columns, or another table inherits its columns' end`,
      name: sql`a.attname::text`,
      // A domain counts as its base type.
      type: sql`format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), case when t.typbasetype = 0 then a.atttypmod else t.typtypmod end)`,
      domain: sql`case when t.typbasetype <> 0 then t.typname::text end`,
      required: sql`case when a.attnotnull then 1 else 0 end`,
      default: sql`pg_get_expr(d.adbin, d.adrelid)`,
      filled: sql`case when a.attidentity <> '' or a.attgenerated <> '' then 1 else 0 end`,
      collation: sql`case when k.oid <> t.typcollation then quote_ident(m.nspname) || '.' || quote_ident(k.collname) end`,
      loose: sql`case when not k.collisdeterministic then k.collname::text end`,
    },
    sql`pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      join pg_type t on t.oid = a.atttypid left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
      left join pg_collation k on k.oid = a.attcollation left join pg_namespace m on m.oid = k.collnamespace`,
    sql`${isHere} and a.attnum > 0 and not a.attisdropped order by c.oid, a.attnum`,
  )
  const indexes = await read(
    db,
    {
      id: sql`c.oid::text`,
      name: sql`x.relname::text`,
      primary: sql`case when i.indisprimary then 1 else 0 end`,
      unique: sql`case when i.indisunique then 1 else 0 end`,
      immediate: sql`case when i.indimmediate then 1 else 0 end`,
      constraint: sql`case when exists (select 1 from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u')) then 1 else 0 end`,
      columns: sql`(select json_agg(pg_get_indexdef(i.indexrelid, k, true) order by k)::text from generate_series(1, i.indnkeyatts) k)`,
      plain: sql`case when i.indexprs is null and 0 = all (i.indoption::int2[]) and (select a.amname from pg_am a where a.oid = x.relam) = 'btree'
        and not exists (select 1 from unnest(i.indclass::oid[]) o join pg_opclass p on p.oid = o where not p.opcdefault)
        and not exists (select 1 from unnest(i.indkey::int2[], i.indcollation::oid[]) k (n, coll)
          join pg_attribute a on a.attrelid = c.oid and a.attnum = k.n where k.coll <> a.attcollation) then 1 else 0 end`,
    },
    sql`pg_index i join pg_class c on c.oid = i.indrelid join pg_class x on x.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace`,
    sql`${isHere} and i.indisvalid and i.indpred is null order by i.indexrelid`,
  )
  const foreignKeys = await read(
    db,
    {
      id: sql`c.oid::text`,
      name: sql`f.conname::text`,
      columns: namesOf('f.conrelid', 'f.conkey'),
      targetSchema: sql`s.nspname::text`,
      target: sql`r.relname::text`,
      targetColumns: namesOf('f.confrelid', 'f.confkey'),
      definition: sql`pg_get_constraintdef(f.oid)`,
    },
    sql`pg_constraint f join pg_class c on c.oid = f.conrelid join pg_namespace n on n.oid = c.relnamespace
      join pg_class r on r.oid = f.confrelid join pg_namespace s on s.oid = r.relnamespace`,
    sql`${isHere} and f.contype = 'f' and f.conparentid = 0 order by f.oid`,
  )
  const list = (json: unknown): string[] => JSON.parse(String(json))
  const given = (value: unknown) => (value === null || value === undefined ? undefined : String(value))
  return groupBy(columns, ({ id }) => id).map((group): LiveTable => {
    const [first] = group as [(typeof columns)[number]]
    const path = { schema: String(first.schema), name: String(first.table) }
    return {
      ...path,
      peculiarity: given(first.peculiarity),
      columns: group.map(({ name, type, domain, required, default: value, filled, collation, loose }) => ({
        ...parseType(String(type)),
        name: String(name),
        type: String(type),
        notNull: Number(required) === 1,
        default: given(value),
        isFilled: Number(filled) === 1,
        collation: given(collation),
        looseCollation: type === 'citext' ? 'citext' : given(loose),
        unknown: domain === null ? undefined : `the domain ${domain}`,
      })),
      keys: indexes
        .filter(({ id }) => id === first.id)
        .map(({ name, primary, unique, immediate, constraint, columns: names, plain }) => ({
          kind: Number(primary) === 1 ? 'primary' : Number(unique) === 1 ? 'unique' : 'index',
          name: String(name),
          columns: list(names).map(indexedColumn),
          isDeferrable: Number(immediate) === 0,
          isConstraint: Number(constraint) === 1,
          isPlain: Number(plain) === 1,
        })),
      foreignKeys: foreignKeys
        .filter(({ id }) => id === first.id)
        .map((key) => ({
          name: String(key.name),
          table: path,
          columns: list(key.columns),
          target: { schema: String(key.targetSchema), name: String(key.target) },
          targetColumns: list(key.targetColumns),
          rules: String(key.definition).replace(beforeRules, ''),
        })),
    }
  })
}

const namesOf = (table: string, numbers: string) =>
  sql.raw(`(select json_agg(a.attname order by k.n)::text from unnest(${numbers}) with ordinality k (attnum, n)
    join pg_attribute a on a.attrelid = ${table} and a.attnum = k.attnum)`)

// Quoted names may contain any character.
const beforeRules = /^FOREIGN KEY \((?:[^")]|"[^"]*")*\) REFERENCES (?:[^"(]|"[^"]*")*\((?:[^")]|"[^"]*")*\)/

// A unique key on lower(email) makes email unique, too.
function indexedColumn(definition: string): string {
  const column = /^lower\((.*?)(::text)?\)$/.exec(definition)?.[1] ?? definition
  return column.startsWith('"') ? column.slice(1, -1).replaceAll('""', '"') : column
}

const setting = (name: string) => sql.raw(`current_setting('${name}')`)

const serverChecks: ServerCheck[] = [
  {
    about: 'DateStyle and the encoding of the database and the connection',
    async run(db) {
      const settings = { style: setting('DateStyle'), server: setting('server_encoding'), client: setting('client_encoding') }
      const { style, server, client } = await readOne(db, settings, one)
      const unicode: [name: string, value: unknown, fix: string][] = [
        ['server_encoding', server, `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; and move the tables there`],
        ['client_encoding', client, `ALTER ROLE … SET client_encoding = 'UTF8';`],
      ]
      const found = unicode
        .filter(([, value]) => value !== 'UTF8')
        .map(([name, , fix]) => finding('character-set', `${name} is not UTF8: some names and addresses cannot be stored or read`, { fix }))
      if (String(style).startsWith('ISO')) return found
      const message = 'DateStyle is not ISO: code that reads dates as text may confuse days and months'
      return [...found, finding('date-style', message, { fix: `ALTER DATABASE … SET DateStyle = 'ISO';` })]
    },
  },
]

async function rowChangers(db: Database, table: LiveTable): Promise<string[]> {
  const oid = oidOf(table)
  const names = (name: string, from: string, where: SQL) =>
    sql`(select string_agg(${sql.raw(name)}::text, ', ' order by 1) from ${sql.raw(from)} where ${where})`
  const applies = sql`p.polrelid = ${oid} and exists (select 1 from unnest(p.polroles) r where r = 0 or pg_has_role(r, 'USAGE'))`
  const isOpen = sql`coalesce(pg_get_expr(p.polqual, p.polrelid), 'true') = 'true' and coalesce(pg_get_expr(p.polwithcheck, p.polrelid), 'true') = 'true'`
  const isOpenFor = sql`exists (select 1 from pg_policy p where ${applies} and p.polpermissive and p.polcmd in ('*', c) and ${isOpen})`
  const isLimited = sql`row_security_active(${oid}) and (
    exists (select 1 from pg_policy p where ${applies} and not p.polpermissive)
    or exists (select 1 from unnest(array['r', 'a', 'w', 'd']::"char"[]) c where not ${isOpenFor}))`
  const found = await readOne(
    db,
    {
      triggers: names('t.tgname', 'pg_trigger t', sql`t.tgrelid = ${oid} and not t.tgisinternal`),
      rules: names('w.rulename', 'pg_rewrite w', sql`w.ev_class = ${oid} and w.rulename <> '_RETURN'`),
      view: sql`(select 1 from pg_class c where c.oid = ${oid} and c.relkind in ('v', 'm'))`,
      security: sql`case when ${isLimited} then 1 end`,
    },
    one,
  )
  return [
    ...(found.triggers ? [`the trigger ${found.triggers}`] : []),
    ...(found.rules ? [`the rule ${found.rules}`] : []),
    ...(found.view ? ['a view, which this table is'] : []),
    ...(found.security ? ['row level security, because its policies do not let this role read and write every row'] : []),
  ]
}

// What Supabase calls its roles for requests of browsers.
const strangers = `select 'PUBLIC' as title, 'public' as name union all select rolname, rolname from pg_roles where rolname in ('anon', 'authenticated')`

async function exposure(db: Database, table: LiveTable) {
  const oid = oidOf(table)
  const isOpen = sql`has_schema_privilege(s.name, c.relnamespace, 'USAGE') and (has_any_column_privilege(s.name, c.oid, 'SELECT, INSERT, UPDATE')
    or has_table_privilege(s.name, c.oid, 'DELETE, TRUNCATE'))`
  const { roles, owned } = await readOne(
    db,
    {
      roles: sql`(select string_agg(s.title, ', ') from (${sql.raw(strangers)}) s, pg_class c where c.oid = ${oid} and not c.relrowsecurity and ${isOpen})`,
      // Row level security does not apply to these.
      owned: sql`(select case when pg_has_role(c.relowner, 'USAGE') or r.rolsuper or r.rolbypassrls then 1 else 0 end
        from pg_class c, pg_roles r where c.oid = ${oid} and r.rolname = current_user)`,
    },
    one,
  )
  if (!roles) return undefined
  const path = pathOf(table)
  const fix = Number(owned) === 1 ? `ALTER TABLE ${path} ENABLE ROW LEVEL SECURITY;` : `REVOKE ALL ON ${path} FROM ${roles};`
  return { roles: String(roles), fix }
}

const exact = (value: SQL) => sql`(${value})::text collate "C"`

export const pg: Inspector = {
  declaration: (table) => getTableConfig(table as never) as unknown as Declaration,
  inspect,
  inspectAll,
  parseType,
  rowChangers,
  exposure,
  serverChecks,
  quote,
  exact,
  lowerCase: (text) => `LOWER(${text})`,
  hasCapitals: (value) => sql`lower((${value})::text) collate "C" <> ${exact(value)}`,
  isHex: (value) => sql`${exact(value)} ~ '^[0-9a-f]+$'`,
  changeType: (table, column, type) => `ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${type} USING ${column}::${type};`,
}
