import { Source } from '../code/source.js'
import { tableCode } from './location.js'
import type { Column, Existing, Model } from './models.js'
import { canHold } from './types.js'
import type { Context } from './writer.js'
import { Writer } from './writer.js'

/** What a table has and Better Auth needs in another way, each with the line to write. None of it is changed. */
export function differencesOf(model: Model, unexpected: readonly string[], context: Context): string[] {
  const { existing } = model
  if (!existing) return []
  const located = context.located.get(model)
  const { source = new Source('schema.ts', ''), start = 0 } = located ?? {}
  const code = located && tableCode(located)
  // A copy, so that nothing is imported.
  const writer = new Writer(new Source(source.file, source.text), context, code?.builder)
  const say = (key: string, message: string, line?: string) => {
    const value = code?.values.get(key)
    const written = `${key}: ${value ? source.textOf(value) : '…'}`
    const place = located ? source.place(value?.start ?? start) : 'Your schema'
    return `${place}: ${model.name}${key && `.${key}`} ${message}: ${line?.replace(/^\./, `${written}.`) ?? written}`
  }
  const columns = Object.entries(model.fields).flatMap(([key, field]) => {
    const column = existing.columns[key]
    if (!column) return []
    if (!canHold(column, field)) {
      const line = writer.column({ ...model, existing: undefined }, key)
      return [say(key, `is ${column.getSQLType()}, and Better Auth stores ${field.type} there. Write`, line)]
    }
    const isOpen = field.required === true && !column.notNull && !column.primary
    const isRepeatable = field.unique && !hasKey(existing, [column], true)
    return [
      ...(isOpen ? [say(key, 'is nullable, and Better Auth requires it. If all rows have a value, write', '.notNull()')] : []),
      ...(isRepeatable ? [say(key, 'is not unique. If no two rows have the same value, write', '.unique()')] : []),
    ]
  })
  const indexes = model.indexes.flatMap((index) => {
    const on = index.columns.flatMap((each) => existing.columns[each] ?? [])
    // MySQL needs a length to index these, and Drizzle cannot give it one.
    const isPossible = on.length === index.columns.length && !on.some(({ columnType }) => /^MySql(Text|Json)$/.test(columnType))
    if (!isPossible || hasKey(existing, on, index.isUnique)) return []
    const what = index.isUnique ? 'unique key, which it should have if no two rows have the same values' : 'index for its columns'
    return [say('', `has no ${what}. Add`, writer.index(index, 'table'))]
  })
  const required = unexpected.map((key) => say(key, 'is required, and Better Auth never writes it. Make it nullable, or give it a default'))
  return [...columns, ...indexes, ...required]
}

/** Whether a key or an index of a table is on these columns. */
function hasKey({ columns, uniqueConstraints, primaryKeys, indexes }: Existing, on: readonly Column[], isUnique: boolean): boolean {
  const single = Object.values(columns).filter((each) => each.primary || each.isUnique)
  const keys = [
    ...[...single.map((each) => [each]), ...[...uniqueConstraints, ...primaryKeys].map((each) => each.columns)].map((columns) => ({
      columns,
      unique: true,
    })),
    ...indexes.map(({ config }) => config),
  ]
  return keys.some(({ columns, unique }) => {
    const isOn = on.every(({ name }, at) => columns[at] && 'name' in columns[at] && columns[at].name === name)
    return isOn && (!isUnique || (unique && columns.length === on.length))
  })
}
