import { existsSync, readFileSync, realpathSync } from 'node:fs'
import type { BetterAuthOptions } from '@better-auth/core'
import { isTable, toSnakeCase } from 'drizzle-auth-adapter/internal'
import type { Entry } from '../code/insert.js'
import { insertEntries, insertImports } from '../code/insert.js'
import { Source, Sources } from '../code/source.js'
import { freshName, property } from '../code/style.js'
import { differencesOf } from './differences.js'
import { insertIndexes } from './indexes.js'
import type { Located } from './location.js'
import { columnsOf, findTable, locate } from './location.js'
import type { Model, SchemaConfig } from './models.js'
import { modelsOf, readTable } from './models.js'
import { relationsText } from './relations.js'
import type { Context } from './writer.js'
import { Writer } from './writer.js'

export interface Request {
  readonly options: BetterAuthOptions
  readonly config: SchemaConfig
  /** The file that the developer named, or the one for new tables. */
  readonly file: string
  /** Whether tables are looked for in other files, too, before new ones go to this file. */
  readonly isNamed: boolean
  /** The files in which the search for tables begins. */
  readonly roots: readonly string[]
  readonly rls?: boolean | undefined
}

const header = `// Written by \`npx auth generate\`. Declare columns of your own as additionalFields in the options of Better Auth, not here.
// What exists stays as it is, and what is missing is added.
`

/**
 * Finds what is missing, and inserts it into the sources in memory. `target` is the file of new tables, `byHand` has lines that cannot be
 * inserted, and `notices` what exists and is not what Better Auth needs.
 */
export function createPlan({ options, config, file, isNamed, roots, rls }: Request) {
  const sources = new Sources()
  const named = existsSync(file) ? realpathSync(file) : file
  const given = sources.open(named) ?? new Source(named, existsSync(file) ? readFileSync(file, 'utf8') : '')
  const isPlaceholder = given.body.length > 0 && given.body.every((each) => /^export\s*\{\s*\};?$/.test(given.textOf(each)))
  const own = isPlaceholder ? new Source(named, '') : given
  const reachable = sources.reachable([named, ...roots])
  const models = modelsOf(options, config)
  const all = locate(reachable)
  const find = ({ name, existing }: Model) => existing && findTable(all, name, existing, config)
  const located = new Map(models.map((model) => [model, find(model)] as const).filter((each): each is [Model, Located] => !!each[1]))
  const target = targetOf(located, isNamed ? sources.reachable([named]) : reachable, named) ?? own

  const findings = config.findMissing()
  const columnsIn = (kind: string, { name }: Model) =>
    findings.flatMap((each) => (each.kind === kind && each.table === name && 'column' in each ? [each.column] : []))
  const passed = Object.values(config.schema).some(isTable)
  const byHand: string[] = []
  const created = models.filter((model) => {
    const twin = model.existing ? undefined : twinOf(model, config, models, passed ? all : all.filter(({ source }) => source === target))
    if (twin) byHand.push(twin)
    return !model.existing && !twin
  })
  created.forEach((model, at) => {
    const start = target.text.length + at + 1
    located.set(model, { source: target, name: freshName(model.name, target.names), exports: [model.name], start })
  })
  const context: Context = { options, config, models, sources, located, rls: rls ?? models.some(({ existing }) => existing?.enableRLS) }
  for (const model of models) byHand.push(...addColumns(model, columnsIn('missing-column', model), target, context))
  const statements = created.length > 0 ? addTables(created, target, context) : []
  const touched = [...new Set([...reachable, target])]
  for (const source of touched) {
    if (created.length > 0) addExports(source, created, target, context)
    const imports = insertImports(source)
    if (source === target && source.body.length === 0 && statements.length > 0)
      source.insert(source.text.length, `${[`${header}${imports.join('\n')}`, ...statements].join('\n\n')}\n`)
  }
  const notices = models.flatMap((model) => differencesOf(model, columnsIn('unexpected-required-column', model), context))
  // A namespace, as in `import * as schema`, has the new tables by itself.
  const isList = passed && !('__esModule' in config.schema || Symbol.toStringTag in config.schema)
  if (created.length > 0 && isList)
    notices.push(`If you name each table in the schema of drizzleAdapter, add these: ${created.map(({ name }) => name).join(', ')}.`)
  return { target, changed: touched.filter(({ isChanged }) => isChanged), byHand, notices }
}

/** A file in which tables of Better Auth stand: the named one, or that of the users. */
function targetOf(located: ReadonlyMap<Model, Located>, within: readonly Source[], named: string): Source | undefined {
  const found = [...located].filter(([, { source }]) => within.includes(source))
  const isUsers = ([{ keys }]: [Model, Located]) => keys.includes('user')
  return (found.find(([, { source }]) => source.file === named) ?? found.find(isUsers) ?? found[0])?.[1].source
}

/** Why a table that seems to be missing must not be declared: it exists under another name, or is not passed. */
function twinOf({ name, fields }: Model, { schema, usePlural, dialect }: SchemaConfig, models: readonly Model[], all: readonly Located[]) {
  const other = usePlural ? name.replace(/s$/, '') : `${name}s`
  const wanted = Object.keys(fields)
  const isSimilar = (keys: readonly string[]) => wanted.filter((key) => keys.includes(key)).length >= wanted.length / 2
  for (const [key, table] of Object.entries(schema)) {
    if (!isTable(table) || models.some(({ existing }) => existing?.table === table)) continue
    const { columns, name: sqlName } = readTable(table, dialect)
    if (!isSimilar(Object.keys(columns))) continue
    const option = usePlural ? 'remove usePlural' : 'set usePlural: true'
    if (key === other) return `${key} is the table of ${name}: ${option} in the options of drizzleAdapter.`
    if ([name, toSnakeCase(name)].includes(sqlName) || [`${name}Table`, `${other}Table`].includes(key))
      return `${key} is the table of ${name}: pass it to drizzleAdapter as schema: { ...schema, ${name}: schema.${key} }.`
  }
  const isTwin = ({ exports, code }: Located) =>
    exports.includes(name) || (exports.includes(other) && code && isSimilar([...columnsOf(code).keys()]))
  const twin = all.find(isTwin)
  return (
    twin && `${twin.source.place(twin.start)} exports ${twin.exports[0]}, and drizzleAdapter gets no table ${name}: add it to its schema.`
  )
}

/** Inserts columns into a table that exists, with their indexes. Returns what cannot be inserted. */
function addColumns(model: Model, keys: readonly string[], target: Source, context: Context): string[] {
  if (keys.length === 0) return []
  const located = context.located.get(model)
  const { source, code, start } = located ?? { source: target, start: 0 }
  // Lines that are only printed must not be imported.
  const writer = new Writer(code ? source : new Source(source.file, source.text), context, located)
  const entries = keys.map((key): Entry => {
    const field = model.fields[key]
    return field ? writer.column(model, key, field) : { text: writer.id(model) }
  })
  const filled = keys.filter((_, at) => entries[at]?.text.includes('.default('))
  const isNew = (key: string) => keys.includes(key)
  // All rows that exist have the same default.
  const indexes = model.indexes.filter(({ columns, isUnique }) =>
    columns.some((each) => isNew(each) && !(isUnique && filled.includes(each))),
  )
  if (located && code) {
    insertEntries(source, code.columns, code.columns.properties, entries)
    return insertIndexes(located, indexes, writer)
  }
  const place = located ? `${source.place(start)}: add to ${model.name}` : `Add to ${model.name}, where your app declares it`
  const lines = entries.flatMap(({ text, note }) => [...(note ? [`// ${note}`] : []), `${text},`])
  const extra = indexes.map((each) => `${writer.index(each, 'table')},`)
  const imports = [...writer.source.imported].map(([module, names]) => `import { ${[...names.keys()].join(', ')} } from '${module}'`)
  return [[`${place}:`, ...[...imports, ...lines, ...extra].map((line) => `+ ${line}`)].join('\n')]
}

/** Adds new tables to a list of what a file re-exports, as in `export { user } from './users'`. */
function addExports(source: Source, created: readonly Model[], target: Source, { sources, located }: Context): void {
  const names = [...located.values()].flatMap((each) => (each.source === target ? each.exports : []))
  for (const each of source.body) {
    if (each.type !== 'ExportNamedDeclaration' || !each.source || sources.resolve(each.source.value, source.file) !== target.file) continue
    if (!each.specifiers.some((one) => one.type === 'ExportSpecifier' && names.includes(one.local.name))) continue
    const start = source.text.indexOf('{', each.start ?? 0)
    const entries = created.map(({ name }) => ({ text: property(name, source.style.quote) }))
    insertEntries(source, { start, end: source.text.indexOf('}', start) + 1 }, each.specifiers, entries)
  }
}

/** Appends new tables with their relations. Returns them instead, if the file has no code. */
function addTables(created: readonly Model[], target: Source, context: Context): string[] {
  const { config, located, models } = context
  const own = locate([target]).filter(({ code }) => code)
  const like = own.find(({ name }) => models.some((model) => model.existing && located.get(model)?.name === name)) ?? own[0]
  const writer = new Writer(target, context, like)
  const existing = models.find((model) => model.existing)?.existing
  const schemaName = config.dialect === 'pg' ? (existing ? existing.schema : config.schemaName) : undefined
  const namespace = !like?.code && schemaName !== undefined ? freshName(`${schemaName}-schema`, target.names) : undefined
  const plain = () => (namespace ? `${namespace}.table` : writer.core(`${config.dialect}Table`))
  const create = like?.code ? target.textOf(like.code.call.callee) : plain()
  const { semicolon } = target.style
  const statements = [
    ...(namespace ? [`export const ${namespace} = ${writer.core('pgSchema')}(${writer.literal(schemaName)})${semicolon}`] : []),
    ...created.map((model) => writer.table(model, located.get(model)?.name ?? model.name, create)),
    ...relationsText(created, writer),
  ]
  if (target.body.length === 0) return statements
  target.insert(target.text.length, `${target.text.endsWith('\n') ? '' : '\n'}\n${statements.join('\n\n')}\n`)
  return []
}
