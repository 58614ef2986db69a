import type { Column, SQL } from 'drizzle-orm'
import type { Bind, Binder, ColumnCodec } from './codec.js'
import { untyped } from './codec.js'
import type { Values } from './drizzle.js'
import { and, or, sql } from './drizzle.js'
import { toText } from './kinds.js'
import type { Form, Membership, Place } from './statement-dialect.js'
import type { TableDefinition } from './table-definition.js'

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

/** A condition on rows. An empty `or` matches no row, an empty `and` matches every row. */
export type Condition = Comparison | { readonly and: readonly Condition[] } | { readonly or: readonly Condition[] }

/** The rows that have all of these values. */
export function equal(values: Values): Condition {
  return { and: Object.keys(values).map((column) => ({ column, is: 'eq', value: values[column] })) }
}

/** Renders a part of a condition. `bind` gets its values in their order. */
type Render = (bind: (binder: Binder) => SQL) => SQL

/** A condition, or a part of one, with its values encoded. */
export class Where {
  constructor(
    /** Identifies the SQL. `undefined` if the SQL depends on the length of a list, so that the statement is not kept. */
    readonly id: string | undefined,
    /** The values of its parameters. */
    readonly values: readonly unknown[],
    readonly render: Render,
    /** The values of key columns that a matching row has, by the names of the columns in code. */
    readonly required: Values = {},
  ) {}

  /** The condition in SQL. `start` is the place of its first value among those of the statement. */
  toSql(bind: Bind, start = 0): SQL | undefined {
    if (this === allRows) return undefined
    let place = start
    return this.render((binder) => bind(binder, place++))
  }
}

/** The condition that every row satisfies. */
const allRows = new Where('all', [], () => sql`1 = 1`)

/** The condition that no row satisfies. It needs no statement. */
export const noRow = new Where('none', [], () => sql`1 = 0`)

/** Encodes the values of a condition and prepares its SQL, in one pass. */
export function compile(condition: Condition, definition: TableDefinition): Where {
  if ('column' in condition) {
    const codec = definition.of(condition.column)
    return condition.is === 'in' || condition.is === 'notIn'
      ? compareWithList(condition, condition.is, codec)
      : compareWithValue(condition, codec)
  }
  const compileAll = (conditions: readonly Condition[]) => conditions.map((each) => compile(each, definition))
  return 'and' in condition ? join('and', compileAll(condition.and)) : join('or', compileAll(condition.or))
}

/** The condition that a row has these values of key columns, which are encoded already. */
export function whereEqual(sent: Values, { of }: TableDefinition): Where {
  const parts = Object.keys(sent).map((column) => compareSent({ column, is: 'eq', value: sent[column] }, sent[column], of(column)))
  return join('and', parts)
}

/** The name of a column as a part of an id. Its length separates it from what follows. */
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
  return new Where(id, values, (bind) => (isAnd ? and : or)(...rendered.map(({ render }) => render(bind))) as SQL, required)
}

function compareWithValue(comparison: Comparison, codec: ColumnCodec): Where {
  const { is, value } = comparison
  // Ordering against null matches nothing. An id is never null, so `userId: null` does not find rows without a user.
  if (value === null) return is === 'ne' || (is === 'eq' && !codec.isId) ? isColumn(codec, is === 'eq' ? 'null' : 'not null') : noRow
  const sent = encode(comparison, value, codec)
  if (sent === undefined) return noRow
  // Every text contains the empty one.
  return isPlace(is) && sent === '' ? isColumn(codec, 'not null') : compareSent(comparison, sent, codec)
}

/** A comparison whose value is encoded. */
function compareSent(comparison: Comparison, sent: unknown, codec: ColumnCodec): Where {
  const { is, ignoresCase } = comparison
  const compareSql = isPlace(is) ? codec.dialect.hasText[is] : (one: SQL, other: SQL) => sql`${one} ${sql.raw(symbols[is])} ${other}`
  const required = is === 'eq' && !ignoresCase && codec.isKey ? { [codec.name]: sent } : undefined
  const toSql = (other: SQL) => inEachForm(formsOf(comparison, codec), (form) => compareSql(form(codec.column), form(other)))
  const binder = comparesText(comparison) ? untyped : codec
  return new Where(idOf(comparison), [sent], (bind) => toSql(bind(binder)), required)
}

function compareWithList(comparison: Comparison, is: Membership, codec: ColumnCodec): Where {
  const given = comparison.value as readonly unknown[]
  const sent = given
    .filter((each) => each !== null)
    .map((each) => encode(comparison, each, codec))
    .filter((each) => each !== undefined)
  const isIn = is === 'in'
  const among = sent.length > 0 ? isAmong(comparison, is, sent, codec) : isIn ? noRow : allRows
  if (!given.includes(null)) return among
  return join(isIn ? 'or' : 'and', [among, compareWithValue({ ...comparison, is: isIn ? 'eq' : 'ne', value: null }, codec)])
}

function isAmong(comparison: Comparison, is: Membership, sent: readonly unknown[], codec: ColumnCodec): Where {
  const { column, dialect } = codec
  const { lists } = dialect
  const forms = () => formsOf(comparison, codec)
  const packed = lists?.pack(sent)
  if (lists && packed !== undefined) return new Where(idOf(comparison), [packed], (bind) => lists.isIn(column, is, bind(untyped), forms()))
  return new Where(undefined, sent, (bind) => {
    const values = sent.map(() => bind(codec))
    return inEachForm(forms(), (form) => sql`${form(column)} ${sql.raw(symbols[is])} (${sql.join(values.map(form), sql`, `)})`)
  })
}

/** What is sent for a value. `undefined` if it is a key that no row can have. */
function encode(comparison: Comparison, value: unknown, codec: ColumnCodec): unknown {
  const { is } = comparison
  const { kind, dialect } = codec
  const text = toText(value)
  // The text may be a part of a value, or a value in another case, so it need not be a value of the column.
  if (comparesText(comparison)) return kind !== 'other' && text?.isWellFormed() && dialect.canSend(text) ? text : codec.reject('invalid')
  if (isOrder(is) && kind === 'json') return codec.reject('invalid', 'JSON has no order')
  if (isOrder(is)) return codec.encodeForComparison(kind === 'integer' ? wholeBound(is, value) : value)
  if (!codec.isKey) return codec.encodeForComparison(value)
  const sent = codec.encodeKey(value)
  if (sent !== undefined) return sent
  // No row has this key. `ne` and `notIn` would match all rows, and a value that is not a key is a mistake: both are refused.
  const canBeKey = text !== undefined || codec.isId
  return canBeKey && is !== 'ne' && is !== 'notIn' ? undefined : codec.reject('invalid')
}

/** The whole number that bounds the same whole numbers as a fraction does: `> 3.5` is `> 3`, and `< 3.5` is `< 4`. */
function wholeBound(is: Order, value: unknown): unknown {
  if (!Number.isFinite(value)) return value
  return is === 'lt' || is === 'gte' ? Math.ceil(value as number) : Math.floor(value as number)
}

function isColumn({ name, column }: ColumnCodec, state: 'null' | 'not null'): Where {
  return new Where(`${idOfName(name)} ${state}`, [], () => sql`${column} is ${sql.raw(state)}`)
}

/** The forms in which the column is compared with a value. The comparison holds if it does in each of them. */
function formsOf(comparison: Comparison, { isExact, kind, dialect }: ColumnCodec): readonly Form[] {
  const { is, ignoresCase = false } = comparison
  const { bytesOf, json } = dialect
  if (comparesText(comparison)) return [(value) => bytesOf(value, ignoresCase)]
  if (isOrder(is) || isExact) return [plainForm]
  if (kind === 'json') return [(value) => bytesOf(json?.normalized?.(value) ?? value, false)]
  // The plain form can use an index, and the exact form compares bytes. `ne` and `notIn` use no index anyway.
  const exactForm: Form = (value) => bytesOf(value, false)
  return is === 'eq' || is === 'in' ? [plainForm, exactForm] : [exactForm]
}

function inEachForm(forms: readonly Form[], compareIn: (form: Form) => SQL): SQL {
  return sql.join(forms.map(compareIn), sql` and `)
}

/** The column or the value itself, compared by the column's own `=`. */
export const plainForm: Form = (value) => sql`${value}`

/** Whether the column has one of the values in a table with the column `value`, in all of these forms. */
export function isInTable(column: Column, is: Membership, table: SQL, forms: readonly Form[]): SQL {
  const inForms = (value: Column | SQL) => forms.map((form) => form(value))
  const row = sql.join(inForms(column), sql`, `)
  const values = sql.join(inForms(sql`value`), sql`, `)
  return sql`${forms.length > 1 ? sql`(${row})` : row} ${sql.raw(symbols[is])} (select ${values} from ${table})`
}

const isOrder = (is: Comparison['is']): is is Order => ['lt', 'lte', 'gt', 'gte'].includes(is)

const isPlace = (is: Comparison['is']): is is Place => ['contains', 'startsWith', 'endsWith'].includes(is)

/** Whether values are compared as texts, whatever the type of the column. */
function comparesText({ is, ignoresCase }: Comparison): boolean {
  return ignoresCase === true || isPlace(is)
}

function idOf({ column, is, ignoresCase = false }: Comparison): string {
  return `${idOfName(column)} ${is}${ignoresCase}`
}

const symbols = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=', in: 'in', notIn: 'not in' }
