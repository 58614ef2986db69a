import type { Database } from 'drizzle-auth-adapter/internal'
import { textOfBytes } from 'drizzle-auth-adapter/internal'
import { sql } from 'drizzle-orm'
import { inspectors } from '../doctor/index.js'
import { read } from '../doctor/inspector.js'
import type { Catalog, Dependent, Trigger } from './model.js'
import { literal, nameKey } from './model.js'

const { quote, inspectAll } = inspectors.mysql
const text = (value: unknown) => (value === null || value === undefined ? '' : textOfBytes(value))

export async function readCatalog(db: Database, schemas: string[]): Promise<Catalog> {
  const [server] = await read(
    db,
    {
      version: sql`version()`,
      schema: sql`database()`,
      folds: sql`@@lower_case_table_names`,
      zone: sql`@@session.time_zone`,
      characters: sql`@@character_set_database`,
      collation: sql`@@collation_database`,
    },
    sql`(select 1) as one`,
  )
  const isMariaDb = /mariadb/i.test(text(server?.version))
  const nameOf = (name: string) => (Number(server?.folds) === 0 ? name : name.toLowerCase())
  const current = nameOf(text(server?.schema))
  const schemaOf = (schema: string) => (nameOf(schema) === current ? '' : nameOf(schema))
  const tables = await inspectAll(db, schemas.filter(Boolean))
  const all = [...new Set([current, ...tables.map(({ schema }) => schema || current)])]
  const rowsOf = (columns: Record<string, string>, from: string, schema: string) =>
    read(
      db,
      Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sql.raw(column)])),
      sql.raw(from),
      sql`${sql.raw(schema)} in ${all}`,
    )
  const relations = await rowsOf({ schema: 't.table_schema', name: 't.table_name' }, 'information_schema.tables t', 't.table_schema')
  const constraints = await rowsOf(
    { schema: 't.constraint_schema', name: 't.constraint_name' },
    'information_schema.table_constraints t',
    't.constraint_schema',
  )
  const checks = await rowsOf(
    { schema: 'c.constraint_schema', table: 't.table_name', name: 'c.constraint_name', text: 'c.check_clause' },
    `information_schema.check_constraints c join information_schema.table_constraints t on t.constraint_schema = c.constraint_schema
      and t.constraint_name = c.constraint_name${isMariaDb ? ' and t.table_name = c.table_name' : ''}`,
    'c.constraint_schema',
  )
  const generated = await rowsOf(
    {
      schema: 'c.table_schema',
      table: 'c.table_name',
      name: 'c.column_name',
      text: `concat_ws(' ', c.generation_expression, c.column_default)`,
    },
    'information_schema.columns c',
    'c.table_schema',
  )
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
    'information_schema.triggers t',
    't.trigger_schema',
  )
  const texts = [
    ['view', 'v.table_name', 'v.view_definition', 'views v', 'v.table_schema'],
    ['trigger', 'v.trigger_name', `concat(v.event_object_table, ' ', v.action_statement)`, 'triggers v', 'v.trigger_schema'],
    ['routine', 'v.routine_name', 'v.routine_definition', 'routines v', 'v.routine_schema'],
    ['event', 'v.event_name', 'v.event_definition', 'events v', 'v.event_schema'],
  ] as const
  const readers: Catalog['texts'] = []
  for (const [kind, name, definition, view, schema] of texts)
    for (const row of await rowsOf({ name, definition }, `information_schema.${view}`, schema))
      readers.push({ what: `${kind} ${text(row.name)}`, text: text(row.definition) })
  // MariaDB renames the column in its checks and generated columns. MySQL refuses.
  const breaks: Dependent['breaksOn'][] = isMariaDb ? ['type'] : ['type', 'name']
  const mentioned = (rows: Record<string, unknown>[], kind: string) =>
    tables.flatMap((table) =>
      table.columns.flatMap(({ name: column }) =>
        rows
          .filter(
            (row) =>
              schemaOf(text(row.schema)) === table.schema &&
              nameOf(text(row.table)) === table.name &&
              (kind === 'check' || text(row.name) !== column) &&
              text(row.text).toLowerCase().includes(quote(column).toLowerCase()),
          )
          .flatMap((row): Dependent[] => breaks.map((breaksOn) => ({ what: `${kind} ${text(row.name)}`, table, column, breaksOn }))),
      ),
    )
  return {
    tables,
    database: current,
    timeZone: text(server?.zone),
    characterSet: text(server?.characters),
    collation: text(server?.collation),
    texts: readers,
    dependents: [...mentioned(checks, 'check'), ...mentioned(generated, 'column')],
    triggers: triggers.map((row): Trigger => {
      const [user = '', host = '%'] = text(row.definer).split(/@(?=[^@]*$)/)
      const table = { schema: schemaOf(text(row.schema)), name: nameOf(text(row.table)) }
      const at = `${text(row.timing)} ${text(row.event)} ON ${quote(table.name)} FOR EACH ROW ${text(row.text)}`
      return {
        name: text(row.name),
        table,
        events: [text(row.event)],
        columns: [],
        off: `DROP TRIGGER ${quote(text(row.name))};`,
        on: `CREATE DEFINER = ${literal(user)}@${literal(host)} TRIGGER ${quote(text(row.name))} ${at};`,
      }
    }),
    names: new Set([
      ...relations.map(({ schema, name }) => nameKey(schemaOf(text(schema)), nameOf(text(name)))),
      ...constraints.map(({ schema, name }) => nameKey(schemaOf(text(schema)), text(name).toLowerCase())),
    ]),
    pathOf: ({ schema, name }) => ({ schema: schema && schemaOf(schema), name: nameOf(name) }),
  }
}
