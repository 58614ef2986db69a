import type { BetterAuthDBSchema } from '@better-auth/core/db'
import type { DialectName } from '../../query/internals.js'
import { kindsOf } from '../../query/internals.js'
import { columnWriters } from './columns.js'
import type { SchemaOptions } from './context.js'
import { literal, localNames } from './names.js'
import type { TablePlan } from './plan.js'
import { planTables } from './plan.js'
import { relationsText } from './relations.js'
import { tableText } from './table.js'
import { columnTypes } from './types.js'

const header = `// Written by \`npx auth generate\`. Declare columns of your own as additionalFields in the options of Better Auth, not here.
// What exists stays as it is, and what is missing is added.`

/** The Drizzle schema file for the tables of Better Auth and its plugins. */
export function schemaFile(tables: BetterAuthDBSchema, settings: SchemaOptions): string {
  const { dialect, isV1, schema, usePlural } = settings
  const writer = columnWriters[dialect]
  const plans = planTables(tables, schema, settings.current, settings)
  const functions = functionsOf(dialect)
  const local = localNames([
    ...functions,
    'sql',
    'relations',
    'defineRelationsPart',
    'exactText',
    writer.anyColumn,
    'one',
    'many',
    'r',
    'table',
  ])
  const namespaces = namespacesOf(plans, settings, local)
  const enums = new Map<unknown, string>()
  const parts = plans.map((_, position) => tableText({ tables, plans, position, local, namespaces, enums, settings }))
  const text = [
    ...[...namespaces].map(([name, variable]) => `export const ${variable} = ${writer.namespace}(${literal(name)})`),
    ...[...enums].map(([each, variable]) => enumText(each as PgEnum, variable, namespaces)),
    ...parts,
    ...relationsText(tables, plans, { isV1, usePlural, local, naming: settings }),
  ].join('\n\n')

  // Names in comments and texts are not calls.
  const calls = text.replace(/^ *\/\/.*$/gm, '').replace(/'(?:\\.|[^'\\])*'|`(?:\\.|[^`\\])*`/g, (quoted) => quoted.slice(0, 1))
  const isCalled = (name: string) => new RegExp(`(?<![.\\w$])${name}\\(`).test(calls)
  const roots = ['defineRelationsPart', 'relations', 'sql'].filter((name) => isCalled(name) || (name === 'sql' && /\bsql`/.test(calls)))
  const imports = [
    ...(roots.length > 0 ? [`import { ${roots.join(', ')} } from 'drizzle-orm'`] : []),
    ...(isCalled('exactText') ? [`import { exactText } from 'drizzle-auth-adapter/mysql'`] : []),
    ...(new RegExp(`\\b${writer.anyColumn}\\b`).test(calls)
      ? [`import type { ${writer.anyColumn} } from 'drizzle-orm/${writer.module}'`]
      : []),
    `import { ${functions.filter(isCalled).join(', ')} } from 'drizzle-orm/${writer.module}'`,
  ]
  return `${header}\n${imports.join('\n')}\n\n${text}\n`
}

/** What a schema file may import from the core of a dialect. */
function functionsOf(dialect: DialectName): string[] {
  const { table, namespace } = columnWriters[dialect]
  const types = Object.entries(columnTypes).filter(([kind]) => kind.toLowerCase().startsWith(dialect))
  const own = { pg: ['pgEnum'], mysql: ['mysqlEnum', 'longtext', 'mediumtext', 'tinytext'], sqlite: [] }[dialect]
  const others = ['check', 'foreignKey', 'index', 'primaryKey', 'unique', 'uniqueIndex']
  return [...new Set([table, namespace, ...own, ...others, ...types.map(([, [name]]) => name)])].filter(Boolean).sort()
}

interface PgEnum {
  readonly enumName: string
  readonly enumValues: readonly string[]
  readonly schema?: string
}

function enumText({ enumName, enumValues, schema }: PgEnum, variable: string, namespaces: ReadonlyMap<string, string>): string {
  const create = schema === undefined ? 'pgEnum' : `${namespaces.get(schema)}.enum`
  return `export const ${variable} = ${create}(${literal(enumName)}, ${literal(enumValues)})`
}

/** The schemas of the database that the tables are in, with their names in the file. */
function namespacesOf(plans: readonly TablePlan[], { dialect, schema, schemaName }: SchemaOptions, local: (name: string) => string) {
  const isNew = ({ existing }: TablePlan) => existing === undefined
  const created = dialect === 'pg' && plans.some(isNew) ? schemaName : undefined
  const names = new Set([...plans.map(({ existing }) => existing?.schema), created].filter((name) => name !== undefined))
  const exportOf = (name: string) =>
    Object.keys(schema).find(
      (key) => kindsOf(schema[key]).some((kind) => /Schema$/.test(kind)) && (schema[key] as { schemaName?: string }).schemaName === name,
    )
  return new Map([...names].map((name) => [name, local(exportOf(name) ?? `${name}-schema`)]))
}
