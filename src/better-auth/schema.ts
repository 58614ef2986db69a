import type { BetterAuthOptions } from '@better-auth/core'
import type { BetterAuthDBSchema, DBFieldAttribute } from '@better-auth/core/db'
import type { DialectName } from '../query/internals.js'
import { literal } from './literal.js'
import type { IdKind, SchemaWriter } from './writers.js'
import { writers } from './writers.js'

/** What the schema file depends on. */
export interface SchemaOptions {
  readonly dialect: DialectName
  /** Whether columns and tables are named in camelCase in the database. Otherwise in snake_case. */
  readonly camelCase: boolean
  readonly options: BetterAuthOptions
  /** The names of the exports and of the columns in code. */
  modelName(model: string): string
  fieldName(target: { model: string; field: string }): string
}

interface Field {
  readonly name: string
  readonly attributes: DBFieldAttribute
}

interface Index {
  readonly columns: readonly string[]
  readonly isUnique: boolean
}

// Better Auth looks an account up by these two. Without this index, one account of a provider could belong to two users.
const accountKey: Index = { columns: ['providerId', 'accountId'], isUnique: true }

/** The Drizzle schema file for the tables of Better Auth and its plugins. */
export function schemaFile(tables: BetterAuthDBSchema, schema: SchemaOptions): string {
  const writer = writers[schema.dialect]
  const written = Object.keys(tables).filter((model) => !tables[model]?.disableMigrations)
  const parts = written.map((model, position) => tableText(tables, model, new Set(written.slice(0, position)), schema, writer))
  const text = parts.join('\n\n')
  const used = writer.functions.filter((name) => new RegExp(`\\b${name}[(<]|: ${name} =>`).test(text))
  const imports = [
    ...(/\bsql`/.test(text) ? [`import { sql } from 'drizzle-orm'`] : []),
    ...(/\bexactText\(/.test(text) ? [`import { exactText } from 'drizzle-auth-adapter/mysql'`] : []),
    ...(/\bAny\w+Column\b/.test(text) ? [`import type { ${writer.anyColumn} } from 'drizzle-orm/${writer.module}'`] : []),
    `import { ${used.join(', ')} } from 'drizzle-orm/${writer.module}'`,
  ]
  return `${imports.join('\n')}\n\n${text}\n`
}

function tableText(
  tables: BetterAuthDBSchema,
  model: string,
  before: ReadonlySet<string>,
  { camelCase, options, modelName, fieldName }: SchemaOptions,
  writer: SchemaWriter,
): string {
  const { fields: attributes, indexes: declared = [] } = tables[model] as BetterAuthDBSchema[string]
  const named = (name: string) => (camelCase ? name : snakeCase(name))
  const exported = modelName(model)
  const fields = Object.entries(attributes)
    .filter(([field]) => field !== 'id')
    .map(([field, each]): Field => ({ name: each.fieldName ?? field, attributes: each }))
  const columnOf = (field: string) => fieldName({ model, field })

  const indexes: Index[] = [
    ...declared.map(({ fields, unique = false }) => ({ columns: fields.map(columnOf), isUnique: unique })),
    ...(model === 'account' ? [{ ...accountKey, columns: accountKey.columns.map(columnOf) }] : []),
    ...fields.filter(({ attributes }) => attributes.index && !attributes.unique).map(({ name }) => ({ columns: [name], isUnique: false })),
  ]
  const keyColumns = new Set(indexes.flatMap(({ columns }) => columns))
  const idKind = idKindOf(options)

  const typeOf = (name: string, attributes: DBFieldAttribute): string => {
    const { type, references, unique, sortable, bigint = false } = attributes
    const target = references && keyOfModel(tables, references.model, modelName)
    if (references && references.field === 'id') return writer.reference(named(name), idKind)
    const referred = references && target && tables[target]?.fields[references.field]
    if (referred) return typeOf(name, { ...referred, unique: true })
    if (Array.isArray(type)) return writer.oneOf(named(name), type as string[])
    if (type === 'string')
      return unique || keyColumns.has(name) ? writer.key(named(name)) : sortable ? writer.shortText(named(name)) : writer.text(named(name))
    if (type === 'number') return writer.number(named(name), bigint)
    if (type === 'boolean') return writer.boolean(named(name))
    if (type === 'date') return writer.date(named(name))
    if (type === 'string[]' || type === 'number[]') return writer.list(named(name), type, bigint)
    return writer.json(named(name))
  }

  const columnText = ({ name, attributes }: Field): string => {
    const { required, unique, references, defaultValue } = attributes
    let text = `${property(name)}: ${typeOf(name, attributes)}`
    if (typeof defaultValue === 'function' && attributes.type === 'date') text += writer.now
    else if (['string', 'number', 'boolean'].includes(typeof defaultValue)) text += `.default(${literal(defaultValue)})`
    if (attributes.onUpdate && attributes.type === 'date') text += '.$onUpdate(() => new Date())'
    if (required !== false) text += '.notNull()'
    if (unique) text += '.unique()'
    const target = references && keyOfModel(tables, references.model, modelName)
    // The other table may not be in this database: sessions can be in secondary storage.
    if (target && !tables[target]?.disableMigrations) {
      const isLater = !before.has(target)
      const column = member(modelName(target), fieldName({ model: target, field: references.field }))
      text += `.references((${isLater ? `): ${writer.anyColumn}` : ')'} => ${column}, { onDelete: ${literal(references.onDelete ?? 'cascade')} })`
    }
    return `  ${text},`
  }

  const indexText = ({ columns, isUnique }: Index): string => {
    // As the official adapter names them, so that drizzle-kit leaves its indexes alone.
    const name = `${named(exported)}_${columns.join('_')}_${isUnique ? 'key' : 'idx'}`.slice(-63)
    return `  ${isUnique ? 'uniqueIndex' : 'index'}(${literal(name)}).on(${columns.map((each) => member('table', each)).join(', ')}),`
  }

  const columns = [`  id: ${writer.id(idKind)},`, ...fields.map(columnText)].join('\n')
  const extra = indexes.length > 0 ? `, (table) => [\n${indexes.map(indexText).join('\n')}\n]` : ''
  return `export const ${exported} = ${writer.table}(${literal(named(exported))}, {\n${columns}\n}${extra})`
}

function idKindOf(options: BetterAuthOptions): IdKind {
  const generated = options.advanced?.database?.generateId
  return generated === 'serial' || generated === 'uuid' ? generated : 'text'
}

/** The key of a model among the tables. References may name it by its own name. */
function keyOfModel(tables: BetterAuthDBSchema, model: string, modelName: (model: string) => string): string | undefined {
  if (tables[model]) return model
  return Object.keys(tables).find((key) => tables[key]?.modelName === model || modelName(key) === model)
}

function snakeCase(name: string): string {
  return name
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
}

const identifier = /^[A-Za-z_$][\w$]*$/

function property(name: string): string {
  return identifier.test(name) ? name : literal(name)
}

function member(object: string, name: string): string {
  return identifier.test(name) ? `${object}.${name}` : `${object}[${literal(name)}]`
}
