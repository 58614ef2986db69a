import type { BetterAuthOptions } from '@better-auth/core'
import { toSnakeCase } from 'drizzle-auth-adapter/internal'
import type { Entry } from '../code/insert.js'
import { importName } from '../code/insert.js'
import type { Source, Sources } from '../code/source.js'
import { nameOf, unwrap } from '../code/source.js'
import { literal, member, property } from '../code/style.js'
import type { Located } from './location.js'
import { columnsOf } from './location.js'
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
  readonly located: ReadonlyMap<Model, Located>
  /** Whether new tables enable row level security. */
  readonly rls: boolean
}

const unfilled = 'Better Auth always writes this column. Rows from before it was added have no value: fill them, then add .notNull().'

/** Writes code for one file: for a table that exists, or for new ones like it. */
export class Writer {
  readonly #types
  readonly #idKind
  /** The parameter of the function that returns the columns, as in `(t) => ({ id: t.text() })`. */
  readonly #builder: string | undefined

  constructor(
    readonly source: Source,
    readonly context: Context,
    like: Located | undefined,
  ) {
    const { config, models, options } = context
    this.#types = typesOf(config.dialect)
    this.#idKind = idKindOf(options, models.find(({ keys }) => keys.includes('user'))?.existing?.columns)
    const [param] = like?.code?.callback?.params ?? []
    this.#builder = param?.type === 'Identifier' ? param.name : undefined
  }

  literal = (value: unknown) => literal(value, this.source.style.quote)
  member = (object: string, name: string) => member(object, name, this.source.style.quote)
  property = (name: string) => property(name, this.source.style.quote)
  core = (name: string) => importName(this.source, `drizzle-orm/${this.context.config.dialect}-core`, name)

  /** The name of a column in the database, if the file writes names. */
  #named(key: string, model: Model): string {
    const { config, models } = this.context
    const all = Object.assign({}, ...models.map(({ existing }) => existing?.columns))
    const naming = namingOf(model.existing?.columns ?? {}) ?? namingOf(all) ?? (config.camelCase ? 'camel' : 'snake')
    return naming === 'none' ? '' : this.literal(naming === 'camel' ? key : toSnakeCase(key))
  }

  /** The code of a type, with its function and its name as the file writes them. */
  #type(type: string, key: string, model: Model): string {
    const name = this.#named(key, model)
    const call = (fn: string) => {
      if (fn === 'exactText') return importName(this.source, 'drizzle-auth-adapter/mysql', fn)
      return this.#builder ? `${this.#builder}.${fn}` : this.core(fn)
    }
    const quoted = type.replace(/: '(\w+)'/g, (_, mode) => `: ${this.literal(mode)}`)
    return this.#sql(quoted.replace(/^(\w+)\(\$(, )?/, (_, fn, comma = '') => `${call(fn)}(${name}${name && comma}`))
  }

  #sql = (text: string) => text.replace(/\bsql(?=`)/, () => importName(this.source, 'drizzle-orm', 'sql'))

  #idType = () => this.#types[this.#idKind === 'text' ? 'key' : this.#idKind]

  id(model: Model): string {
    // Neither Better Auth nor the type generates these ids.
    const isApps = this.context.options.advanced?.database?.generateId === false && this.#idKind === 'text'
    const text = this.#type(this.#idType() + this.#types[`${this.#idKind}Id`], 'id', model)
    return `id: ${text}${isApps ? '.$defaultFn(() => crypto.randomUUID())' : ''}`
  }

  /** A column that the table does not have. */
  column(model: Model, key: string, field: Field): Entry {
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
    return { text: `${this.property(key)}: ${typed}${filled}${update}${rules}`, note }
  }

  #typeOf(model: Model, key: string, field: Field, target: Model | undefined): string {
    const referred = target && columnOf(target, field.references?.field)
    // A foreign key needs the type of the column that it refers to.
    const column = target?.existing?.columns[referred ?? '']
    const known = column && referringType(column)
    if (known) return this.#type(known, key, model)
    const own = column && target && this.#ownType(target, referred ?? '', key, model)
    if (own) return own
    if (referred === 'id') return this.#type(this.#idType(), key, model)
    const isKey = target !== undefined || model.indexes.some(({ columns }) => columns.includes(key))
    return this.#type(typeOf(target?.fields[referred ?? ''] ?? field, isKey, this.#types, this.literal), key, model)
  }

  /** A type of the app's own, as the column calls it to which this one refers. */
  #ownType(target: Model, referred: string, key: string, model: Model): string | undefined {
    const { source, code } = this.context.located.get(target) ?? {}
    let node = code && unwrap(columnsOf(code).get(referred))
    // The methods of a column, as in `id().primaryKey()`.
    while (node?.type === 'CallExpression' && node.callee.type === 'MemberExpression') node = unwrap(node.callee.object)
    if (!source || node?.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined
    const call = this.#carry(node.callee.name, source)
    const rest = node.arguments.slice(node.arguments[0]?.type === 'StringLiteral' ? 1 : 0).map((each) => source.textOf(each))
    return call && `${call}(${[this.#named(key, model), ...rest].filter(Boolean).join(', ')})`
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
    const located = this.context.located.get(model)
    return located && this.#carry(located.name, located.source)
  }

  /** A name of another file in this one. */
  #carry(name: string, from: Source): string | undefined {
    if (from.file === this.source.file) return name
    const { sources } = this.context
    for (const { specifiers, source } of from.imports)
      for (const each of specifiers) {
        if (each.local.name !== name || each.type !== 'ImportSpecifier') continue
        const file = sources.resolve(source.value, from.file)
        if (file === this.source.file) return nameOf(each.imported)
        return importName(this.source, file ? sources.specifier(this.source, file) : source.value, nameOf(each.imported))
      }
    const [exported] = from.declared.find((each) => each.name === name)?.exports ?? []
    return exported && importName(this.source, sources.specifier(this.source, from.file), exported)
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
    const { models, config, rls } = this.context
    const { indent, semicolon } = this.source.style
    const entries: Entry[] = [
      { text: this.id(model) },
      ...Object.entries(model.fields).map(([key, field]) => this.column(model, key, field)),
    ]
    const lines = entries.flatMap(({ text, note }) => [...(note ? [`${indent}// ${note}`] : []), `${indent}${text},`]).join('\n')
    const columns = this.#builder ? `(${this.#builder}) => ({\n${lines}\n})` : `{\n${lines}\n}`
    const indexes = model.indexes.map((each) => `${indent}${this.index(each, 'table')},`).join('\n')
    const named = models.filter(({ existing, name }) => existing && toSnakeCase(name) !== name)
    const isCamel = named.length > 0 ? named.some(({ existing, name }) => existing?.name === name) : config.camelCase
    const args = [this.literal(isCamel ? model.name : toSnakeCase(model.name)), columns, indexes && `(table) => [\n${indexes}\n]`]
    const security = rls && config.dialect === 'pg' && !create.endsWith('withRLS') ? '.enableRLS()' : ''
    const statement = `const ${local} = ${create}(${args.filter(Boolean).join(', ')})${security}${semicolon}`
    return local === model.name ? `export ${statement}` : `${statement}\nexport { ${local} as ${this.property(model.name)} }${semicolon}`
  }
}
