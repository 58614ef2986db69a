import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { TablePath } from '../doctor/inspector.js'
import { read } from '../doctor/inspector.js'
import type { Catalog, Dependent, Rights, Trigger } from './model.js'
import { nameKey } from './model.js'

const { quote, inspectAll } = inspectors.pg
const path = ({ schema, name }: TablePath) => `${quote(schema)}.${quote(name)}`
const isOurs = sql`n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`
const list = (json: unknown): string[] => JSON.parse(String(json ?? '[]'))

export async function readCatalog(db: Database): Promise<Catalog> {
  const [current] = await read(db, { schema: sql`current_schema()::text` }, sql`(select 1) as one`)
  const names = await read(
    db,
    { schema: sql`n.nspname::text`, name: sql`c.name` },
    sql`(select relnamespace as schema, relname::text as name from pg_class union select typnamespace, typname::text from pg_type
      union select connamespace, conname::text from pg_constraint) c join pg_namespace n on n.oid = c.schema`,
    isOurs,
  )
  // Whoever runs the plan: the privileges that any role gives to others by default.
  const grantees = await read(
    db,
    { name: sql`distinct coalesce(r.rolname::text, '')` },
    sql`pg_default_acl d cross join aclexplode(d.defaclacl) a left join pg_roles r on r.oid = a.grantee`,
    sql`d.defaclobjtype = 'r' and a.grantee <> d.defaclrole`,
  )
  const defaultGrantees = grantees.map(({ name }) => String(name)).filter(Boolean)
  return {
    tables: await inspectAll(db, []),
    dependents: [...(await columnDependents(db)), ...(await rowTypes(db)), ...(await primaryKeyUsers(db))],
    texts: await functions(db),
    names: new Set(names.map(({ schema, name }) => nameKey(String(schema), String(name)))),
    triggers: await triggersIn(db),
    rights: await rightsIn(db, defaultGrantees),
    pathOf: ({ schema, name }) => ({ schema: schema || String(current?.schema), name }),
  }
}

/** Triggers and rules that are switched on. Those of foreign keys belong to PostgreSQL. */
async function triggersIn(db: Database): Promise<Trigger[]> {
  const rows = await read(
    db,
    {
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      name: sql`t.name`,
      kind: sql`t.kind`,
      events: sql`t.events::text`,
      columns: sql`(select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any (t.attributes))`,
    },
    sql`(select tgrelid as relation, tgname::text as name, 'TRIGGER' as kind, tgattr::int2[] as attributes,
        array_to_json(array_remove(array[case when tgtype & 4 > 0 then 'INSERT' end, case when tgtype & 8 > 0 then 'DELETE' end, case when tgtype & 16 > 0 then 'UPDATE' end], null)) as events
        from pg_trigger where not tgisinternal and tgenabled <> 'D'
      union all select ev_class, rulename::text, 'RULE', '{}'::int2[], array_to_json(array[case ev_type when '2' then 'UPDATE' when '3' then 'INSERT' else 'DELETE' end])
        from pg_rewrite where rulename <> '_RETURN' and ev_type <> '1' and ev_enabled <> 'D') t
      join pg_class c on c.oid = t.relation join pg_namespace n on n.oid = c.relnamespace`,
    sql`c.relkind in ('r', 'p') and ${isOurs}`,
  )
  return rows.map(({ schema, table, name, kind, events, columns }): Trigger => {
    const at = { schema: String(schema), name: String(table) }
    const statement = (does: string) => `ALTER TABLE ${path(at)} ${does} ${kind} ${quote(String(name))};`
    return {
      name: String(name),
      table: at,
      events: list(events),
      columns: list(columns),
      off: statement('DISABLE'),
      on: statement('ENABLE'),
    }
  })
}

async function rightsIn(db: Database, defaultGrantees: string[]): Promise<Map<string, Rights>> {
  const rows = await read(
    db,
    {
      schema: sql`n.nspname::text`,
      table: sql`c.relname::text`,
      owner: sql`o.rolname::text`,
      member: sql`case when pg_has_role(c.relowner, 'MEMBER') then 1 else 0 end`,
      enabled: sql`case when c.relrowsecurity then 1 else 0 end`,
      forced: sql`case when c.relforcerowsecurity then 1 else 0 end`,
      hidden: sql`case when row_security_active(c.oid) then 1 else 0 end`,
      grants: sql`(select json_agg(json_build_object('grantee', g.grantee, 'privileges', g.privileges, 'isGrantable', g.grantable))::text
        from (select coalesce(r.rolname::text, '') as grantee, json_agg(a.privilege_type order by a.privilege_type) as privileges, a.is_grantable as grantable
          from aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee where a.grantee <> c.relowner group by 1, 3 order by 1, 3) g)`,
      columns: sql`(select json_agg(distinct coalesce(r.rolname::text, 'PUBLIC'))::text from pg_attribute t, aclexplode(t.attacl) a
        left join pg_roles r on r.oid = a.grantee where t.attrelid = c.oid and not t.attisdropped)`,
      policies: sql`(select json_agg(json_build_object('name', p.polname, 'columns',
          (select coalesce(json_agg(a.attname), '[]') from pg_depend d join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
            where d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refobjid = c.oid and d.refobjsubid > 0),
          'clauses', concat('AS ', case when p.polpermissive then 'PERMISSIVE' else 'RESTRICTIVE' end, ' FOR ',
            case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end, ' TO ',
            (select string_agg(case when r = 0 then 'PUBLIC' else quote_ident((select rolname from pg_roles where oid = r)) end, ', ') from unnest(p.polroles) r),
            ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')) order by p.polname)::text
        from pg_policy p where p.polrelid = c.oid)`,
    },
    sql`pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles o on o.oid = c.relowner`,
    sql`c.relkind in ('r', 'p') and ${isOurs}`,
  )
  return new Map(
    rows.map((row) => [
      nameKey(String(row.schema), String(row.table)),
      {
        owner: String(row.owner),
        isMember: Number(row.member) === 1,
        grants: JSON.parse(String(row.grants ?? '[]')),
        defaultGrantees,
        columnGrantees: list(row.columns),
        rowSecurity: Number(row.enabled) === 1,
        forced: Number(row.forced) === 1,
        seesAll: Number(row.hidden) === 0,
        policies: JSON.parse(String(row.policies ?? '[]')),
      },
    ]),
  )
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
async function functions(db: Database): Promise<Catalog['texts']> {
  const rows = await read(
    db,
    { what: sql`p.oid::regprocedure::text`, text: sql`p.prosrc` },
    sql`pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang`,
    sql`${isOurs} and l.lanname not in ('c', 'internal') and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  return rows.map(({ what, text }) => ({ what: `function ${what}`, text: String(text) }))
}
