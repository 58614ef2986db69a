/**
 * The relations between the tables, for relational queries of Drizzle 0.45.
 *
 * @module
 */

import type { Many, One, Relation, Relations, Table, TableRelationsHelpers } from 'drizzle-orm'
import { relations } from 'drizzle-orm'
import type { Tables } from '../types.js'

/** The app's own relations of the same tables. */
interface MoreRelations<T extends Tables, Users, Accounts, Sessions, Authenticators> {
  users?: (helpers: TableRelationsHelpers<NameOf<T, 'users'>>) => Users
  accounts?: (helpers: TableRelationsHelpers<NameOf<T, 'accounts'>>) => Accounts
  sessions?: (helpers: TableRelationsHelpers<NameOf<T, 'sessions'>>) => Sessions
  authenticators?: (helpers: TableRelationsHelpers<NameOf<T, 'authenticators'>>) => Authenticators
}

type Owner = 'users' | 'accounts' | 'sessions' | 'authenticators'
type Belonging = Exclude<Owner, 'users'>

/**
 * Returns the relations between the tables, for the schema of Drizzle 0.45. With Drizzle 1.0, import `authRelations` from
 * `drizzle-auth-adapter/relations/v2`.
 *
 * Drizzle allows one set of relations for each table, so pass your own relations of these tables as the second argument.
 *
 * @param tables The tables of the adapter.
 * @param more Your own relations of these tables.
 * @example
 * // relations.ts, Drizzle 0.45
 * import { authRelations } from 'drizzle-auth-adapter/relations'
 * import { accountsTable, authenticatorsTable, posts, sessionsTable, usersTable } from './schema.js'
 *
 * export const { usersRelations, accountsRelations, sessionsRelations, authenticatorsRelations } = authRelations(
 *   { usersTable, accountsTable, sessionsTable, authenticatorsTable },
 *   { users: ({ many }) => ({ posts: many(posts) }) },
 * )
 */
export function authRelations<
  T extends Tables,
  Users extends Record<string, Relation> = Record<never, never>,
  Accounts extends Record<string, Relation> = Record<never, never>,
  Sessions extends Record<string, Relation> = Record<never, never>,
  Authenticators extends Record<string, Relation> = Record<never, never>,
>(
  tables: T,
  more: MoreRelations<T, Users, Accounts, Sessions, Authenticators> = {},
): AuthRelations<T, { users: Users; accounts: Accounts; sessions: Sessions; authenticators: Authenticators }> {
  const { usersTable, accountsTable, sessionsTable, authenticatorsTable } = tables as unknown as Record<string, TableWithUser | undefined>
  const belongings = Object.entries({ accounts: accountsTable, sessions: sessionsTable, authenticators: authenticatorsTable })
  const own = (name: Owner, helpers: object) => more[name]?.(helpers as never) ?? {}
  const users = usersTable as TableWithUser
  const made: Record<string, object> = {
    usersRelations: relations(users, (helpers) => ({
      ...Object.fromEntries(belongings.flatMap(([name, table]) => (table ? [[name, helpers.many(table)]] : []))),
      ...own('users', helpers),
    })),
  }
  for (const [name, table] of belongings)
    if (table)
      made[`${name}Relations`] = relations(table, (helpers) => ({
        user: helpers.one(users, { fields: [table.userId], references: [users.id] }),
        ...own(name as Belonging, helpers),
      }))
  return made as never
}

// Drizzle's types ask a column for the name of its table, which is not known here.
type TableWithUser = Table & Record<'id' | 'userId', never>

type NameOf<T extends Tables, Name extends Owner> = T[`${Name}Table`] extends Table ? T[`${Name}Table`]['_']['name'] : never

/** The names of those tables that are given. */
type Given<T extends Tables> = { [Name in Belonging]: T[`${Name}Table`] extends Table ? Name : never }[Belonging]

/** The relations of each given table. */
export type AuthRelations<T extends Tables, Own extends Record<Owner, unknown>> = {
  usersRelations: RelationsOf<T, 'users', { [Name in Given<T>]: Many<NameOf<T, Name>> } & Own['users']>
} & {
  [Name in Given<T> as `${Name}Relations`]: RelationsOf<T, Name, { user: One<NameOf<T, 'users'>, true> } & Own[Name]>
}

type RelationsOf<T extends Tables, Name extends Owner, Config> =
  Config extends Record<string, Relation> ? Relations<NameOf<T, Name>, Config> : never
