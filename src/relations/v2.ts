/**
 * The relations between the tables, for relational queries of Drizzle 1.0.
 *
 * @module
 */

import type { Many, One } from 'drizzle-orm'

/** What `defineRelations` passes to its callback, for a schema that has the tables under these names. */
interface RelationsHelper {
  one: { usersTable: Relate }
  many: { accountsTable: Relate; sessionsTable?: Relate; authenticatorsTable?: Relate }
  usersTable: { id: unknown }
  accountsTable: { userId: unknown }
  sessionsTable?: { userId: unknown }
  authenticatorsTable?: { userId: unknown }
}

// As a method, so that Drizzle's own functions, which ask for more, are assignable.
type Relate = { relate(config: object): unknown }['relate']

const belongings = { accountsTable: 'accounts', sessionsTable: 'sessions', authenticatorsTable: 'authenticators' } as const

type Belonging = keyof typeof belongings

/**
 * Returns the relations between the tables, for the callback of Drizzle 1.0's `defineRelations`. In the schema, the tables must have the names
 * that `defineTables` gives them.
 *
 * @param r The argument of the callback of `defineRelations`.
 * @example
 * // relations.ts, Drizzle 1.0
 * import { authRelations } from 'drizzle-auth-adapter/relations/v2'
 * import { defineRelations } from 'drizzle-orm'
 * import * as schema from './schema.js'
 *
 * export const relations = defineRelations(schema, (r) => {
 *   const auth = authRelations(r)
 *   return { ...auth, usersTable: { ...auth.usersTable, posts: r.many.posts() } }
 * })
 */
export function authRelations<R extends RelationsHelper>(r: R): AuthRelations<R> {
  const made: Record<string, Record<string, unknown>> = {}
  for (const [table, name] of Object.entries(belongings) as [Belonging, string][]) {
    const [relate, userId] = [r.many[table], r[table]?.userId]
    if (!relate || !userId) continue
    const id = r.usersTable.id
    made.usersTable = { ...made.usersTable, [name]: relate({ from: id, to: userId }) }
    made[table] = { user: r.one.usersTable({ from: userId, to: id, optional: false }) }
  }
  return made as AuthRelations<R>
}

type Given<R> = Extract<keyof R, Belonging>

/** The relations of each table that the schema has. */
export type AuthRelations<R> = {
  usersTable: { [Name in Given<R> as (typeof belongings)[Name]]: Many<Name> }
} & { [Name in Given<R>]: { user: One<'usersTable', false> } }
