import type { Database } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import { textRows } from './catalog.js'
import type { Catalog, Dependent, Trigger } from './model.js'
import { literal, nameKey } from './model.js'

const { quote, inspectAll } = inspectors.mysql

export async function readCatalog(db: Database, schemas: string[]): Promise<Catalog> {
  const settings = {
    version: 'version()',
    schema: 'database()',
    folds: '@@lower_case_table_names',
    zone: '@@session.time_zone',
    characters: '@@character_set_database',
    collation: '@@collation_database',
  }
  const server = (await textRows(db, settings, '(select 1) as one'))[0] as Record<keyof typeof settings, string>
  const isMariaDb = /mariadb/i.test(server.version)
  const nameOf = (name: string) => (server.folds === '0' ? name : name.toLowerCase())
  const database = nameOf(server.schema)
  const schemaOf = (schema: string) => (nameOf(schema) === database ? '' : nameOf(schema))
  const tables = await inspectAll(db, schemas.filter(Boolean))
  const all = [...new Set([database, ...tables.map(({ schema }) => schema || database)])]
  /** Rows of a view of the information schema, called t. */
  const rowsOf = <Name extends string>(columns: Record<Name, string>, view: string, schema: string) =>
    textRows(db, columns, `information_schema.${view}`, sql`${sql.raw(`t.${schema}`)} in ${all}`)
  const relations = await rowsOf({ schema: 't.table_schema', name: 't.table_name' }, 'tables t', 'table_schema')
  const keys = { schema: 't.constraint_schema', name: 't.constraint_name' }
  const constraints = await rowsOf(keys, 'table_constraints t', 'constraint_schema')
  const checks = await rowsOf(
    { ...keys, table: 't.table_name', text: 'c.check_clause' },
    `check_constraints c join information_schema.table_constraints t on t.constraint_schema = c.constraint_schema
      and t.constraint_name = c.constraint_name${isMariaDb ? ' and t.table_name = c.table_name' : ''}`,
    'constraint_schema',
  )
  const expression = "concat_ws(' ', t.generation_expression, t.column_default)"
  const columns = { schema: 't.table_schema', table: 't.table_name', name: 't.column_name', text: expression }
  const generated = await rowsOf(columns, 'columns t', 'table_schema')
  const triggers = await rowsOf(
    {
      schema: 't.event_object_schema',
      table: 't.event_object_table',
      name: 't.trigger_name',
      event: 't.event_manipulation',
      timing: 't.action_timing',
      definer: 't.definer',
      text: 't.action_statement',
    },
    'triggers t',
    'trigger_schema',
  )
  const texts: Catalog['texts'] = triggers.map(({ name, table, text }) => ({ what: `trigger ${name}`, text: `${table} ${text}` }))
  for (const kind of ['view', 'routine', 'event']) {
    const [name, schema] = kind === 'view' ? ['t.table_name', 'table_schema'] : [`t.${kind}_name`, `${kind}_schema`]
    const rows = await rowsOf({ name, text: `t.${kind}_definition` }, `${kind}s t`, schema)
    texts.push(...rows.map((row) => ({ what: `${kind} ${row.name}`, text: row.text })))
  }
  // MariaDB renames the column in its checks and generated columns. MySQL refuses.
  const breaks: Dependent['breaksOn'][] = isMariaDb ? ['type'] : ['type', 'name']
  const mentioned = (rows: typeof generated, kind: string) =>
    tables.flatMap((table) =>
      table.columns.flatMap(({ name: column }) => {
        const isThere = (row: (typeof rows)[number]) =>
          schemaOf(row.schema) === table.schema &&
          nameOf(row.table) === table.name &&
          (kind === 'check' || row.name !== column) &&
          row.text.toLowerCase().includes(quote(column).toLowerCase())
        return rows
          .filter(isThere)
          .flatMap(({ name }) => breaks.map((breaksOn): Dependent => ({ what: `${kind} ${name}`, table, column, breaksOn })))
      }),
    )
  return {
    tables,
    database,
    timeZone: server.zone,
    characterSet: server.characters,
    collation: server.collation,
    texts,
    dependents: [...mentioned(checks, 'check'), ...mentioned(generated, 'column')],
    triggers: triggers.map(({ schema, table, name, event, timing, definer, text }): Trigger => {
      const [user = '', host = '%'] = definer.split(/@(?=[^@]*$)/)
      const at = `${timing} ${event} ON ${quote(nameOf(table))} FOR EACH ROW ${text}`
      return {
        name,
        table: { schema: schemaOf(schema), name: nameOf(table) },
        events: [event],
        columns: [],
        off: `DROP TRIGGER ${quote(name)};`,
        on: `CREATE DEFINER = ${literal(user)}@${literal(host)} TRIGGER ${quote(name)} ${at};`,
      }
    }),
    names: new Set([
      ...relations.map(({ schema, name }) => nameKey(schemaOf(schema), nameOf(name))),
      ...constraints.map(({ schema, name }) => nameKey(schemaOf(schema), name.toLowerCase())),
    ]),
    pathOf: ({ schema, name }) => ({ schema: schema && schemaOf(schema), name: nameOf(name) }),
  }
}
