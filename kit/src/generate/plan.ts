import { existsSync, realpathSync } from 'node:fs'
import type { BetterAuthOptions } from '@better-auth/core'
import { isTable, toSnakeCase } from 'drizzle-auth-adapter/internal'
import { freshName, indentAt, insertEntries, insertImports } from '../code/insert.js'
import type { Declared } from '../code/source.js'
import { Source, Sources } from '../code/source.js'
import { differencesOf } from './differences.js'
import type { TableCode } from './location.js'
import { findTable, parameterOf, tableCode } from './location.js'
import type { Index, Model, SchemaConfig } from './models.js'
import { modelsOf, readTable } from './models.js'
import { relationsText } from './relations.js'
import type { Context } from './writer.js'
import { Writer } from './writer.js'

export interface Request {
  readonly options: BetterAuthOptions
  readonly config: SchemaConfig
  /** The file that the developer named, or the one for new tables. */
  readonly file: string
  /** Whether new tables go to this file, or one that it imports, even if other files have tables. */
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
  const own = sources.open(existsSync(file) ? realpathSync(file) : file)
  const reachable = sources.reachable([own.file, ...roots])
  const models = modelsOf(options, config)
  const all = reachable.flatMap(({ declared }) => declared)
  const located = new Map<Model, Declared>()
  for (const model of models) {
    const names = Object.keys(config.schema).filter((each) => config.schema[each] === model.existing?.table)
    const found = model.existing && findTable(all, [model.name, ...names], model.existing)
    if (found) located.set(model, found)
  }
  const within = isNamed ? sources.reachable([own.file]) : reachable
  const candidates = [...located.values()].map(({ source }) => source).filter((each) => within.includes(each))
  // The first table is that of the users.
  const target = candidates.includes(own) ? own : (candidates[0] ?? own)

  const passed = Object.values(config.schema).some(isTable)
  const byHand: string[] = []
  const created: Model[] = []
  for (const model of models.filter(({ existing }) => !existing)) {
    const twin = twinOf(model, config, models, passed ? all : target.declared)
    if (twin) byHand.push(twin)
    else {
      const start = target.text.length + created.push(model)
      located.set(model, { source: target, name: freshName(model.name, target), exports: [model.name], start })
    }
  }
  const findings = config.findMissing()
  const columnsIn = (kind: string, { name }: Model) =>
    findings.flatMap((each) => (each.kind === kind && each.table === name && 'column' in each ? [each.column] : []))
  const context: Context = { options, config, models, sources, located, rls: rls ?? models.some(({ existing }) => existing?.enableRLS) }
  for (const model of models) byHand.push(...addColumns(model, columnsIn('missing-column', model), target, context))
  const tables = created.length > 0 ? tablesText(created, target, context) : ''
  const touched = [...new Set([...reachable, target])]
  for (const source of touched) insertImports(source, source.body.length === 0 ? header : '')
  const gap = target.text === '' ? '' : target.text.endsWith('\n') ? '\n' : '\n\n'
  if (tables) target.insert(target.text.length, `${gap}${tables}\n`)
  const notices = models.flatMap((model) => differencesOf(model, columnsIn('unexpected-required-column', model), context))
  // A namespace, as in `import * as schema`, has the new tables by itself, unless a file re-exports tables by their names.
  const isNamespace = '__esModule' in config.schema || Symbol.toStringTag in config.schema
  const names = [...located.values()].map(({ name }) => name)
  const hasList = reachable.some(({ reexports }) => reexports.some((each) => names.includes(each)))
  if (tables && passed && (hasList || !isNamespace))
    notices.push(`If you name each table, in an export or for drizzleAdapter, add these: ${created.map(({ name }) => name).join(', ')}.`)
  const changed = touched.filter(({ isChanged }) => isChanged)
  for (const { isModule, diff } of changed) if (!isModule) byHand.push(`Add by hand, with require, because the file is CommonJS:\n${diff}`)
  return { target, changed: changed.filter(({ isModule }) => isModule), byHand, notices }
}

/** Why a table that seems to be missing must not be declared: it exists under another name, or is not passed. */
function twinOf({ name, fields }: Model, { schema, usePlural, dialect }: SchemaConfig, models: readonly Model[], all: readonly Declared[]) {
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
  const isPlural = (each: Declared) => each.exports.includes(other) && isSimilar([...(tableCode(each)?.values.keys() ?? [])])
  const twin = all.find((each) => each.exports.includes(name) || isPlural(each))
  const place = twin?.source.place(twin.start)
  return twin && `${place} exports ${twin.exports[0]}, and drizzleAdapter gets no table ${name}: add it to its schema.`
}

/** Inserts columns into a table that exists, with their indexes. Returns what cannot be inserted. */
function addColumns(model: Model, keys: readonly string[], target: Source, context: Context): string[] {
  if (keys.length === 0) return []
  const located = context.located.get(model)
  const { source, start } = located ?? { source: target, start: 0 }
  const code = located && tableCode(located)
  // Lines that are only printed must not be imported.
  const writer = new Writer(code ? source : new Source(source.file, source.text), context, code?.builder)
  const columns = new Map(keys.map((key) => [key, writer.column(model, key)]))
  // All rows that exist have the same default.
  const isUnique = (key: string) => !columns.get(key)?.includes('.default(')
  const indexes = model.indexes.filter((index) => index.columns.some((key) => columns.has(key) && (!index.isUnique || isUnique(key))))
  if (code) {
    insertEntries(source, code.columns, code.columns.properties, [...columns.values()])
    return insertIndexes(code, indexes, writer)
  }
  const place = located ? `${source.place(start)}: add to ${model.name}` : `Add to ${model.name}, where your app declares it`
  const imports = [...writer.source.imported].map(([module, names]) => `import { ${[...names.keys()].join(', ')} } from '${module}'`)
  const entries = [...columns.values(), ...indexes.map((each) => writer.index(each, 'table'))].map((each) => `${each},`)
  return [`${place}:\n${[...imports, ...entries].join('\n').replace(/^/gm, '+ ')}`]
}

/** Inserts indexes into the extra config of a table. Returns those for which there is no place. */
function insertIndexes({ call, extra }: TableCode, indexes: readonly Index[], writer: Writer): string[] {
  const { source } = writer
  const [, columns, config] = call.arguments
  const parameter = parameterOf(extra.callback)
  const entries = indexes.map((each) => writer.index(each, parameter ?? 'table'))
  if (entries.length === 0) return []
  const lines = (before: string) => entries.map((each) => `\n${before}${each},`).join('')
  if (!config) {
    const at = columns?.end ?? 0
    const outer = indentAt(source.text, at)
    source.insert(at, `, (table) => [${lines(outer + source.style.indent)}\n${outer}]`)
    return []
  }
  const { callback, list } = extra
  if (!callback || !list || (callback.params.length > 0 && !parameter))
    return [`${source.place(config.start ?? 0)}: add to the indexes of this table:${lines('+ ')}`]
  if (!parameter) source.insert(source.text.indexOf('(', callback.start ?? 0) + 1, 'table')
  const named = entries.map((each, at) => `${writer.property(indexes[at]?.name ?? '')}: ${each}`)
  if (list.type === 'ArrayExpression') insertEntries(source, list, list.elements, entries)
  else insertEntries(source, list, list.properties, named)
  return []
}

/** The code of new tables with their relations. */
function tablesText(created: readonly Model[], target: Source, context: Context): string {
  const { config, located, models } = context
  const existing = models.find((model) => model.existing)?.existing
  const own = target.declared.filter(tableCode)
  const like = own.find((each) => models.some((model) => model.existing && located.get(model) === each)) ?? own[0]
  const code = like && tableCode(like)
  const writer = new Writer(target, context, code?.builder)
  const schemaName = config.dialect === 'pg' ? (existing ? existing.schema : config.schemaName) : undefined
  const namespace = !code && schemaName !== undefined ? freshName(`${schemaName}-schema`, target) : undefined
  const plain = () => (namespace ? `${namespace}.table` : writer.core(`${config.dialect}Table`))
  const create = code ? target.textOf(code.call.callee) : plain()
  const { semicolon } = target.style
  return [
    ...(namespace ? [`export const ${namespace} = ${writer.core('pgSchema')}(${writer.literal(schemaName)})${semicolon}`] : []),
    ...created.map((model) => writer.table(model, located.get(model)?.name ?? model.name, create)),
    ...relationsText(created, writer),
  ].join('\n\n')
}
