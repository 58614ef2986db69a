import type { BetterAuthOptions } from '@better-auth/core'
import type { DBFieldAttribute } from '@better-auth/core/db'
import { toSnakeCase } from '../../definition/snake-case.js'
import type { IdKind } from './columns.js'
import { columnWriters } from './columns.js'
import type { TableContext } from './context.js'
import { surroundingsOf } from './context.js'
import { typeText } from './existing.js'
import { literal, member, property } from './names.js'
import type { Field, Index, TablePlan } from './plan.js'
import { keyOfModel } from './plan.js'

/** The lines of a column that the table does not have yet. */
export function newColumn({ name, attributes }: Field, { existing, indexes }: TablePlan, context: TableContext): string[] {
  const { tables, plans, position, local, settings } = context
  const writer = columnWriters[settings.dialect]
  const { required, unique, references, defaultValue, type } = attributes
  const isDate = type === 'date'
  const target = references && keyOfModel(tables, references.model, settings)
  // The other table may not be in this database: sessions can be in secondary storage.
  const targetAt = references && target ? plans.findIndex(({ model }) => model === target) : -1
  const isKey = indexes.some(({ columns }) => columns.includes(name))

  let text = newType(name, attributes, isKey, context)
  const defaultText = () => {
    // All rows that exist would get the same value.
    if (existing && unique) return ''
    if (isDate && typeof defaultValue === 'function' && String(defaultValue).includes('new Date()'))
      return existing ? writer.addedNow() : writer.now
    return defaultValue === null || ['undefined', 'function'].includes(typeof defaultValue) ? '' : writer.value(defaultValue, text)
  }
  const filled = defaultText()
  text += filled
  if (attributes.onUpdate && isDate) text += '.$onUpdate(() => new Date())'
  const isRequired = settings.isV1 ? required === true : required !== false
  const isUnfilled = existing !== undefined && isRequired && (!filled || targetAt >= 0)
  if (isRequired && !isUnfilled) text += '.notNull()'
  if (unique) text += '.unique()'
  if (references && target && targetAt >= 0) {
    const column = member(local(plans[targetAt]?.exported ?? target), settings.fieldName({ model: target, field: references.field }))
    const isLater = targetAt >= position
    text += `.references((${isLater ? `): ${writer.anyColumn}` : ')'} => ${column}, { onDelete: ${literal(references.onDelete ?? 'cascade')} })`
  }
  const note = `  // Better Auth always writes this column. Rows from before it was added have no value: fill them, then add .notNull().`
  return [...(isUnfilled ? [note] : []), `  ${property(name)}: ${text},`]
}

function newType(name: string, attributes: DBFieldAttribute, isKey: boolean, context: TableContext): string {
  const { tables, plans, settings } = context
  const writer = columnWriters[settings.dialect]
  const { type, references, unique, sortable, bigint = false } = attributes
  const named = settings.camelCase ? name : toSnakeCase(name)
  if (references) {
    const target = keyOfModel(tables, references.model, settings)
    const field = target === undefined ? references.field : settings.fieldName({ model: target, field: references.field })
    const existing = plans.find(({ model }) => model !== undefined && model === target)?.existing?.columns[field]
    // A foreign key needs the type of the column that it refers to.
    if (existing) return typeText(existing, surroundingsOf(context), named, true)
    if (references.field === 'id') return writer.reference(named, idKindOf(settings.options))
    const referred = target && tables[target]?.fields[references.field]
    if (referred) return newType(name, { ...referred, unique: true }, true, context)
  }
  if (Array.isArray(type)) return writer.oneOf(named, type as string[])
  if (type === 'string') return unique || isKey ? writer.key(named) : sortable ? writer.shortText(named) : writer.text(named)
  if (type === 'number') return writer.number(named, bigint)
  if (type === 'boolean') return writer.boolean(named)
  if (type === 'date') return writer.date(named)
  if (type === 'string[]' || type === 'number[]') return writer.list(named, type, bigint)
  return writer.json(named)
}

// MySQL needs a length to index these, and Drizzle cannot give it one.
const unindexable = /^MySql(Text|Json)$/

/** The lines of an index that the table does not have yet. On columns that exist, an index is added only if the rows cannot contradict it. */
export function newIndex({ name, columns, isUnique }: Index, { existing }: TablePlan): string[] {
  const text = `${isUnique ? 'uniqueIndex' : 'index'}(${literal(name)}).on(${columns.map((each) => member('table', each)).join(', ')}),`
  const old = columns.map((each) => existing?.columns[each]).filter((each) => each !== undefined)
  if (!existing || old.length === 0) return [`  ${text}`]
  const names = old.map(({ name }) => name)
  const isSame = (others: unknown) =>
    names.length === columns.length && (others as { name?: string }[]).map((each) => each.name).join() === names.join()
  const isThere =
    (names.length === 1 && columns.length === 1 && (old[0]?.isUnique || old[0]?.primary)) ||
    existing.constraints.some(({ kind, built }) => {
      const config = (kind === 'IndexBuilder' ? built.config : built) as { columns?: unknown; unique?: boolean }
      const canServe = kind === 'IndexBuilder' ? !isUnique || config.unique : /^(Unique|PrimaryKey)/.test(kind)
      return canServe && isSame(config.columns)
    })
  if (isThere || old.some(({ columnType }) => unindexable.test(columnType))) return []
  return isUnique ? [`  // If no two rows have the same ${columns.join(' and ')}, add: ${text}`] : [`  ${text}`]
}

export function idKindOf(options: BetterAuthOptions): IdKind {
  const generated = options.advanced?.database?.generateId
  return generated === 'serial' || generated === 'uuid' ? generated : 'text'
}
