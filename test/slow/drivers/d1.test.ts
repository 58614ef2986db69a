// Needs SQLite.
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { drizzle } from 'drizzle-orm/d1'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { migrationsOf } from '../../support/migrations.js'
import { root } from '../../support/root.js'
import * as tables from '../../support/schema/sqlite.js'

// miniflare is a dependency of the matrix only.
const { Miniflare } = createRequire(join(root, 'lab/matrix', 'package.json'))('miniflare')

describe.runIf(inject('dialects').includes('sqlite'))('an error of D1', () => {
  test('names the column that it is about', async () => {
    const miniflare = new Miniflare({ modules: true, script: 'export default {}', d1Databases: ['DB'] })
    onTestFinished(() => miniflare.dispose())
    const client = await miniflare.getD1Database('DB')
    for (const statement of await migrationsOf('sqlite')) await client.prepare(statement).run()
    const adapter = DrizzleAdapter(drizzle(client), tables)
    await adapter.createUser({ email: 'ada@example.com' })
    const duplicate = adapter.createUser({ email: 'ada@example.com' })
    await expect(duplicate).rejects.toMatchObject({ kind: 'duplicate', table: 'user', column: 'email' })
  })
})

describe.runIf(inject('dialects').includes('sqlite'))('Better Auth on D1', () => {
  test('finds the members of a list that is longer than the 100 parameters of a statement', async () => {
    const miniflare = new Miniflare({ modules: true, script: 'export default {}', d1Databases: ['DB'] })
    onTestFinished(() => miniflare.dispose())
    const client = await miniflare.getD1Database('DB')
    await client.prepare('create table rate_limit (id text primary key, key text unique, count integer, last_request integer)').run()
    const rateLimit = sqliteTable('rate_limit', {
      id: text('id').primaryKey(),
      key: text('key').unique(),
      count: integer('count'),
      lastRequest: integer('last_request'),
    })
    const adapter = drizzleAdapter(drizzle(client), { schema: { rateLimit } })({ rateLimit: { storage: 'database' } })
    for (const count of [1, 2, 3]) await adapter.create({ model: 'rateLimit', data: { key: `${count}`, count, lastRequest: 0 } })
    const value = Array.from({ length: 10_000 }, (_, index) => `${index + 2}`)
    const found = await adapter.findMany<{ count: number }>({ model: 'rateLimit', where: [{ field: 'key', operator: 'in', value }] })
    expect(found.map(({ count }) => count).sort()).toEqual([2, 3])
  })
})
