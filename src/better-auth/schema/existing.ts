import type { Column, Table } from 'drizzle-orm'
import { kindsOf } from '../../query/internals.js'
import type { DefinedColumn, Definition, ForeignKey } from './definition.js'
import { literal, member } from './names.js'
import { functionText, sqlText, UnwritableError } from './sql.js'
import { columnTypes, referenceTypes } from './types.js'

/** What the columns of a file refer to. */
export interface Surroundings {
  /** A column of a table in the file as code, and whether its table comes later. */
  columnOf(table: Table, column: Column): { text: string; isLater: boolean } | undefined
  /** The name of an enum of PostgreSQL in the file. */
  enumName(of: unknown): string | undefined
  readonly anyColumn: string
}

// What every column has. Together with the options of its type, these must be all there is, or the column would lose something.
const common = new Set(
  'name keyAsName notNull default hasDefault defaultFn onUpdateFn primaryKey isUnique uniqueName uniqueType dataType columnType generated generatedIdentity autoIncrement hasOnUpdateNow onUpdateNowFsp enumValues textType intervalConfig dimensions baseBuilder size setLength length enum'.split(
    ' ',
  ),
)

/** The type of a column as code, under another name if one is given. */
export function typeText(
  column: DefinedColumn,
  { enumName }: Pick<Surroundings, 'enumName'>,
  name: string | undefined,
  refers = false,
): string {
  const { columnType, config } = column
  const call = (type: string, ...args: string[]) => `${type}(${[...(name === undefined ? [] : [literal(name)]), ...args].join(', ')})`
  if (columnType === 'PgArray') {
    const size = column.size === undefined ? '' : literal(column.size)
    return `${typeText(column.baseColumn as DefinedColumn, { enumName }, name)}.array(${size})`
  }
  const dimensions = Number(column.dimensions ?? 0)
  const array = dimensions > 1 ? `.array(${literal('[]'.repeat(dimensions))})` : dimensions === 1 ? '.array()' : ''
  if (columnType === 'PgEnumColumn') {
    const type = enumName(column.enum)
    if (!type) throw new UnwritableError('an enum that the schema does not export')
    return call(type) + array
  }
  if (columnType === 'MySqlEnumColumn') return call('mysqlEnum', literal(column.enumValues))
  if (kindsOf(column).includes('MySqlCustomColumn') && columnType === 'MySqlVarChar' && column.getSQLType() === 'varbinary(1020)')
    return call('exactText')

  const type = (refers ? referenceTypes[columnType] : undefined) ?? columnTypes[columnType]
  const isCustom = kindsOf(column).some((kind) => kind.endsWith('CustomColumn'))
  if (!type || isCustom) throw new UnwritableError(`the type ${column.getSQLType()}`)
  const [of, optionNames = [], fixed] = type
  const unknown = Object.keys(config).find(
    (key) => !common.has(key) && !optionNames.includes(key) && config[key] && !(fixed && key in fixed),
  )
  if (unknown) throw new UnwritableError(`the option ${unknown}`)
  const read = (option: string) => (option === 'enum' ? column.enumValues : (column[option] ?? config[option])) || undefined
  const options = { ...fixed, ...Object.fromEntries(optionNames.map((option) => [option, read(option)])) }
  const hasOptions = Object.values(options).some((value) => value !== undefined)
  return call(columnType === 'MySqlText' ? String(column.textType) : of, ...(hasOptions ? [literal(options)] : [])) + array
}

const hasNow = /^(Pg(Timestamp|Date|Time)|MySqlTimestamp)(String)?$/

/** A column as code, exactly as it is. */
export function columnText(key: string, column: DefinedColumn, { table, references }: Definition, surroundings: Surroundings): string {
  const { name, config, generated, primary, default: value } = column
  const identity = column.generatedIdentity as { type: string; sequenceName?: string; sequenceOptions?: object } | undefined
  const isSerial = column.columnType in referenceTypes
  const inTable = (each: { name: string }) => surroundings.columnOf(table, each as Column)?.text ?? each.name
  const expression = (each: unknown) => {
    if (kindsOf(each).includes('SQL')) return sqlText(each, inTable)
    if (ArrayBuffer.isView(each) || typeof each === 'function' || typeof each === 'symbol') throw new UnwritableError('a default value')
    return literal(each)
  }

  let text = typeText(column, surroundings, config.keyAsName && name === key ? undefined : name)
  if (identity)
    text += `.generated${identity.type === 'always' ? 'Always' : 'ByDefault'}AsIdentity(${
      identity.sequenceName || identity.sequenceOptions ? literal({ name: identity.sequenceName, ...identity.sequenceOptions }) : ''
    })`
  if (generated) {
    const as = typeof generated.as === 'function' ? (generated.as as () => unknown)() : generated.as
    text += `.generatedAlwaysAs(${expression(as)}${column.columnType.startsWith('Pg') ? '' : `, ${literal({ mode: generated.mode })}`})`
  }
  if (value !== undefined) {
    const written = expression(value)
    text += hasNow.test(column.columnType) && /^sql`(now\(\)|\(now\(\)\))`$/.test(written) ? '.defaultNow()' : `.default(${written})`
  }
  if (column.defaultFn) text += `.$defaultFn(${functionText(column.defaultFn)})`
  if (column.hasOnUpdateNow) text += `.onUpdateNow(${column.onUpdateNowFsp === undefined ? '' : literal({ fsp: column.onUpdateNowFsp })})`
  if (column.onUpdateFn) text += `.$onUpdate(${functionText(column.onUpdateFn)})`
  const isSqlite = column.columnType.startsWith('SQLite')
  if (column.autoIncrement && !isSqlite && !isSerial) text += '.autoincrement()'
  if (primary) text += isSqlite && column.autoIncrement ? '.primaryKey({ autoIncrement: true })' : '.primaryKey()'
  if (column.notNull && !primary && !identity && !isSerial) text += '.notNull()'
  if (column.isUnique) text += `.unique(${uniqueArguments(column)})`
  for (const foreignKey of references) if (foreignKey.reference().columns[0]?.name === name) text += referenceText(foreignKey, surroundings)
  return text
}

function uniqueArguments(column: DefinedColumn): string {
  const table = (column.table as unknown as Record<symbol, unknown>)[Symbol.for('drizzle:Name')]
  const isDefault = !column.uniqueName || column.uniqueName === `${table}_${column.name}_unique`
  const nulls = column.uniqueType === 'not distinct' ? literal({ nulls: 'not distinct' }) : ''
  const name = isDefault ? (nulls ? 'undefined' : '') : literal(column.uniqueName)
  return [name, nulls].filter(Boolean).join(', ')
}

function referenceText(foreignKey: ForeignKey, surroundings: Surroundings): string {
  const { foreignTable, foreignColumns } = foreignKey.reference()
  const target = surroundings.columnOf(foreignTable, foreignColumns[0] as Column)
  if (!target) throw new UnwritableError('a reference to a table that the file does not have')
  const actions = Object.fromEntries(actionsOf(foreignKey))
  const options = Object.keys(actions).length > 0 ? `, ${literal(actions)}` : ''
  return `.references((${target.isLater ? `): ${surroundings.anyColumn}` : ')'} => ${target.text}${options})`
}

/** What a foreign key does, unless it is what every foreign key does. */
const actionsOf = ({ onDelete, onUpdate }: ForeignKey): [string, string][] =>
  Object.entries({ onDelete, onUpdate }).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== 'no action')

/** The indexes and constraints of a table as code, exactly as they are. */
export function constraintTexts({ table, columns, constraints }: Definition, surroundings: Surroundings): string[] {
  const keyOf = ({ name }: { name: string }) => {
    const key = Object.keys(columns).find((each) => columns[each]?.name === name)
    if (key === undefined) throw new UnwritableError(`a column ${name} of another table`)
    return member('table', key)
  }
  const list = (each: unknown) => (each as { name: string }[]).map(keyOf).join(', ')
  const named = (name: string | undefined) => (name === undefined ? '' : literal(name))

  return constraints.map(({ kind, name, built }) => {
    if (kind === 'IndexBuilder') return indexText(built.config as IndexConfig, keyOf)
    if (kind === 'UniqueConstraintBuilder')
      return `unique(${named(name)}).on(${list(built.columns)})${built.nullsNotDistinct ? '.nullsNotDistinct()' : ''}`
    if (kind === 'PrimaryKeyBuilder')
      return `primaryKey({ ${name === undefined ? '' : `name: ${literal(name)}, `}columns: [${list(built.columns)}] })`
    if (kind === 'CheckBuilder') return `check(${literal(built.name)}, ${sqlText(built.value, keyOf)})`
    if (kind !== 'ForeignKeyBuilder') throw new UnwritableError(kind || 'an unknown constraint')
    const foreignKey = built as unknown as ForeignKey
    const { name: keyName, columns: own, foreignColumns, foreignTable } = foreignKey.reference()
    const targets = foreignColumns.map((column) =>
      foreignTable === table ? keyOf(column) : surroundings.columnOf(foreignTable, column)?.text,
    )
    if (targets.includes(undefined)) throw new UnwritableError('a foreign key to a table that the file does not have')
    const properties = [
      ...(keyName === undefined ? [] : [`name: ${literal(keyName)}`]),
      `columns: [${list(own)}]`,
      `foreignColumns: [${targets.join(', ')}]`,
    ]
    return `foreignKey({ ${properties.join(', ')} })${actionsOf(foreignKey)
      .map(([action, value]) => `.${action}(${literal(value)})`)
      .join('')}`
  })
}

interface IndexConfig {
  readonly name?: string
  readonly unique?: boolean
  readonly columns: readonly { name: string; indexConfig?: { order?: string; nulls?: string; opClass?: string } }[]
  readonly [option: string]: unknown
}

const indexOptions = new Set('name unique columns table only method where with concurrently using algorithm lock'.split(' '))

function indexText(config: IndexConfig, keyOf: (column: { name: string }) => string): string {
  const unknown = Object.keys(config).find((key) => !indexOptions.has(key) && config[key])
  if (unknown) throw new UnwritableError(`the option ${unknown} of an index`)
  const columns = config.columns.map((column) => {
    if (kindsOf(column).includes('SQL')) return sqlText(column, keyOf)
    const { order, nulls, opClass } = column.indexConfig ?? {}
    return `${keyOf(column)}${order === 'desc' ? '.desc()' : ''}${nulls === 'first' ? '.nullsFirst()' : ''}${opClass ? `.op(${literal(opClass)})` : ''}`
  })
  let text = `${config.unique ? 'uniqueIndex' : 'index'}(${config.name === undefined ? '' : literal(config.name)})`
  // `using` sets "only" as well.
  text += config.only ? `.using(${[literal(config.method), ...columns].join(', ')})` : `.on(${columns.join(', ')})`
  for (const option of ['using', 'algorithm', 'lock', 'with']) if (config[option]) text += `.${option}(${literal(config[option])})`
  if (config.concurrently) text += '.concurrently()'
  if (config.where) text += `.where(${sqlText(config.where, keyOf)})`
  return text
}
