import { defineTables as mysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as pg } from 'drizzle-auth-adapter/pg'
import { defineTables as sqlite } from 'drizzle-auth-adapter/sqlite'
import { describe, expect, test } from 'vitest'

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: PropertyKey[] }[] } | undefined }
}

const user = { id: 'u1', email: 'ada@example.com', name: 'Ada', emailVerified: new Date() }
const account = { userId: 'u1', type: 'oidc', provider: 'github', providerAccountId: '1', access_token: 'a'.repeat(5_000), expires_at: 1 }

/** Defines the tests of the schemas that drizzle-zod derives from the default tables. */
export function describeZod(createInsertSchema: (table: never) => unknown): void {
  const schemaOf = (table: unknown) => createInsertSchema(table as never) as Schema
  /** The columns whose values are rejected. */
  const rejected = (schema: Schema, value: object) => schema.safeParse(value).error?.issues.map(({ path }) => path[0]) ?? []

  describe.each(Object.entries({ pg: pg(), mysql: mysql(), sqlite: sqlite() }))('createInsertSchema on %s', (dialect, tables) => {
    const users = schemaOf(tables.usersTable)
    const accounts = schemaOf(tables.accountsTable)

    test('accepts what can be stored', () => {
      expect(rejected(users, user)).toEqual([])
      expect(rejected(users, { id: 'u1', email: 'a' })).toEqual([])
      expect(rejected(users, { ...user, email: 'é'.repeat(255) })).toEqual([])
      expect(rejected(accounts, account)).toEqual([])
    })

    test('rejects values that are not text, in keys and in other columns', () => {
      for (const wrong of [1, {}, [], true, new Date(), new Uint8Array(1)]) {
        expect(rejected(users, { ...user, email: wrong })).toEqual(['email'])
        expect(rejected(users, { ...user, id: wrong, name: wrong })).toEqual(['id', 'name'])
        expect(rejected(accounts, { ...account, providerAccountId: wrong, scope: wrong })).toEqual(['providerAccountId', 'scope'])
      }
      expect(rejected(users, { id: 'u1' })).toEqual(['email'])
      expect(rejected(users, { ...user, email: null, emailVerified: 'now' })).toEqual(['email', 'emailVerified'])
    })

    // On PostgreSQL and SQLite, text has no length limit.
    const isLimited = dialect === 'mysql'
    test(isLimited ? 'rejects keys that are too long' : 'accepts keys of any length', () => {
      expect(rejected(users, { ...user, email: 'a'.repeat(1020) })).toEqual([])
      expect(rejected(users, { ...user, email: 'a'.repeat(1021) })).toEqual(isLimited ? ['email'] : [])
      expect(rejected(accounts, { ...account, providerAccountId: 'a'.repeat(2048) })).toEqual([])
      const long = { ...account, providerAccountId: 'a'.repeat(2049), userId: 'a'.repeat(1021) }
      expect(rejected(accounts, long)).toEqual(isLimited ? ['userId', 'providerAccountId'] : [])
    })
  })
}
