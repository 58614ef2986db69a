import type { CleanedWhere, WhereOperator } from '@better-auth/core/db/adapter'
import type { Column } from 'drizzle-orm'
import type { Comparison, Condition } from '../query/conditions.js'
import { configError } from '../query/errors.js'
import { isCollated, kindOf } from '../query/kinds.js'
import type { ModelTable } from '../query/table.js'

const operators: Record<WhereOperator, Comparison['is']> = {
  eq: 'eq',
  ne: 'ne',
  lt: 'lt',
  lte: 'lte',
  gt: 'gt',
  gte: 'gte',
  in: 'in',
  not_in: 'notIn',
  contains: 'contains',
  starts_with: 'startsWith',
  ends_with: 'endsWith',
}

/** The condition of a `where`: all clauses with AND, and one of those with OR. */
export function conditionOf(where: readonly CleanedWhere[] = [], table: ModelTable): Condition {
  const all: Condition[] = []
  const any: Condition[] = []
  for (const each of where) (each.connector === 'OR' ? any : all).push(comparisonOf(each, table))
  return { and: any.length > 0 ? [...all, { or: any }] : all }
}

function comparisonOf({ field, operator = 'eq', value, mode }: CleanedWhere, table: ModelTable): Condition {
  const column = columnOf(field, table)
  if (!Object.hasOwn(operators, operator)) configError(`drizzleAdapter: the operator for the field ${field} is unknown`)
  const is = operators[operator]
  if ((is === 'in' || is === 'notIn') && !Array.isArray(value))
    configError(`drizzleAdapter: the operator ${operator} needs a list of values for the field ${field}`)
  const known = table.columns[column] as Column
  const isOfText = (kindOf(known) === 'text' || isCollated(known)) && [value].flat().some((each) => typeof each === 'string')
  return { column, is, value, ignoresCase: mode === 'insensitive' && isOfText }
}

/** The column of a field. Fails if the table lacks it. */
export function columnOf(field: string, { columns, name }: ModelTable): string {
  if (Object.hasOwn(columns, field)) return field
  return configError(
    `drizzleAdapter: the table ${name} has no column ${field}. Add it to your schema, or run npx auth generate and migrate`,
  )
}
