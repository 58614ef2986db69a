import type { CleanedWhere, WhereOperator } from '@better-auth/core/db/adapter'
import type { Comparison, Condition } from '../query/conditions.js'
import { getTableName } from '../query/drizzle.js'
import { configError } from '../query/errors.js'
import type { Rows } from '../query/rows.js'

const operators: Record<Exclude<WhereOperator, 'in' | 'not_in'>, Comparison['is']> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  contains: 'contains',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
}

/** The condition that a `where` means: all clauses with AND, and any of those with OR. */
export function conditionOf(where: readonly CleanedWhere[] = [], rows: Rows): Condition {
  const comparisons = (connector: CleanedWhere['connector']) =>
    where.filter((each) => each.connector === connector).map((each) => comparisonOf(each, rows))
  const all = comparisons('AND')
  const any = comparisons('OR')
  return { and: any.length > 0 ? [...all, { or: any }] : all }
}

function comparisonOf({ field, operator = 'eq', value, mode }: CleanedWhere, rows: Rows): Condition {
  const column = columnOf(field, rows)
  const compare = (is: Comparison['is'], each: unknown): Condition => ({
    column,
    is,
    value: each,
    ignoresCase: mode === 'insensitive' && typeof each === 'string',
  })
  if (operator !== 'in' && operator !== 'not_in') return compare(operators[operator], value)
  if (!Array.isArray(value)) return configError(`drizzleAdapter: the operator ${operator} needs a list of values for the field ${field}`)
  return operator === 'in' ? { or: value.map((each) => compare('eq', each)) } : { and: value.map((each) => compare('ne', each)) }
}

/** The column of a field. Fails if the table has none. */
export function columnOf(field: string, { columns, statements }: Rows): string {
  if (Object.hasOwn(columns, field)) return field
  return configError(
    `drizzleAdapter: the table ${getTableName(statements.table)} has no column ${field}. Add it to your schema, or run npx auth generate and migrate`,
  )
}
