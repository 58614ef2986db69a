import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import type { TablePath } from '../doctor/inspector.js'
import { textRows } from './catalog.js'
import type { Catalog, Dependent, Rights, Trigger } from './model.js'
import { nameKey } from './model.js'

const { quote, inspectAll } = inspectors.pg
const path = ({ schema, name }: TablePath) => `${quote(schema)}.${quote(name)}`
const isOurs = sql`n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg\\_%'`
const list = (json: string) => JSON.parse(json || '[]')
/** The columns that identify a table. */
const names = { schema: 'n.nspname::text', table: 'c.relname::text' }

export async function readCatalog(db: Database): Promise<Catalog> {
  const [current] = await textRows(db, { schema: 'current_schema()::text' }, '(select 1) as one')
  const taken = await textRows(
    db,
    { schema: 'n.nspname::text', name: 'c.name' },
    `(select relnamespace as schema, relname::text as name from pg_class union select typnamespace, typname::text from pg_type
      union select connamespace, conname::text from pg_constraint) c join pg_namespace n on n.oid = c.schema`,
    isOurs,
  )
  return {
    tables: await inspectAll(db, []),
    dependents: await dependentsIn(db),
    texts: await functions(db),
    names: new Set(taken.map(({ schema, name }) => nameKey(schema, name))),
    triggers: await triggersIn(db),
    rights: await rightsIn(db),
    pathOf: ({ schema, name }) => ({ schema: schema || (current?.schema ?? ''), name }),
  }
}

/** Triggers and rules that are switched on. Those of foreign keys belong to PostgreSQL. */
async function triggersIn(db: Database): Promise<Trigger[]> {
  const rows = await textRows(
    db,
    {
      ...names,
      name: 't.name',
      kind: 't.kind',
      events: 't.events::text',
      columns: '(select json_agg(a.attname)::text from pg_attribute a where a.attrelid = c.oid and a.attnum = any (t.attributes))',
    },
    `(select tgrelid as relation, tgname::text as name, 'TRIGGER' as kind, tgattr::int2[] as attributes,
        array_to_json(array_remove(array[case when tgtype & 4 > 0 then 'INSERT' end, case when tgtype & 8 > 0 then 'DELETE' end, case when tgtype & 16 > 0 then 'UPDATE' end], null)) as events
        from pg_trigger where not tgisinternal and tgenabled <> 'D'
      union all select ev_class, rulename::text, 'RULE', '{}'::int2[], array_to_json(array[case ev_type when '2' then 'UPDATE' when '3' then 'INSERT' else 'DELETE' end])
        from pg_rewrite where rulename <> '_RETURN' and ev_type <> '1' and ev_enabled <> 'D') t
      join pg_class c on c.oid = t.relation join pg_namespace n on n.oid = c.relnamespace`,
    sql`c.relkind in ('r', 'p') and ${isOurs}`,
  )
  return rows.map(({ schema, table, name, kind, events, columns }): Trigger => {
    const at = { schema, name: table }
    const statement = (does: string) => `ALTER TABLE ${path(at)} ${does} ${kind} ${quote(name)};`
    return { name, table: at, events: list(events), columns: list(columns), off: statement('DISABLE'), on: statement('ENABLE') }
  })
}

async function rightsIn(db: Database): Promise<Map<string, Rights>> {
  // Whoever runs the plan: the privileges that any role gives to others by default.
  const defaults = await textRows(
    db,
    { name: 'distinct r.rolname::text' },
    'pg_default_acl d cross join aclexplode(d.defaclacl) a join pg_roles r on r.oid = a.grantee',
    sql`d.defaclobjtype = 'r' and a.grantee <> d.defaclrole`,
  )
  const rows = await textRows(
    db,
    {
      ...names,
      rights: `json_build_object('owner', o.rolname, 'isMember', pg_has_role(c.relowner, 'MEMBER'),
        'rowSecurity', c.relrowsecurity, 'forced', c.relforcerowsecurity, 'seesAll', not row_security_active(c.oid),
        'grants', (select coalesce(json_agg(g), '[]')
          from (select coalesce(r.rolname::text, '') as grantee, json_agg(a.privilege_type order by a.privilege_type) as privileges, a.is_grantable as "isGrantable"
            from aclexplode(c.relacl) a left join pg_roles r on r.oid = a.grantee where a.grantee <> c.relowner group by 1, 3 order by 1, 3) g),
        'columnGrantees', (select coalesce(json_agg(distinct coalesce(r.rolname::text, 'PUBLIC')), '[]') from pg_attribute t, aclexplode(t.attacl) a
          left join pg_roles r on r.oid = a.grantee where t.attrelid = c.oid and not t.attisdropped),
        'policies', (select coalesce(json_agg(json_build_object('name', p.polname, 'columns',
          (select coalesce(json_agg(a.attname), '[]') from pg_depend d join pg_attribute a on a.attrelid = c.oid and a.attnum = d.refobjsubid
            where d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refobjid = c.oid and d.refobjsubid > 0),
          'clauses', concat('AS ', case when p.polpermissive then 'PERMISSIVE' else 'RESTRICTIVE' end, ' FOR ',
            case p.polcmd when 'r' then 'SELECT' when 'a' then 'INSERT' when 'w' then 'UPDATE' when 'd' then 'DELETE' else 'ALL' end, ' TO ',
            (select string_agg(case when r = 0 then 'PUBLIC' else quote_ident((select rolname from pg_roles where oid = r)) end, ', ') from unnest(p.polroles) r),
            ' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')', ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')')) order by p.polname), '[]')
          from pg_policy p where p.polrelid = c.oid))::text`,
    },
    'pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles o on o.oid = c.relowner',
    sql`c.relkind in ('r', 'p') and ${isOurs}`,
  )
  const defaultGrantees = defaults.map(({ name }) => name)
  return new Map(rows.map(({ schema, table, rights }) => [nameKey(schema, table), { ...JSON.parse(rights), defaultGrantees }]))
}

/** Everything that depends on a table, except for objects that PostgreSQL or the plan updates. */
async function dependentsIn(db: Database): Promise<Dependent[]> {
  const relation = 'join pg_namespace n on n.oid = c.relnamespace'
  const columns = await textRows(
    db,
    {
      ...names,
      column: 'a.attname::text',
      what: 'pg_describe_object(p.classid, p.objid, p.objsubid)',
      // PostgreSQL rebuilds these for the new type, which works unless an operator is missing.
      breaksOn: `case when p.classid in ('pg_constraint'::regclass, 'pg_class'::regclass, 'pg_statistic_ext'::regclass) then 'kind' else 'type' end`,
    },
    `pg_depend p join pg_class c on c.oid = p.refobjid ${relation} join pg_attribute a on a.attrelid = c.oid and a.attnum = p.refobjsubid`,
    sql`p.refclassid = 'pg_class'::regclass and p.refobjsubid > 0 and c.relkind in ('r', 'p') and ${isOurs}
      and not (p.classid = 'pg_attrdef'::regclass and exists (select 1 from pg_attrdef o where o.oid = p.objid and o.adrelid = c.oid and o.adnum = a.attnum and a.attgenerated = ''))
      and not (p.classid = 'pg_constraint'::regclass and exists (select 1 from pg_constraint k where k.oid = p.objid and k.contype in ('f', 'p', 'u', 'n')))
      and not (p.classid = 'pg_class'::regclass and exists (select 1 from pg_class s where s.oid = p.objid and s.relkind = 'S'))
      and not (p.classid = 'pg_class'::regclass and exists (select 1 from pg_index i join pg_class x on x.oid = i.indexrelid join pg_am m on m.oid = x.relam
        where i.indexrelid = p.objid and i.indexprs is null and i.indpred is null and m.amname = 'btree'
          and not exists (select 1 from unnest(i.indclass::oid[]) o join pg_opclass q on q.oid = o where not q.opcdefault)))`,
  )
  // Columns whose type is the row type of a table.
  const rowTypes = await textRows(
    db,
    { ...names, what: `pg_describe_object('pg_class'::regclass, a.attrelid, a.attnum)`, breaksOn: `'type'` },
    `pg_class c ${relation} join pg_type t on t.oid = c.reltype join pg_attribute a on a.atttypid in (t.oid, t.typarray) and not a.attisdropped`,
    sql`c.relkind in ('r', 'p') and ${isOurs}`,
  )
  // What uses no single column: views that only count rows, functions, publications.
  const tables = await textRows(
    db,
    { ...names, what: 'pg_describe_object(p.classid, p.objid, p.objsubid)', breaksOn: `'table'` },
    `pg_depend p join pg_class c on c.oid = p.refobjid ${relation}`,
    sql`p.refclassid = 'pg_class'::regclass and p.refobjsubid = 0 and c.relkind in ('r', 'p') and ${isOurs}
      and p.classid in ('pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_publication_rel'::regclass)`,
  )
  return [...columns, ...rowTypes, ...tables].map(
    ({ schema, table, ...dependent }) => ({ table: { schema, name: table }, ...dependent }) as Dependent,
  )
}

/** Functions, whose source PostgreSQL only parses when they are called. */
async function functions(db: Database): Promise<Catalog['texts']> {
  const rows = await textRows(
    db,
    { what: 'p.oid::regprocedure::text', text: 'p.prosrc' },
    'pg_proc p join pg_namespace n on n.oid = p.pronamespace join pg_language l on l.oid = p.prolang',
    sql`${isOurs} and l.lanname not in ('c', 'internal') and not exists (select 1 from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
  )
  return rows.map(({ what, text }) => ({ what: `function ${what}`, text }))
}
