import type { Column, SQL } from 'drizzle-orm'
import type { ColumnCodec } from './codec.js'
import { toText } from './codec.js'
import { isInteger, isSql } from './columns.js'
import type { Values } from './drizzle.js'
import { and, or, sql } from './drizzle.js'
import { withoutEncoder } from './internals.js'
import type { StorageLimits } from './limits.js'
import { isStorableText } from './limits.js'

/** How a column is compared with a value. `eq` and `ne` with `null` ask whether there is a value. */
type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

/** Whether a column has one of several values. `null` among them means no value. */
export type Membership = 'in' | 'notIn'

/** Where a text must contain another. */
type Place = 'contains' | 'startsWith' | 'endsWith'

/** A comparison of a column, by its name in code, with a value, or with a list of them. */
export interface Comparison {
  readonly column: string
  readonly is: Operator | Membership | Place
  readonly value: unknown
  /** Whether the value is encoded already. */
  readonly isSent?: true
  /** Whether upper and lower case are the same. For text. */
  readonly ignoresCase?: boolean
}

/** Which rows are meant. No alternatives in `or` means none of them, no conditions in `and` all of them. */
export type Condition = Comparison | { readonly and: readonly Condition[] } | { readonly or: readonly Condition[] }

/** The rows that have all of these values. */
export function equal(values: Values): Condition {
  return { and: Object.keys(values).map((column) => ({ column, is: 'eq', value: values[column] })) }
}

/** The rows that have all of these values, which are encoded already. */
export function equalSent(values: Values): Condition {
  return { and: Object.keys(values).map((column) => ({ column, is: 'eq', value: values[column], isSent: true })) }
}

export function isMembership(is: Comparison['is']): is is Membership {
  return is === 'in' || is === 'notIn'
}

function isPlace(is: Comparison['is']): is is Place {
  return is === 'contains' || is === 'startsWith' || is === 'endsWith'
}

function isOrdered(is: Comparison['is']): is is 'lt' | 'lte' | 'gt' | 'gte' {
  return is === 'lt' || is === 'lte' || is === 'gt' || is === 'gte'
}

/** How a text is compared: by the column's own `=`, by its bytes, or by its bytes in lower case. */
type TextForm = 'plain' | 'exact' | 'ignoringCase'

/** How a database compares. */
export interface Comparisons {
  /** What it cuts, rounds or refuses. */
  readonly limits: StorageLimits

  /**
   * Converts a text column, and values for it, into a form whose `=` compares bytes: its own may ignore case, accents, trailing spaces or
   * Unicode normalization. `undefined` for types that always compare exactly.
   */
  exactForm(column: Column): ((value: Column | SQL) => SQL) | undefined

  /** Text in a form whose `=` compares bytes, in lower case where case is ignored. */
  bytesOf(value: Column | SQL, ignoresCase: boolean): SQL

  /** Whether the first text contains the second one at this place. Both are what `bytesOf` returns, and the second is not empty. */
  hasText(text: SQL, place: Place, part: SQL): SQL

  /** How the database takes a list of values as one parameter. Absent where each value is a parameter of its own. */
  readonly lists?: {
    /** The list as one value. `undefined` if one of its values cannot be a part of it. */
    pack(sent: readonly unknown[]): unknown
    /** Whether the column has one of the values of the list. */
    isIn(column: Column, packed: SQL, isNegated: boolean, form: TextForm): SQL
  }
}

/** What a condition needs to know to become a part of a statement. */
export interface ConditionContext {
  readonly dialect: Comparisons
  codecOf(column: string): ColumnCodec
  /** Whether the values of the column have one spelling: it identifies rows, or refers to a column that does. */
  isKey(column: string): boolean
  /** Whether the column holds the id of a user in the contract. */
  isId(column: string): boolean
  /** Whether the column's own `=` compares exactly. */
  isExact(column: string): boolean
}

/** A condition as a part of a statement. */
export interface Where {
  readonly condition: Condition
  /** Tells its SQL from that of other conditions. `undefined` if it contains an SQL expression or a list, and is not worth keeping. */
  readonly id: string | undefined
  /** The values of its parameters. */
  readonly values: readonly unknown[]
  /** The values of keys that a row must have, by their columns in code. */
  readonly required: Values
  /** Whether no row can satisfy it. */
  readonly isNever: boolean
  /**
   * The condition in SQL. Its placeholders are the places of `values`. `loosely` leaves equality to the column's collation. `undefined` if
   * all rows satisfy it.
   */
  toSql(loosely?: 'loosely'): SQL | undefined
  /** The condition in SQL with its values, for a statement that is built for one call. */
  withValues(loosely?: 'loosely'): SQL
}

/** A part of a condition. `true` if all rows satisfy it, `false` if none does. Its id includes the places of its values. */
type Part = boolean | { readonly id: string; toSql: ToSql }
/** For a statement that is kept, parameters are placeholders. Otherwise they are the values themselves. */
type ToSql = (isKept: boolean, comparesBytes: boolean) => SQL

/** Encodes the values of a condition and prepares its SQL, in one pass. */
export function compile(condition: Condition, context: ConditionContext): Where {
  const { dialect, codecOf } = context
  const values: unknown[] = []
  const required: Values = {}
  let canBeKept = true

  /** A parameter, or the SQL expression that the value is. Its place in the statement's values is known from here on. */
  const parameter = (codec: ColumnCodec | undefined, sent: unknown): ((isKept: boolean) => SQL) => {
    if (isSql(sent)) {
      canBeKept = false
      return () => sent
    }
    const place = values.push(sent) - 1
    return (isKept) => (isKept ? placeholder(place, codec) : literal(codec, sent))
  }

  const compare = (comparison: Comparison, isRequired: boolean): Part => {
    const { column: name, is, value, ignoresCase = false } = comparison
    const codec = codecOf(name)
    const { column } = codec
    if (isMembership(is)) return compareList(comparison, codec)
    if (value === null) {
      // Nothing is before, after or part of no value. No id is null: rows without a user belong to nobody.
      if ((is !== 'eq' && is !== 'ne') || (is === 'eq' && context.isId(name))) return false
      const isEmpty = is === 'eq'
      return { id: `${name.length}:${name} ${isEmpty}`, toSql: () => (isEmpty ? sql`${column} is null` : sql`${column} is not null`) }
    }
    const id = `${name.length}:${name} ${is}${ignoresCase}`
    if (ignoresCase || isPlace(is)) {
      // A part of a text, or one in another case, need not be a value of the column, such as one of an enum.
      const text = textOf(comparison, value)
      if (isPlace(is) && text === '') return { id: `${id} empty`, toSql: () => sql`${column} is not null` }
      const part = parameter(undefined, text)
      const bytes = (of: Column | SQL) => dialect.bytesOf(of, ignoresCase)
      if (isPlace(is)) return { id: `${id} ${values.length}`, toSql: (isKept) => dialect.hasText(bytes(column), is, bytes(part(isKept))) }
      return { id: `${id} ${values.length}`, toSql: (isKept) => sql`${bytes(column)} ${operators[is]} ${bytes(part(isKept))}` }
    }
    const [operator, operand] = isOrdered(is) ? wholeBound(column, is, value) : [is, value]
    const sent = encode(comparison, codec, operand)
    if (sent === undefined) return false
    if (is === 'eq' && isRequired && context.isKey(name)) required[name] = sent
    const other = parameter(codec, sent)
    return {
      id: `${id} ${operator} ${values.length}`,
      toSql: (isKept, comparesBytes) => {
        const plain = () => sql`${column} ${operators[operator]} ${other(isKept)}`
        const exactForm = comparesBytes && !isOrdered(is) && !context.isExact(name) ? dialect.exactForm(column) : undefined
        if (!exactForm) return plain()
        // `=` finds the rows by an index, if there is one. Rows with other bytes need none.
        const exact = sql`${exactForm(column)} ${operators[operator]} ${exactForm(other(isKept))}`
        return is === 'eq' ? sql`${plain()} and ${exact}` : exact
      },
    }
  }

  const compareList = (comparison: Comparison, codec: ColumnCodec): Part => {
    const { column: name, is, value, ignoresCase } = comparison
    const given = value as readonly unknown[]
    const sent = given
      .filter((each) => each !== null)
      .map((each) => (ignoresCase ? textOf(comparison, each) : encode(comparison, codec, each)))
      .filter((each) => each !== undefined)
    const isNull: Comparison = { column: name, is: is === 'in' ? 'eq' : 'ne', value: null }
    const parts: Part[] = []
    if (sent.length > 0) {
      const form = ignoresCase ? 'ignoringCase' : context.isExact(name) ? 'plain' : 'exact'
      const toSql = isInList(codec, sent, is === 'notIn')
      parts.push({
        id: `${name.length}:${name} ${is} ${form} ${values.length}`,
        toSql: (isKept, comparesBytes) => toSql(isKept, comparesBytes || ignoresCase ? form : 'plain'),
      })
    }
    if (given.includes(null)) parts.push(compare(isNull, false))
    return is === 'in' ? join(parts, 'or') : join(parts, 'and')
  }

  const isInList = (codec: ColumnCodec, sent: readonly unknown[], isNegated: boolean) => {
    const { column } = codec
    const packed = dialect.lists?.pack(sent)
    if (dialect.lists && packed !== undefined) {
      const list = parameter(undefined, packed)
      const { isIn } = dialect.lists
      return (isKept: boolean, form: TextForm) => isIn(column, list(isKept), isNegated, form)
    }
    canBeKept = false
    return (_isKept: boolean, form: TextForm): SQL => {
      const compare = (convert: (value: Column | SQL) => SQL) => {
        const list = sql.join(
          sent.map((each) => convert(literal(codec, each))),
          sql`, `,
        )
        return sql`${convert(column)} ${isNegated ? sql`not in` : sql`in`} (${list})`
      }
      if (form === 'ignoringCase') return compare((value) => dialect.bytesOf(value, true))
      const plain = () => compare((value) => sql`${value}`)
      const exactForm = form === 'exact' ? dialect.exactForm(column) : undefined
      if (!exactForm) return plain()
      // `in` finds rows by an index. For a long list the database reads the whole table, so that its values need not be sent twice.
      return isNegated || sent.length > longList ? compare(exactForm) : sql`${plain()} and ${compare(exactForm)}`
    }
  }

  const textOf = ({ column }: Comparison, value: unknown): string => {
    const text = toText(value)
    return text !== undefined && isStorableText(dialect.limits, text) ? text : codecOf(column).reject('invalid')
  }

  /** What is sent for a value of a comparison. `undefined` if it is a key that no row can have. */
  const encode = ({ column, is, isSent }: Comparison, codec: ColumnCodec, value: unknown): unknown => {
    if (isSent) return value
    if (isOrdered(is) || !context.isKey(column)) return codec.toOperand(value)
    const sent = codec.toKey(value)
    if (sent !== undefined) return sent
    // Nobody has this key. If it is no key at all, or if the operator would turn it into all rows, that is a mistake of the caller.
    const canBeKey = toText(value) !== undefined || context.isId(column)
    return canBeKey && is !== 'ne' && is !== 'notIn' ? undefined : codec.reject('invalid')
  }

  const walk = (each: Condition, isRequired: boolean): Part => {
    if ('column' in each) return compare(each, isRequired)
    if ('and' in each)
      return join(
        each.and.map((part) => walk(part, isRequired)),
        'and',
      )
    return join(
      each.or.map((part) => walk(part, false)),
      'or',
    )
  }

  const part = walk(condition, true)
  const toSql = (isKept: boolean, loosely?: 'loosely') =>
    typeof part === 'object' ? part.toSql(isKept, !loosely) : part ? undefined : sql`1 = 0`
  return {
    condition,
    id: canBeKept ? (typeof part === 'object' ? part.id : String(part)) : undefined,
    values,
    required,
    isNever: part === false,
    toSql: (loosely) => toSql(true, loosely),
    withValues: (loosely) => toSql(false, loosely) ?? sql`1 = 1`,
  }
}

function join(parts: readonly Part[], connector: 'and' | 'or'): Part {
  const isAnd = connector === 'and'
  if (parts.includes(!isAnd)) return !isAnd
  const rest = parts.filter((part) => typeof part === 'object')
  if (rest.length < 2) return rest[0] ?? isAnd
  const id = `${connector}(${rest.map((part) => part.id).join()})`
  const connect = isAnd ? and : or
  return { id, toSql: (isKept, comparesBytes) => connect(...rest.map((part) => part.toSql(isKept, comparesBytes))) as SQL }
}

/** An integer is above 3.5 if it is 4 or more. */
function wholeBound(column: ColumnCodec['column'], is: 'lt' | 'lte' | 'gt' | 'gte', value: unknown): [typeof is, unknown] {
  if (typeof value !== 'number' || !Number.isFinite(value) || Number.isInteger(value) || !isInteger(column)) return [is, value]
  return is === 'gt' || is === 'gte' ? ['gte', Math.ceil(value)] : ['lte', Math.floor(value)]
}

/** The value of a parameter that is given when the statement runs. The codec has encoded it, so that Drizzle need not. */
export function placeholder(place: number, codec?: ColumnCodec): SQL {
  return literal(codec, sql.placeholder(`${place}`))
}

/** The value of a parameter, as it is sent. */
export function literal(codec: ColumnCodec | undefined, sent: unknown): SQL {
  if (isSql(sent)) return sent
  if (codec && !codec.fromJsonText) return sql`${sql.param(sent, withoutEncoder(codec.column))}`
  return codec?.fromJsonText?.(sql`${sent}`) ?? sql`${sent}`
}

const longList = 1_000

const operators: Record<Operator, SQL> = { eq: sql`=`, ne: sql`<>`, lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` }
