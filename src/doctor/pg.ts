import type { SQL } from 'drizzle-orm'
import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { Finding } from './finding.js'
import { finding } from './finding.js'
import type { ColumnType, Inspector, LiveTable, Question, TableName } from './inspector.js'
import { localTimes, read, readOne } from './inspector.js'

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

async function inspect(db: Database, table: TableName): Promise<LiveTable | undefined> {
  const oid = oidOf(table)
  const { id } = await readOne(db, { id: sql`${oid}::oid::text` }, one)
  if (id === null) return undefined
  const columns = await read(
    db,
    {
      name: sql`a.attname::text`,
      // A domain is what it is made of.
      type: sql`format_type(coalesce(nullif(t.typbasetype, 0), a.atttypid), case when t.typbasetype = 0 then a.atttypmod else t.typtypmod end)`,
      required: sql`case when a.attnotnull and not a.atthasdef and a.attidentity = '' then 1 else 0 end`,
      clock: sql`(select case when pg_get_expr(d.adbin, d.adrelid) ~* 'now[(]|timestamp[(]|(current|local)_?time|''now''' then 1 else 0 end
        from pg_attrdef d where d.adrelid = a.attrelid and d.adnum = a.attnum)`,
      loose: sql`(select c.collname::text from pg_collation c where c.oid = a.attcollation and not c.collisdeterministic)`,
    },
    sql`pg_attribute a join pg_type t on t.oid = a.atttypid`,
    sql`a.attrelid = ${oid} and a.attnum > 0 and not a.attisdropped`,
  )
  const indexes = await read(
    db,
    {
      unique: sql`case when i.indisunique and i.indisvalid and i.indpred is null then 1 else 0 end`,
      columns: sql`(select string_agg(pg_get_indexdef(i.indexrelid, k, true), chr(31) order by k) from generate_series(1, i.indnkeyatts) k)`,
    },
    sql`pg_index i`,
    sql`i.indrelid = ${oid} and i.indisvalid and i.indpred is null`,
  )
  const foreignKeys = await read(
    db,
    {
      columns: sql`(select string_agg(a.attname::text, chr(31)) from pg_attribute a where a.attrelid = f.conrelid and a.attnum = any(f.conkey))`,
      references: sql`f.confrelid::text`,
      rule: sql`f.confdeltype::text`,
    },
    sql`pg_constraint f`,
    sql`f.contype = 'f' and f.conrelid = ${oid}`,
  )
  const named = (list: unknown) => String(list).split('\x1f').map(indexedColumn)
  return {
    id: String(id),
    columns: columns.map(({ name, type, required, clock, loose }) => ({
      ...parseType(String(type)),
      name: String(name),
      type: String(type),
      isRequired: Number(required) === 1,
      isLocalTime: Number(clock ?? 0) === 1 && parseType(String(type)).holds === 'date',
      looseCollation: type === 'citext' ? 'citext' : loose === null ? undefined : String(loose),
    })),
    unique: indexes.filter((index) => Number(index.unique) === 1).map((index) => named(index.columns)),
    indexes: indexes.map((index) => named(index.columns)),
    foreignKeys: foreignKeys.map((key) => ({
      columns: String(key.columns).split('\x1f'),
      references: String(key.references),
      cascades: key.rule === 'c',
    })),
  }
}

// A unique key on lower(email) makes email unique, too.
function indexedColumn(definition: string): string {
  const column = /^lower\((.*?)(::text)?\)$/.exec(definition)?.[1] ?? definition
  return column.startsWith('"') ? column.slice(1, -1).replaceAll('""', '"') : column
}

const setting = (name: string) => sql.raw(`current_setting('${name}')`)

const questions: Question[] = [
  {
    about: 'whether the server takes writes',
    async ask(db) {
      const { replica, mode } = await readOne(
        db,
        { replica: sql`case when pg_is_in_recovery() then 1 else 0 end`, mode: setting('transaction_read_only') },
        one,
      )
      if (Number(replica) === 1)
        return [finding('read-only', 'the server is a replica and takes no writes', { fix: 'Connect to the primary.' })]
      if (mode !== 'on') return []
      const fix = `ALTER ROLE … RESET default_transaction_read_only; or the same for the database`
      return [finding('read-only', 'transactions are read-only by default (default_transaction_read_only)', { fix })]
    },
  },
  {
    about: 'DateStyle and TimeZone',
    async ask(db, tables) {
      const found: Finding[] = []
      const { style, offset } = await readOne(
        db,
        {
          style: setting('DateStyle'),
          offset: sql`abs(extract(timezone from now())::int) + abs(extract(timezone from now() + interval '182 days')::int)`,
        },
        one,
      )
      if (!String(style).startsWith('ISO'))
        found.push(
          finding('date-style', 'DateStyle is not ISO: code that reads dates as text may take days for months', {
            fix: `ALTER DATABASE … SET DateStyle = 'ISO';`,
          }),
        )
      if (Number(offset) !== 0) found.push(...localTimes(tables, `ALTER DATABASE … SET TimeZone = 'UTC';`))
      return found
    },
  },
  {
    about: 'the encoding of the database and the connection',
    async ask(db) {
      const { server, client } = await readOne(db, { server: setting('server_encoding'), client: setting('client_encoding') }, one)
      const found: Finding[] = []
      if (server !== 'UTF8')
        found.push(
          finding('character-set', 'the encoding of the database is not UTF8: it cannot store every name and address', {
            fix: `CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0; and move the tables there`,
          }),
        )
      if (client !== 'UTF8')
        found.push(
          finding('character-set', 'client_encoding of the connection is not UTF8: some names and addresses cannot be sent or read', {
            fix: `ALTER ROLE … SET client_encoding = 'UTF8';`,
          }),
        )
      return found
    },
  },
  { about: 'the rights of the role', ask: excessRights },
  { about: 'row level security', ask: rowSecurity },
]

async function excessRights(db: Database, tables: ReadonlyMap<TableName, LiveTable>): Promise<Finding[]> {
  const fix = 'Let the app use a role with the rights to select, insert, update and delete alone.'
  const role = await readOne(
    db,
    {
      super: sql`case when rolsuper then 1 else 0 end`,
      more: sql`concat_ws(', ', case when rolcreaterole then 'CREATEROLE' end, case when rolcreatedb then 'CREATEDB' end, case when rolbypassrls then 'BYPASSRLS' end, case when rolreplication then 'REPLICATION' end)`,
    },
    sql`(select * from pg_roles where rolname = current_user) as r`,
  )
  if (Number(role.super) === 1)
    return [finding('excess-rights', 'the role is a superuser: a hole in the app is one in the whole server', { fix })]
  const found = role.more ? [finding('excess-rights', `the role has more rights than needed: ${role.more}`, { fix })] : []
  for (const [table] of tables) {
    const oid = oidOf(table)
    const { rights } = await readOne(
      db,
      {
        rights: sql`(select string_agg(case when pg_has_role(c.relowner, 'USAGE') then 'owner' else null end, '') from pg_class c where c.oid = ${oid})`,
      },
      one,
    )
    const { more } = await readOne(
      db,
      {
        more: sql`(select string_agg(p, ', ') from unnest(array['TRUNCATE', 'REFERENCES', 'TRIGGER']) p where has_table_privilege(${oid}, p))`,
      },
      one,
    )
    const names = rights === 'owner' ? 'it owns the table' : more
    if (names) found.push(finding('excess-rights', `the role has more rights than needed: ${names}`, { table: table.name, fix }))
  }
  return found
}

async function rowSecurity(db: Database, tables: ReadonlyMap<TableName, LiveTable>): Promise<Finding[]> {
  const found: Finding[] = []
  for (const [table] of tables) {
    const oid = oidOf(table)
    const { closed } = await readOne(
      db,
      {
        closed: sql`(select case when row_security_active(${oid}) and not exists (
          select 1 from pg_policy p where p.polrelid = ${oid} and p.polpermissive
          and exists (select 1 from unnest(p.polroles) r where r = 0 or pg_has_role(r, 'USAGE'))) then 1 else 0 end)`,
      },
      one,
    )
    if (Number(closed) === 1)
      found.push(
        finding('row-security', 'row level security is on, and no policy lets this role see a row', {
          table: table.name,
          fix: `CREATE POLICY … ON ${pathOf(table)} TO … USING (true) WITH CHECK (true);`,
        }),
      )
  }
  return found
}

const exact = (value: SQL) => sql`(${value})::text collate "C"`

export const pg: Inspector = {
  inspect,
  parseType,
  questions,
  quote,
  exact,
  between: sql` || chr(31) || `,
  lowerCase: (text) => `LOWER(${text})`,
  hasCapitals: (value) => sql`lower((${value})::text) collate "C" <> ${exact(value)}`,
  isDecimalId: (value) => sql`${exact(value)} ~ '^[0-9]+[.]0$'`,
  changeType: (table, column, type) => `ALTER TABLE ${table} ALTER COLUMN ${column} TYPE ${type} USING ${column}::${type};`,
  addForeignKey: (table, column, users, id) =>
    `ALTER TABLE ${table} ADD FOREIGN KEY (${column}) REFERENCES ${users} (${id}) ON DELETE CASCADE;`,
}
