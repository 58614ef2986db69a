import { createRequire } from 'node:module'
import { join } from 'node:path'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/d1'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { migrationsOf } from '../support/migrations.js'
import { root } from '../support/root.js'
import * as tables from '../support/schema/sqlite.js'

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
