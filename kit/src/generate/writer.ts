import type { BetterAuthOptions } from '@better-auth/core'
import { toSnakeCase } from 'drizzle-auth-adapter/internal'
import { importName, literal, member, property } from '../code/insert.js'
import type { Declared, Source, Sources } from '../code/source.js'
import { unwrap } from '../code/source.js'
import { tableCode } from './location.js'
import type { Field, Index, Model, SchemaConfig } from './models.js'
import { columnOf, namingOf, referredBy } from './models.js'
import { idKindOf, referringType, typeOf, typesOf } from './types.js'

/** What all insertions depend on. */
export interface Context {
  readonly options: BetterAuthOptions
  readonly config: SchemaConfig
  readonly models: readonly Model[]
  readonly sources: Sources
  /** Where the tables are declared, the new ones included. */
  readonly located: ReadonlyMap<Model, Declared>
  /** Whether new tables enable row level security. */
  readonly rls: boolean
}

const unfilled = 'Better Auth always writes this column. Rows from before it was added have no value: fill them, then add .notNull().'

/** Writes code for one file. `builder` is the parameter of functions that return columns, as in `(t) => ({ id: t.text() })`. */
export class Writer {
  readonly #types
  readonly #idKind

  constructor(
    readonly source: Source,
    readonly context: Context,
    readonly builder?: string,
  ) {
    const { config, models, options } = context
    this.#types = typesOf(config.dialect)
    this.#idKind = idKindOf(options, models.find(({ keys }) => keys.includes('user'))?.existing?.columns)
  }

  literal = (value: unknown) => literal(value, this.source)
  member = (object: string, name: string) => member(object, name, this.source)
  property = (name: string) => property(name, this.source)
  core = (name: string) => importName(this.source, `drizzle-orm/${this.context.config.dialect}-core`, name)

  /** How the names of a table are written: as those of the table itself, or else of the others. */
  #naming({ existing }: Model) {
    const { config, models } = this.context
    const all = Object.assign({}, ...models.map((each) => each.existing?.columns))
    return namingOf(existing?.columns ?? {}) ?? namingOf(all) ?? (config.camelCase ? 'camel' : 'snake')
  }

  /** The name of a column in the database. Without one, the app's `casing` applies. */
  #named(key: string, model: Model): string {
    const naming = this.#naming(model)
    return naming === 'none' ? '' : this.literal(naming === 'camel' ? key : toSnakeCase(key))
  }

  /** The code of a type, with its function and its name as the file writes them. */
  #type(type: string, key: string, model: Model): string {
    const name = this.#named(key, model)
    const call = (fn: string) => {
      if (fn === 'exactText') return importName(this.source, 'drizzle-auth-adapter/mysql', fn)
      return this.builder ? `${this.builder}.${fn}` : this.core(fn)
    }
    const quoted = type.replace(/: '(\w+)'/g, (_, mode) => `: ${this.literal(mode)}`)
    return this.#sql(quoted.replace(/^(\w+)\(\$(, )?/, (_, fn, comma = '') => `${call(fn)}(${name}${name && comma}`))
  }

  #sql = (text: string) => text.replace(/\bsql(?=`)/, () => importName(this.source, 'drizzle-orm', 'sql'))

  #idType = () => this.#types[this.#idKind === 'text' ? 'key' : this.#idKind]

  #id(model: Model): string {
    // Neither Better Auth nor the type generates these ids.
    const isApps = this.context.options.advanced?.database?.generateId === false && this.#idKind === 'text'
    const text = this.#type(this.#idType() + this.#types[`${this.#idKind}Id`], 'id', model)
    return `id: ${text}${isApps ? '.$defaultFn(() => crypto.randomUUID())' : ''}`
  }

  /** The column of a field, after a comment if it needs one. */
  column(model: Model, key: string): string {
    const field = model.fields[key]
    if (!field) return this.#id(model)
    const { required, unique, type, onUpdate } = field
    const isRequired = this.context.config.isV1 ? required === true : required !== false
    const target = referredBy(field, this.context.models)
    const typed = this.#typeOf(model, key, field, target)
    // With a default, all rows that exist would get the same value.
    const filled = model.existing && (unique || target) ? '' : this.#default(field, typed, model.existing !== undefined)
    const isUnfilled = model.existing && isRequired && !filled
    const reference = target && this.#reference(model, target, field)
    const update = onUpdate && type === 'date' ? '.$onUpdate(() => new Date())' : ''
    const rules = `${isRequired && !isUnfilled ? '.notNull()' : ''}${unique ? '.unique()' : ''}${reference ?? ''}`
    const unreferred = target && !reference && `Better Auth wants a foreign key to ${target.name}: import the table, and add .references().`
    const note = [isUnfilled && unfilled, unreferred].filter(Boolean).join(' ')
    return `${note && `// ${note}\n`}${this.property(key)}: ${typed}${filled}${update}${rules}`
  }

  #typeOf(model: Model, key: string, field: Field, target: Model | undefined): string {
    const referred = columnOf(target ?? model, field.references?.field)
    // A foreign key needs the type of the column that it refers to.
    const column = target?.existing?.columns[referred]
    const own = column?.columnType.endsWith('CustomColumn') && this.#ownType(target, referred, this.#named(key, model))
    const known = column && referringType(column)
    if (own || known) return own || this.#type(known ?? '', key, model)
    if (target && referred === 'id') return this.#type(this.#idType(), key, model)
    const isKey = target !== undefined || model.indexes.some(({ columns }) => columns.includes(key))
    return this.#type(typeOf(target?.fields[referred] ?? field, isKey, this.#types, this.literal), key, model)
  }

  /** A type of the app's own, as the column calls it to which a new one refers. */
  #ownType(target: Model | undefined, referred: string, name: string): string | undefined {
    const located = target && this.context.located.get(target)
    let node = unwrap(located && tableCode(located)?.values.get(referred))
    const written = node ? this.source.textOf(node) : ''
    // The methods of a column, as in `id().primaryKey()`.
    while (node?.type === 'CallExpression' && node.callee.type === 'MemberExpression') node = unwrap(node.callee.object)
    if (located?.source !== this.source || node?.type !== 'CallExpression') return undefined
    // A function of the app's that gives the column a default would make ids here.
    if (target?.existing?.columns[referred]?.hasDefault && !/default/i.test(written)) return undefined
    const rest = node.arguments.slice(node.arguments[0]?.type === 'StringLiteral' ? 1 : 0).map((each) => this.source.textOf(each))
    return `${this.source.textOf(node.callee)}(${[name, ...rest].filter(Boolean).join(', ')})`
  }

  #reference(model: Model, target: Model, { references }: Field): string | undefined {
    const [own, other] = [this.context.located.get(model), this.context.located.get(target)]
    const table = this.tableName(target)
    if (!table || !other) return undefined
    // TypeScript cannot infer the types of tables that refer to each other.
    const isCircular = other.source.file === this.source.file ? other.start >= (own?.start ?? 0) : model.existing !== undefined
    const type = isCircular && this.source.isTypeScript ? `: ${this.core(this.#types.anyColumn)}` : ''
    const action = this.literal(references?.onDelete ?? 'cascade')
    return `.references(()${type} => ${this.member(table, columnOf(target, references?.field))}, { onDelete: ${action} })`
  }

  /** The name of a table in this file. Undefined if it cannot be found or imported. */
  tableName(model: Model): string | undefined {
    const { source = this.source, name, exports = [] } = this.context.located.get(model) ?? {}
    if (source.file === this.source.file) return name
    return exports[0] && importName(this.source, this.context.sources.specifier(this.source, source.file), exports[0])
  }

  #default({ type, defaultValue }: Field, typed: string, isExisting: boolean): string {
    const { dialect } = this.context.config
    if (type === 'date' && typeof defaultValue === 'function' && String(defaultValue).includes('new Date()')) {
      // SQLite adds a column with a constant default only. It is for the rows that exist; new ones get the time.
      const added = `.default(sql\`${Date.now()}\`).$defaultFn(() => new Date())`
      return this.#sql(isExisting && dialect === 'sqlite' ? added : this.#types.now)
    }
    if (defaultValue === null || ['undefined', 'function'].includes(typeof defaultValue)) return ''
    const text = typeof defaultValue === 'object' ? JSON.stringify(defaultValue) : String(defaultValue)
    const quoted = (each: string) => `'${each.replaceAll("'", "''").replace(/[\\`]|\$(?=\{)/g, '\\$&')}'`
    // MySQL takes a default of a text column only as an expression.
    if (dialect === 'mysql' && (/\btext\(/.test(typed) || /['\\]/.test(text)))
      return this.#sql(`.default(sql\`(${quoted(text.replaceAll('\\', '\\\\'))})\`)`)
    // drizzle-kit does not escape quotes.
    if (text.includes("'")) return this.#sql(`.default(sql\`${quoted(text)}${/\bjsonb\(/.test(typed) ? '::jsonb' : ''}\`)`)
    return `.default(${this.literal(defaultValue)})`
  }

  index({ name, columns, isUnique }: Index, table: string): string {
    const on = columns.map((each) => this.member(table, each)).join(', ')
    return `${this.core(isUnique ? 'uniqueIndex' : 'index')}(${this.literal(name)}).on(${on})`
  }

  /** A new table. `create` is what creates one, `local` its name in the file. */
  table(model: Model, local: string, create: string): string {
    const { config, rls } = this.context
    const { indent, semicolon } = this.source.style
    const listed = (entries: readonly string[]) => entries.map((each) => `${each.replace(/^/gm, indent)},\n`).join('')
    const lines = listed(['id', ...Object.keys(model.fields)].map((key) => this.column(model, key)))
    const columns = this.builder ? `(${this.builder}) => ({\n${lines}})` : `{\n${lines}}`
    const indexes = listed(model.indexes.map((each) => this.index(each, 'table')))
    const name = this.literal(this.#naming(model) === 'camel' ? model.name : toSnakeCase(model.name))
    const call = `${create}(${[name, columns, indexes && `(table) => [\n${indexes}]`].filter(Boolean).join(', ')})`
    const security = rls && config.dialect === 'pg' && !create.endsWith('withRLS') ? '.enableRLS()' : ''
    const statement = `const ${local} = ${call}${security}${semicolon}`
    return local === model.name ? `export ${statement}` : `${statement}\nexport { ${local} as ${this.property(model.name)} }${semicolon}`
  }
}
