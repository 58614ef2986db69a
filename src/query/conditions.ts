import type { Column, SQL } from 'drizzle-orm'
import { isSql } from './columns.js'
import type { Columns, Values } from './drizzle.js'
import { and, or, sql } from './drizzle.js'

/** How a column is compared with a value. `eq` and `ne` with `null` ask whether there is a value. */
type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

/** Whether a column has one of several values. `null` among them means no value. */
export type Membership = 'in' | 'notIn'

/** Where a text must contain another. */
export type Place = 'contains' | 'startsWith' | 'endsWith'

/** A comparison of a column, by its name in code, with a value, or with a list of them. */
export interface Comparison {
  readonly column: string
  readonly is: Operator | Membership | Place
  readonly value: unknown
  /** Whether upper and lower case are the same. For text. */
  readonly ignoresCase?: boolean
}

/** Which rows are meant. No alternatives in `or` means none of them, no conditions in `and` all of them. */
export type Condition = Comparison | { readonly and: readonly Condition[] } | { readonly or: readonly Condition[] }

export const never: Condition = { or: [] }

/** Whether no row can satisfy the condition. */
export function isNever(condition: Condition): boolean {
  if ('and' in condition) return condition.and.some(isNever)
  return 'or' in condition && condition.or.every(isNever)
}

/** The rows that have all of these values. */
export function equal(values: Values): Condition {
  return { and: Object.keys(values).map((column) => ({ column, is: 'eq', value: values[column] })) }
}

/** The values of a key that the condition requires, among other things. `undefined` if it allows several keys. */
export function keyIn(condition: Condition, key: readonly string[]): Values | undefined {
  const parts = 'and' in condition ? condition.and : [condition]
  const values: Values = {}
  for (const name of key) {
    const part = parts.find((each) => 'column' in each && each.column === name && each.is === 'eq' && !each.ignoresCase)
    if (!part || (part as Comparison).value === null) return undefined
    values[name] = (part as Comparison).value
  }
  return values
}

/** The condition with each comparison converted. */
export function mapCondition(condition: Condition, convert: (comparison: Comparison) => Condition): Condition {
  if ('and' in condition) return { and: condition.and.map((each) => mapCondition(each, convert)) }
  if ('or' in condition) return { or: condition.or.map((each) => mapCondition(each, convert)) }
  return convert(condition)
}

/** What tells a prepared statement from others, and the values of its parameters. */
export interface Shape {
  name: string
  readonly parameters: unknown[]
  /** False if a value is an SQL expression, which is part of the statement, or a list, which can have any length. */
  isKept: boolean
}

/** Adds a condition to the shape of a statement: its name, and its values in the order in which `compile` asks for their parameters. */
export function describe(condition: Condition, shape: Shape): void {
  if ('column' in condition) {
    const { column, is, value, ignoresCase } = condition
    shape.name += ` ${column} ${is}${value === null ? ' null' : ''}${ignoresCase ? ' ignoring case' : ''}`
    if (isSql(value) || isMembership(is)) shape.isKept = false
    if (value !== null) shape.parameters.push(...valuesOf(condition).filter((each) => !isSql(each)))
    return
  }
  shape.name += 'and' in condition ? ' and(' : ' or('
  for (const each of 'and' in condition ? condition.and : condition.or) describe(each, shape)
  shape.name += ')'
}

export function isOrdered(is: Comparison['is']): boolean {
  return is === 'lt' || is === 'lte' || is === 'gt' || is === 'gte'
}

export function isMembership(is: Comparison['is']): is is Membership {
  return is === 'in' || is === 'notIn'
}

export function isPlace(is: Comparison['is']): is is Place {
  return is === 'contains' || is === 'startsWith' || is === 'endsWith'
}

function valuesOf({ is, value }: Comparison): readonly unknown[] {
  return isMembership(is) ? (value as readonly unknown[]) : [value]
}

const operators: Record<Operator | Membership, SQL> = {
  eq: sql`=`,
  ne: sql`<>`,
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
  in: sql`in`,
  notIn: sql`not in`,
}

/** Converts a column, or a value for it, into a form whose `=` compares bytes. */
export type ExactForm = (value: Column | SQL) => SQL

/** What a condition needs to know to become SQL. */
export interface Compiler {
  readonly columns: Columns
  /** A value of the column: as a parameter, or as a placeholder for one. */
  parameter(column: Column, value: unknown): SQL
  /** Converts a column and its values for the comparison beside `=` that makes it exact. Absent where the rows are compared afterwards. */
  exactForm?(column: Column): ExactForm | undefined
  /** Text in a form whose `=` compares bytes, in lower case where case is ignored. */
  bytesOf(value: Column | SQL, ignoresCase: boolean): SQL
  /** Whether the first text contains the second one at this place. Both are what `bytesOf` returns. */
  hasText(text: SQL, place: Place, part: SQL): SQL
}

/** The condition in SQL. */
export function compile(condition: Condition, compiler: Compiler): SQL {
  if ('column' in condition) {
    const column = compiler.columns[condition.column] as Column
    const { is, value, ignoresCase = false } = condition
    if (value === null) return is === 'eq' ? sql`${column} is null` : sql`${column} is not null`
    const others = valuesOf(condition).map((each) => (isSql(each) ? each : compiler.parameter(column, each)))
    const bytes = (text: Column | SQL) => compiler.bytesOf(text, ignoresCase)
    if (isPlace(is)) return compiler.hasText(bytes(column), is, bytes(others[0] as SQL))
    const compare = (form?: ExactForm): SQL => {
      const values = sql.join(form ? others.map(form) : others, sql`, `)
      return sql`${form ? form(column) : column} ${operators[is]} ${isMembership(is) ? sql`(${values})` : values}`
    }
    if (ignoresCase) return compare(bytes)
    const exactForm = isOrdered(is) ? undefined : compiler.exactForm?.(column)
    if (!exactForm) return compare()
    // `=` finds the rows by an index, if there is one. Rows with other bytes need none.
    return is === 'eq' || is === 'in' ? sql`${compare()} and ${compare(exactForm)}` : compare(exactForm)
  }
  const parts = ('and' in condition ? condition.and : condition.or).map((each) => compile(each, compiler))
  if (parts.length === 0) return 'and' in condition ? sql`1 = 1` : sql`1 = 0`
  return ('and' in condition ? and(...parts) : or(...parts)) as SQL
}
