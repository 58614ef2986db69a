// Needs Drizzle 1.0.
import Database from 'better-sqlite3'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { authRelations } from 'drizzle-auth-adapter/relations/v2'
import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { defineRelations } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { expect, onTestFinished, test } from 'vitest'
import { migrationsOf } from '../../support/migrations.js'

const { usersTable, accountsTable, sessionsTable, authenticatorsTable } = defineTables()
const posts = sqliteTable('posts', { id: integer().primaryKey(), authorId: text().notNull(), title: text().notNull() })

async function openClient() {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  client.exec('create table posts (id integer primary key, authorId text not null, title text not null)')
  return client
}

test('users can be queried with their rows, and the app can add its own relations', async () => {
  const relations = defineRelations({ usersTable, accountsTable, sessionsTable, authenticatorsTable, posts }, (r) => {
    const auth = authRelations(r)
    return {
      ...auth,
      usersTable: { ...auth.usersTable, posts: r.many.posts({ from: r.usersTable.id, to: r.posts.authorId }) },
      posts: { author: r.one.usersTable({ from: r.posts.authorId, to: r.usersTable.id }) },
    }
  })
  const db = drizzle({ client: await openClient(), relations })
  const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable })
  const ada = await adapter.createUser({ email: 'ada@example.com' })
  await adapter.createUser({ email: 'eva@example.com' })
  await adapter.linkAccount({ userId: ada.id, type: 'oauth', provider: 'github', providerAccountId: '1' })
  const session = await adapter.createSession({ sessionToken: 's', userId: ada.id, expires: new Date('2030-01-01') })
  await db.insert(posts).values({ authorId: ada.id, title: 'Notes' })

  const people = await db.query.usersTable.findMany({
    with: { accounts: true, sessions: true, authenticators: true, posts: true },
    orderBy: { email: 'asc' },
  })
  const titles: string[] = people.flatMap((person) => person.posts.map((post) => post.title))
  const providers: string[] = people.flatMap((person) => person.accounts.map((account) => account.provider))
  expect({ titles, providers }).toEqual({ titles: ['Notes'], providers: ['github'] })
  expect(people.map(({ sessions }) => sessions)).toEqual([[session], []])
  expect(people.map(({ authenticators }) => authenticators)).toEqual([[], []])

  const found = await db.query.sessionsTable.findFirst({ with: { user: true } })
  const email: string | undefined = found?.user.email
  expect(email).toBe('ada@example.com')
})
