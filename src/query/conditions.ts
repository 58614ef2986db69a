import type { Column, SQL } from 'drizzle-orm'
import type { ColumnCodec } from './codec.js'
import { placeholder, toText } from './codec.js'
import { isInteger, isSql } from './columns.js'
import type { Values } from './drizzle.js'
import { and, or, sql } from './drizzle.js'
import { isStorableText } from './limits.js'
import type { ListForm, Place, StatementDialect } from './statement-dialect.js'

/** How a column is compared with a value. `eq` and `ne` with `null` ask whether there is a value. */
type Operator = 'eq' | 'ne' | Order
type Order = 'lt' | 'lte' | 'gt' | 'gte'

/** Whether a column has one of several values. `null` among them means no value. */
export type Membership = 'in' | 'notIn'

/** A comparison of a column, by its name in code, with a value, or with a list of them. */
export interface Comparison {
  readonly column: string
  readonly is: Operator | Membership | Place
  readonly value: unknown
  /** Whether the value is encoded already. */
  readonly isSent?: boolean
  /** Whether upper and lower case are the same. For text. */
  readonly ignoresCase?: boolean
}

/** Which rows are meant. No alternatives in `or` means none of them, no conditions in `and` all of them. */
export type Condition = Comparison | { readonly and: readonly Condition[] } | { readonly or: readonly Condition[] }

/** The rows that have all of these values. `isSent` means that they are encoded already. */
export function equal(values: Values, isSent = false): Condition {
  return { and: Object.keys(values).map((column) => ({ column, is: 'eq', value: values[column], isSent })) }
}

export function isMembership(is: Comparison['is']): is is Membership {
  return is === 'in' || is === 'notIn'
}

function isPlace(is: Comparison['is']): is is Place {
  return is === 'contains' || is === 'startsWith' || is === 'endsWith'
}

function isOrder(is: Comparison['is']): is is Order {
  return is === 'lt' || is === 'lte' || is === 'gt' || is === 'gte'
}

/** What a condition needs to know to become a part of a statement. */
export interface ConditionContext {
  readonly dialect: StatementDialect
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
   * The condition in SQL, with placeholders for its values, which stand from a place on among those of the statement. `undefined` if all
   * rows satisfy it.
   */
  toSql(start?: number): SQL | undefined
  /** The condition in SQL with its values, for a statement that is built for one call. */
  withValues(): SQL
}

/** Encodes the values of a condition and prepares its SQL, in one pass. */
export function compile(condition: Condition, context: ConditionContext): Where {
  const compiler = new Compiler(context)
  const part = compiler.walk(condition, true)
  const { values, required, canBeKept } = compiler
  const render = (start: Start) => (typeof part === 'object' ? part.toSql(start) : part ? undefined : sql`1 = 0`)
  return {
    condition,
    // Parts that are always true are not in the SQL, while their values still count: what else a statement sends stands behind all of them.
    id: canBeKept ? `${values.length} ${typeof part === 'object' ? part.id : part}` : undefined,
    values,
    required,
    isNever: part === false,
    toSql: (start = 0) => render(start),
    withValues: () => render(undefined) ?? sql`1 = 1`,
  }
}

/**
 * The condition that a row has these values of key columns, which are encoded already. It is compiled only where a statement is built: most
 * calls find theirs by its id.
 */
export class WhereEqual implements Where {
  readonly id: string
  readonly values: readonly unknown[]
  readonly isNever = false

  constructor(
    readonly required: Values,
    private readonly compiled: () => Where,
  ) {
    let id = 'equal'
    for (const name in required) id += ` ${idOfName(name)}`
    this.id = id
    this.values = Object.values(required)
  }

  get condition(): Condition {
    return equal(this.required, true)
  }

  toSql(start?: number): SQL | undefined {
    return this.compiled().toSql(start)
  }

  withValues(): SQL {
    return this.compiled().withValues()
  }
}

/** A part of a condition. `true` if all rows satisfy it, `false` if none does. Its id includes the places of its values. */
type Part = boolean | { readonly id: string; toSql(start: Start): SQL }

/** Where the values begin among those of the statement. `undefined` if the statement contains the values themselves. */
type Start = number | undefined

/** A parameter, or the SQL expression that stands for it. */
type Parameter = (start: Start) => SQL

class Compiler {
  readonly values: unknown[] = []
  readonly required: Values = {}
  canBeKept = true

  constructor(private readonly context: ConditionContext) {}

  /** `isRequired` means that every row has to satisfy it, because no `or` is around it. */
  walk(condition: Condition, isRequired: boolean): Part {
    if ('column' in condition) return this.#compare(condition, isRequired)
    const isAnd = 'and' in condition
    const parts = (isAnd ? condition.and : condition.or).map((each) => this.walk(each, isRequired && isAnd))
    return join(parts, isAnd ? 'and' : 'or')
  }

  #compare(comparison: Comparison, isRequired: boolean): Part {
    const { column: name, is, value, ignoresCase } = comparison
    const codec = this.context.codecOf(name)
    if (isMembership(is)) return this.#isInList(comparison, is, codec)
    // Nothing is before, after or part of no value. No id is null: rows without a user belong to nobody.
    if (value === null) return (is === 'eq' && !this.context.isId(name)) || is === 'ne' ? isNull(codec, is === 'eq') : false
    if (isPlace(is)) return this.#hasText(comparison, is, codec)
    return ignoresCase ? this.#compareIgnoringCase(comparison, is, codec) : this.#compareValue(comparison, is, codec, isRequired)
  }

  #compareValue(comparison: Comparison, is: Operator, codec: ColumnCodec, isRequired: boolean): Part {
    const { name, column } = codec
    const [operator, operand] = isOrder(is) ? wholeBound(column, is, comparison.value) : [is, comparison.value]
    const sent = this.#encode(comparison, codec, operand)
    if (sent === undefined) return false
    if (is === 'eq' && isRequired && this.context.isKey(name)) this.required[name] = sent
    const other = this.#parameter(codec, sent)
    const { dialect, isExact } = this.context
    return {
      id: `${idOf(comparison)} ${operator} ${this.values.length}`,
      toSql(start) {
        const plain = () => sql`${column} ${operators[operator]} ${other(start)}`
        const exactForm = isOrder(is) || isExact(name) ? undefined : dialect.exactForm(column)
        if (!exactForm) return plain()
        // `=` finds the rows by an index, if there is one. Rows with other bytes need none.
        const exact = sql`${exactForm(column)} ${operators[operator]} ${exactForm(other(start))}`
        return is === 'eq' ? sql`${plain()} and ${exact}` : exact
      },
    }
  }

  #compareIgnoringCase(comparison: Comparison, is: Operator, codec: ColumnCodec): Part {
    const text = this.#parameter(undefined, this.#textOf(codec, comparison.value))
    const lower = (value: Column | SQL) => this.context.dialect.bytesOf(value, true)
    const toSql = (start: Start) => sql`${lower(codec.column)} ${operators[is]} ${lower(text(start))}`
    return { id: `${idOf(comparison)} ${this.values.length}`, toSql }
  }

  #hasText(comparison: Comparison, place: Place, codec: ColumnCodec): Part {
    const { dialect } = this.context
    const text = this.#textOf(codec, comparison.value)
    if (text === '') return isNull(codec, false)
    const part = this.#parameter(undefined, text)
    const bytesOf = (value: Column | SQL) => dialect.bytesOf(value, comparison.ignoresCase === true)
    const toSql = (start: Start) => dialect.hasText(bytesOf(codec.column), place, bytesOf(part(start)))
    return { id: `${idOf(comparison)} ${this.values.length}`, toSql }
  }

  #isInList(comparison: Comparison, is: Membership, codec: ColumnCodec): Part {
    const { value, ignoresCase } = comparison
    const given = value as readonly unknown[]
    const sent = given
      .filter((each) => each !== null)
      .map((each) => (ignoresCase ? this.#textOf(codec, each) : this.#encode(comparison, codec, each)))
      .filter((each) => each !== undefined)
    const parts: Part[] = []
    if (sent.length > 0) {
      const form = this.#formOf(codec, is === 'notIn', ignoresCase)
      const toSql = this.#packedList(codec, sent, form) ?? this.#listOfParameters(codec, sent, form)
      parts.push({ id: `${idOf(comparison)} ${this.values.length}`, toSql })
    }
    if (given.includes(null)) parts.push(is === 'notIn' ? isNull(codec, false) : !this.context.isId(codec.name) && isNull(codec, true))
    return join(parts, is === 'in' ? 'or' : 'and')
  }

  #formOf({ name, column }: ColumnCodec, isNegated: boolean, ignoresCase = false): ListForm {
    const { dialect, isExact } = this.context
    if (ignoresCase) return { isNegated, convert: (value) => dialect.bytesOf(value, true), isSubset: false }
    return { isNegated, convert: isExact(name) ? undefined : dialect.exactForm(column), isSubset: !isNegated }
  }

  #packedList({ column }: ColumnCodec, sent: readonly unknown[], form: ListForm): Parameter | undefined {
    const { lists } = this.context.dialect
    const packed = lists?.pack(sent)
    if (!lists || packed === undefined) return undefined
    const list = this.#parameter(undefined, packed)
    return (start) => lists.isIn(column, list(start), form)
  }

  #listOfParameters(codec: ColumnCodec, sent: readonly unknown[], { isNegated, convert, isSubset }: ListForm): Parameter {
    this.canBeKept = false
    const isIn = (formOf: (value: Column | SQL) => SQL) => {
      const list = sent.map((each) => formOf(codec.toParameter(each)))
      return sql`${formOf(codec.column)} ${isNegated ? sql`not in` : sql`in`} (${sql.join(list, sql`, `)})`
    }
    const plain = () => isIn((value) => sql`${value}`)
    // `in` finds rows by an index. For a long list the database reads the whole table, so that its values need not be sent twice.
    if (convert && isSubset && sent.length <= longList) return () => sql`${plain()} and ${isIn(convert)}`
    return () => (convert ? isIn(convert) : plain())
  }

  /** A text to look for. It need not be a value of the column, such as one of an enum: it may be a part of one, or in another case. */
  #textOf(codec: ColumnCodec, value: unknown): string {
    const text = toText(value)
    return text !== undefined && isStorableText(this.context.dialect.limits, text) ? text : codec.reject('invalid')
  }

  /** What is sent for a value of a comparison. `undefined` if it is a key that no row can have. */
  #encode({ column, is, isSent }: Comparison, codec: ColumnCodec, value: unknown): unknown {
    if (isSent) return value
    if (isOrder(is) || !this.context.isKey(column)) return codec.toOperand(value)
    const sent = codec.toKey(value)
    if (sent !== undefined) return sent
    // Nobody has this key. If it is no key at all, or if the operator would turn it into all rows, that is a mistake of the caller.
    const canBeKey = toText(value) !== undefined || this.context.isId(column)
    return canBeKey && is !== 'ne' && is !== 'notIn' ? undefined : codec.reject('invalid')
  }

  #parameter(codec: ColumnCodec | undefined, sent: unknown): Parameter {
    if (isSql(sent)) {
      this.canBeKept = false
      return () => sent
    }
    const place = this.values.push(sent) - 1
    if (!codec) return (start) => (start === undefined ? sql`${sent}` : placeholder(start + place))
    return (start) => (start === undefined ? codec.toParameter(sent) : codec.toPlaceholder(start + place))
  }
}

function join(parts: readonly Part[], connector: 'and' | 'or'): Part {
  const isAnd = connector === 'and'
  if (parts.includes(!isAnd)) return !isAnd
  const rest = parts.filter((part) => typeof part === 'object')
  if (rest.length < 2) return rest[0] ?? isAnd
  const id = `${connector}(${rest.map((part) => part.id).join()})`
  const connect = isAnd ? and : or
  return { id, toSql: (start) => connect(...rest.map((part) => part.toSql(start))) as SQL }
}

function isNull({ name, column }: ColumnCodec, isEmpty: boolean): Part {
  return { id: `${idOfName(name)} ${isEmpty}`, toSql: () => (isEmpty ? sql`${column} is null` : sql`${column} is not null`) }
}

function idOf({ column, is, ignoresCase = false }: Comparison): string {
  return `${idOfName(column)} ${is}${ignoresCase}`
}

/** The name of a column as a part of an id. With its length, it cannot be confused with what comes after it. */
export function idOfName(name: string): string {
  return `${name.length}:${name}`
}

/** An integer is above 3.5 if it is 4 or more. */
function wholeBound(column: Column, is: Order, value: unknown): [Order, unknown] {
  if (typeof value !== 'number' || !Number.isFinite(value) || Number.isInteger(value) || !isInteger(column)) return [is, value]
  return is === 'gt' || is === 'gte' ? ['gte', Math.ceil(value)] : ['lte', Math.floor(value)]
}

const longList = 1_000

const operators: Record<Operator, SQL> = { eq: sql`=`, ne: sql`<>`, lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` }
