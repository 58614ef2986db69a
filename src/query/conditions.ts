import type { Column, SQL } from 'drizzle-orm'
import type { ColumnCodec } from './codec.js'
import { placeholder } from './codec.js'
import { isJsonText, isSql } from './columns.js'
import type { Values } from './drizzle.js'
import { and, or, sql } from './drizzle.js'
import { isStorableText } from './limits.js'
import type { Form, Membership, Place, StatementDialect } from './statement-dialect.js'
import type { TableDefinition } from './table-definition.js'
import { toText } from './values.js'

type Order = 'lt' | 'lte' | 'gt' | 'gte'

/** A comparison of a column, by its name in code, with a value, or with a list of them. */
export interface Comparison {
  readonly column: string
  readonly is: 'eq' | 'ne' | Order | Place | Membership
  /** `null` means no value, also in a list. */
  readonly value: unknown
  /** Whether upper and lower case are the same. For text. */
  readonly ignoresCase?: boolean
}

/** Which rows are meant. No alternatives in `or` means none of them, no conditions in `and` all of them. */
export type Condition = Comparison | { readonly and: readonly Condition[] } | { readonly or: readonly Condition[] }

/** The rows that have all of these values. */
export function equal(values: Values): Condition {
  return { and: Object.keys(values).map((column) => ({ column, is: 'eq', value: values[column] })) }
}

/** Gets each value as a part of the statement from `send`, in their order: as a placeholder, or as it is. */
type Render = (send: Send) => SQL

type Send = (sender: Sender, value: unknown) => SQL

type Sender = Pick<ColumnCodec, 'toParameter' | 'toPlaceholder'>

/** A condition, or a part of one, with its values encoded. */
export class Where {
  constructor(
    /**
     * Tells its SQL from that of other conditions. `undefined`, so that it is not kept, if it contains an SQL expression or a list whose values
     * are parameters of their own.
     */
    readonly id: string | undefined,
    /** The values of its parameters. */
    readonly values: readonly unknown[],
    readonly render: Render,
    /** The values of keys that a row must have, by their columns in code. */
    readonly required: Values = {},
  ) {}

  /** The condition in SQL, with placeholders for its values, which stand from a place on among those of the statement. */
  toSql(start = 0): SQL | undefined {
    if (this === allRows) return undefined
    let place = start
    return this.render((sender) => sender.toPlaceholder(place++))
  }

  /** The condition in SQL with its values, for a statement that is built for one call. */
  withValues(): SQL {
    return this.render((sender, value) => sender.toParameter(value))
  }
}

/** The condition that every row satisfies. */
const allRows = new Where('all', [], () => sql`1 = 1`)

/** The condition that no row satisfies. It needs no statement. */
export const noRow = new Where('none', [], () => sql`1 = 0`)

/** Encodes the values of a condition and prepares its SQL, in one pass. */
export function compile(condition: Condition, definition: TableDefinition): Where {
  if ('column' in condition) return compare(condition, definition)
  const compileAll = (conditions: readonly Condition[]) => conditions.map((each) => compile(each, definition))
  return 'and' in condition ? join('and', compileAll(condition.and)) : join('or', compileAll(condition.or))
}

/** The condition that a row has these values of key columns, which are encoded already. */
export function whereEqual(sent: Values, { of, dialect }: TableDefinition): Where {
  const parts = Object.keys(sent).map((column) => compareSent({ column, is: 'eq', value: sent[column] }, sent[column], of(column), dialect))
  return join('and', parts)
}

/** The name of a column as a part of an id. With its length, it cannot be confused with what comes after it. */
export function idOfName(name: string): string {
  return `${name.length}:${name}`
}

/** Connects conditions. Parts that are always true or always false do not appear in the SQL. */
export function join(connector: 'and' | 'or', parts: readonly Where[]): Where {
  const isAnd = connector === 'and'
  const [decisive, redundant] = isAnd ? [noRow, allRows] : [allRows, noRow]
  if (parts.includes(decisive)) return decisive
  const rendered = parts.filter((part) => part !== redundant)
  if (rendered.length === 0) return redundant
  let id: string | undefined = connector
  const values: unknown[] = []
  const required: Values = {}
  for (const part of rendered) {
    id = id && part.id && `${id}(${part.id})`
    values.push(...part.values)
    if (isAnd) Object.assign(required, part.required)
  }
  return new Where(id, values, (send) => (isAnd ? and : or)(...rendered.map(({ render }) => render(send))) as SQL, required)
}

function compare(comparison: Comparison, { of, dialect }: TableDefinition): Where {
  const { column, is } = comparison
  const codec = of(column)
  return is === 'in' || is === 'notIn' ? compareWithList(comparison, is, codec, dialect) : compareWithValue(comparison, codec, dialect)
}

function compareWithValue(comparison: Comparison, codec: ColumnCodec, dialect: StatementDialect): Where {
  const { is, value } = comparison
  // Nothing is before, after or part of no value. No id is null: rows without a user belong to nobody.
  if (value === null) return is === 'ne' || (is === 'eq' && !codec.isId) ? isColumn(codec, is === 'eq' ? 'null' : 'not null') : noRow
  const sent = encode(comparison, value, codec, dialect)
  if (sent === undefined) return noRow
  // Every text contains the empty one.
  return isPlace(is) && sent === '' ? isColumn(codec, 'not null') : compareSent(comparison, sent, codec, dialect)
}

/** A comparison whose value is encoded. */
function compareSent(comparison: Comparison, sent: unknown, codec: ColumnCodec, dialect: StatementDialect): Where {
  const { is, ignoresCase } = comparison
  const compareSql = isPlace(is) ? dialect.hasText[is] : (one: SQL, other: SQL) => sql`${one} ${sql.raw(symbols[is])} ${other}`
  const required = is === 'eq' && !ignoresCase && codec.isKey ? { [codec.name]: sent } : undefined
  const toSql = (other: SQL) => inEachForm(formsOf(comparison, codec, dialect), (form) => compareSql(form(codec.column), form(other)))
  return withValue(idOf(comparison), comparesText(comparison) ? untyped : codec, sent, toSql, required)
}

function compareWithList(comparison: Comparison, is: Membership, codec: ColumnCodec, dialect: StatementDialect): Where {
  const given = comparison.value as readonly unknown[]
  const sent = given
    .filter((each) => each !== null)
    .map((each) => encode(comparison, each, codec, dialect))
    .filter((each) => each !== undefined)
  const isIn = is === 'in'
  const among = sent.length > 0 ? isAmong(comparison, is, sent, codec, dialect) : isIn ? noRow : allRows
  if (!given.includes(null)) return among
  return join(isIn ? 'or' : 'and', [among, compareWithValue({ ...comparison, is: isIn ? 'eq' : 'ne', value: null }, codec, dialect)])
}

function isAmong(comparison: Comparison, is: Membership, sent: readonly unknown[], codec: ColumnCodec, dialect: StatementDialect): Where {
  const { lists } = dialect
  const { column, toParameter } = codec
  const forms = () => formsOf(comparison, codec, dialect)
  const packed = lists?.pack(sent)
  if (lists && packed !== undefined) return withValue(idOf(comparison), untyped, packed, (list) => lists.isIn(column, is, list, forms()))
  const isIn = (form: Form) => {
    const list = sent.map((each) => form(toParameter(each)))
    return sql`${form(column)} ${sql.raw(symbols[is])} (${sql.join(list, sql`, `)})`
  }
  return new Where(undefined, [], () => inEachForm(forms(), isIn))
}

/** What is sent for a value. `undefined` if it is a key that no row can have. */
function encode(comparison: Comparison, value: unknown, codec: ColumnCodec, { limits }: StatementDialect): unknown {
  const { is } = comparison
  const text = toText(value)
  // A text to look for need not be a value of the column, such as one of an enum: it may be a part of one, or in another case.
  if (comparesText(comparison)) return text !== undefined && isStorableText(limits, text) ? text : codec.reject('invalid')
  if (isOrder(is) && isJsonText(codec.column)) return codec.reject('invalid', 'JSON has no order')
  if (isOrder(is) || !codec.isKey) return codec.toOperand(value)
  const sent = codec.toKey(value)
  if (sent !== undefined) return sent
  // Nobody has this key. If it is no key at all, or if the operator would turn it into all rows, that is a mistake of the caller.
  const canBeKey = text !== undefined || codec.isId
  return canBeKey && is !== 'ne' && is !== 'notIn' ? undefined : codec.reject('invalid')
}

/** A comparison with one parameter, or with the SQL expression that a custom type sends. */
function withValue(id: string, sender: Sender, sent: unknown, toSql: (value: SQL) => SQL, required?: Values): Where {
  if (isSql(sent)) return new Where(undefined, [], () => toSql(sent), required)
  return new Where(id, [sent], (send) => toSql(send(sender, sent)), required)
}

/** Sends values that are not of the type of a column. */
const untyped: Sender = { toParameter: (sent) => sql`${sent}`, toPlaceholder: placeholder }

function isColumn({ name, column }: ColumnCodec, state: 'null' | 'not null'): Where {
  return new Where(`${idOfName(name)} ${state}`, [], () => sql`${column} is ${sql.raw(state)}`)
}

/** The forms in which the column is compared with a value. The comparison holds if it does in each of them. */
function formsOf(comparison: Comparison, { column, isExact }: ColumnCodec, dialect: StatementDialect): readonly Form[] {
  const { is, ignoresCase = false } = comparison
  if (comparesText(comparison)) return [(value) => dialect.bytesOf(value, ignoresCase)]
  const exactForm = isOrder(is) || isExact ? undefined : dialect.exactForm(column)
  if (!exactForm) return [plainForm]
  // The plain form finds rows by an index, if there is one. Rows with other bytes need none. JSON may have no `=`.
  return (is === 'eq' || is === 'in') && !isJsonText(column) ? [plainForm, exactForm] : [exactForm]
}

function inEachForm(forms: readonly Form[], compareIn: (form: Form) => SQL): SQL {
  return sql.join(forms.map(compareIn), sql` and `)
}

/** The column, or the value, as it is: the column's own `=` counts. */
export const plainForm: Form = (value) => sql`${value}`

/** Whether the column has one of the values in a table with the column `value`, in all of these forms. */
export function isInTable(column: Column, is: Membership, table: SQL, forms: readonly Form[]): SQL {
  const inForms = (value: Column | SQL) => forms.map((form) => form(value))
  const row = sql.join(inForms(column), sql`, `)
  const values = sql.join(inForms(sql`value`), sql`, `)
  return sql`${forms.length > 1 ? sql`(${row})` : row} ${sql.raw(symbols[is])} (select ${values} from ${table})`
}

function isOrder(is: Comparison['is']): is is Order {
  return is === 'lt' || is === 'lte' || is === 'gt' || is === 'gte'
}

function isPlace(is: Comparison['is']): is is Place {
  return is === 'contains' || is === 'startsWith' || is === 'endsWith'
}

/** Whether values are compared as texts, whatever the type of the column. */
function comparesText({ is, ignoresCase }: Comparison): boolean {
  return ignoresCase === true || isPlace(is)
}

function idOf({ column, is, ignoresCase = false }: Comparison): string {
  return `${idOfName(column)} ${is}${ignoresCase}`
}

const symbols = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=', in: 'in', notIn: 'not in' }
