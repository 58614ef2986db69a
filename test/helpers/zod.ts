import { describe, expect, test } from 'vitest'
import { defineTables as mysql } from '../../src/mysql/index.js'
import { defineTables as pg } from '../../src/pg/index.js'
import { defineTables as sqlite } from '../../src/sqlite/index.js'

interface Schema {
  safeParse(value: unknown): { success: boolean; error?: { issues: { path: PropertyKey[] }[] } | undefined }
}

const user = { id: 'u1', email: 'ada@example.com', name: 'Ada', emailVerified: new Date() }
const account = { userId: 'u1', type: 'oidc', provider: 'github', providerAccountId: '1', access_token: 'a'.repeat(5_000), expires_at: 1 }

/** What drizzle-zod makes of the default tables. */
export function describeZod(createInsertSchema: (table: never) => unknown): void {
  const schemaOf = (table: unknown) => createInsertSchema(table as never) as Schema
  /** The columns whose values are refused. */
  const refused = (schema: Schema, value: object) => schema.safeParse(value).error?.issues.map(({ path }) => path[0]) ?? []

  describe.each(Object.entries({ pg: pg(), mysql: mysql(), sqlite: sqlite() }))('createInsertSchema on %s', (dialect, tables) => {
    const users = schemaOf(tables.usersTable)
    const accounts = schemaOf(tables.accountsTable)

    test('takes what can be stored', () => {
      expect(refused(users, user)).toEqual([])
      expect(refused(users, { id: 'u1', email: 'a' })).toEqual([])
      expect(refused(users, { ...user, email: 'é'.repeat(255) })).toEqual([])
      expect(refused(accounts, account)).toEqual([])
    })

    test('refuses what is no text, in keys and in other columns', () => {
      for (const wrong of [1, {}, [], true, new Date(), new Uint8Array(1)]) {
        expect(refused(users, { ...user, email: wrong })).toEqual(['email'])
        expect(refused(users, { ...user, id: wrong, name: wrong })).toEqual(['id', 'name'])
        expect(refused(accounts, { ...account, providerAccountId: wrong, scope: wrong })).toEqual(['providerAccountId', 'scope'])
      }
      expect(refused(users, { id: 'u1' })).toEqual(['email'])
      expect(refused(users, { ...user, email: null, emailVerified: 'now' })).toEqual(['email', 'emailVerified'])
    })

    // Text of the other two has no limit.
    const isLimited = dialect === 'mysql'
    test(isLimited ? 'refuses keys that are too long' : 'takes keys of any length', () => {
      expect(refused(users, { ...user, email: 'a'.repeat(1020) })).toEqual([])
      expect(refused(users, { ...user, email: 'a'.repeat(1021) })).toEqual(isLimited ? ['email'] : [])
      expect(refused(accounts, { ...account, providerAccountId: 'a'.repeat(2048) })).toEqual([])
      const long = { ...account, providerAccountId: 'a'.repeat(2049), userId: 'a'.repeat(1021) }
      expect(refused(accounts, long)).toEqual(isLimited ? ['userId', 'providerAccountId'] : [])
    })
  })
}
