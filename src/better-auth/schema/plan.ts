import type { BetterAuthDBSchema, DBFieldAttribute } from '@better-auth/core/db'
import { getDatabaseFieldIndexName, getDatabaseIndexName, resolveDatabaseSchemaIndexes } from '@better-auth/core/db/internal'
import type { Table } from 'drizzle-orm'
import { isTable } from '../../query/internals.js'
import type { Definition } from './definition.js'
import { definitionOf } from './definition.js'

/** The names that Better Auth's adapter factory knows. */
export interface Naming {
  modelName(model: string): string
  fieldName(target: { model: string; field: string }): string
}

export interface Field {
  /** The name of the column in code. */
  readonly name: string
  readonly attributes: DBFieldAttribute
}

export interface Index {
  readonly name: string
  /** Names of columns in code. */
  readonly columns: readonly string[]
  readonly isUnique: boolean
}

/** A table of the schema file. */
export interface TablePlan {
  readonly exported: string
  /** The key of its model. Other tables of the file have none. */
  readonly model?: string
  readonly fields: readonly Field[]
  readonly indexes: readonly Index[]
  /** The table as the app has it. */
  readonly existing?: Definition
}

/** The tables of a schema file: those that Better Auth needs, and the others that the file has now. */
export function planTables(
  tables: BetterAuthDBSchema,
  schema: Readonly<Record<string, unknown>>,
  current: string,
  naming: Naming,
): readonly TablePlan[] {
  const isInFile = (name: string) => new RegExp(`\\bexport const ${name.replaceAll('$', '\\$')}\\b`).test(current)
  const models = modelsIn(tables)
  const declared = declaredIndexes(tables, models, naming)
  const planned = models.map((model): TablePlan => {
    const name = naming.modelName(model)
    const table = Object.hasOwn(schema, name) && isTable(schema[name]) ? schema[name] : undefined
    // An app can pass its tables under other names than the file has for them, as in `{ user: schema.users }`.
    const nameInFile = table && [name, ...Object.keys(schema)].find((each) => schema[each] === table && isInFile(each))
    const fields = Object.entries(tables[model]?.fields ?? {})
      .filter(([field]) => field !== 'id')
      .map(([field, attributes]) => ({ name: attributes.fieldName ?? field, attributes }))
    return {
      exported: nameInFile ?? name,
      model,
      fields,
      indexes: declared.get(model) ?? [],
      ...(table && { existing: definitionOf(table) }),
    }
  })
  const known = new Set<Table | undefined>(planned.map(({ existing }) => existing?.table))
  const others = Object.entries(schema).filter(
    (entry): entry is [string, Table] => isTable(entry[1]) && !known.has(entry[1]) && isInFile(entry[0]),
  )
  return [...planned, ...others.map(([exported, table]) => ({ exported, fields: [], indexes: [], existing: definitionOf(table) }))]
}

const modelsIn = (tables: BetterAuthDBSchema) => Object.keys(tables).filter((model) => !tables[model]?.disableMigrations)

/** The key of a model among the tables. References may name it by its own name. */
export function keyOfModel(tables: BetterAuthDBSchema, model: string, { modelName }: Naming): string | undefined {
  if (tables[model]) return model
  return Object.keys(tables).find((key) => tables[key]?.modelName === model || modelName(key) === model)
}

/** The indexes of each model, under the official names. */
function declaredIndexes(tables: BetterAuthDBSchema, models: readonly string[], { modelName, fieldName }: Naming): Map<string, Index[]> {
  const sources = models.map((model) => ({ ...tables[model], fields: tables[model]?.fields ?? {}, tableName: modelName(model) }))
  const resolved = resolveDatabaseSchemaIndexes(sources.map(({ fields, indexes, tableName }) => ({ fields, indexes, tableName })))
  return new Map(
    models.map((model, position) => {
      const { tableName, fields } = sources[position] as (typeof sources)[number]
      const own = (columns: [string, ...string[]], isUnique: boolean): Index => ({
        name: getDatabaseIndexName(tableName, { fields: columns, unique: isUnique }),
        columns,
        isUnique,
      })
      const named = (field: string) => fieldName({ model, field })
      const indexes: Index[] = [
        ...(resolved.get(tableName) ?? []).map(({ name, columns, unique = false }) => ({ name, columns, isUnique: unique })),
        ...Object.entries(fields)
          .filter(([, { index, unique }]) => index && !unique)
          .map(([field, attributes]) => attributes.fieldName ?? field)
          .map((name) => ({ name: getDatabaseFieldIndexName(tableName, name, false), columns: [name], isUnique: false })),
        // Better Auth looks an account up by these two. Without this index, one account of a provider could belong to two users.
        ...(model === 'account' ? [own([named('providerId'), named('accountId')], true)] : []),
        // Expired rows are found by it. Without this index, cleaning up reads the whole table.
        ...(['session', 'verification'].includes(model) ? [own([named('expiresAt')], false)] : []),
      ]
      const isFirst = ({ name, columns }: Index, at: number) =>
        indexes.findIndex((each) => each.name === name || each.columns.join() === columns.join()) === at
      return [model, indexes.filter(isFirst)]
    }),
  )
}
