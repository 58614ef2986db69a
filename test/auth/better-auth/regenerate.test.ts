import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import type { BetterAuthOptions, BetterAuthPlugin } from 'better-auth'
import { betterAuth } from 'better-auth'
import { admin, organization, twoFactor, username } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { loadSchemaCode, officialGenerators, statementsBetween, withoutRelations } from '../../support/better-auth.js'
import { temporaryFolder } from '../../support/servers/scratch.js'
import { sqlIn } from '../../support/snippets.js'
import { openUnicode } from './store.js'

const date = { type: 'date', required: true } as const
const user = { model: 'user', field: 'id', onDelete: 'cascade' } as const

// As the tables of an OAuth provider: lists, JSON, and rows that go with the rows they refer to.
const grants = {
  id: 'grants',
  schema: {
    oauthClient: {
      fields: {
        clientId: { type: 'string', required: true, unique: true },
        redirectUris: { type: 'string[]', required: true },
        ports: { type: 'number[]', required: false },
        metadata: { type: 'json', required: false },
        userId: { type: 'string', required: false, references: user },
        createdAt: { ...date, defaultValue: () => new Date() },
      },
    },
    oauthConsent: {
      fields: {
        clientId: { type: 'string', required: true, references: { model: 'oauthClient', field: 'clientId', onDelete: 'cascade' } },
        userId: { type: 'string', required: true, references: user },
        scopes: { type: 'string[]', required: true },
        kind: { type: ['once', 'always'], defaultValue: 'once' },
      },
    },
  },
} satisfies BetterAuthPlugin

// What a new plugin can ask of tables that have rows.
const additions = {
  id: 'additions',
  schema: {
    user: {
      fields: {
        tags: { type: 'string[]', required: true, defaultValue: [] },
        settings: { type: 'json', required: true, defaultValue: { theme: `it's "dark"` } },
        joinedAt: { ...date, defaultValue: () => new Date() },
        bio: { type: 'string', required: true, defaultValue: `it's` },
        level: { type: 'number', required: true, defaultValue: 1 },
        code: { type: 'string', required: true },
        handle: { type: 'string', required: true, unique: true, defaultValue: 'none' },
        leaderId: { type: 'string', required: true, references: user },
      },
    },
    device: { fields: { userId: { type: 'string', required: true, references: user, index: true }, seenAt: date } },
  },
} satisfies BetterAuthPlugin

const base: BetterAuthOptions = {
  secret: 'a secret of thirty-two characters',
  baseURL: 'http://localhost',
  emailAndPassword: { enabled: true },
  rateLimit: { storage: 'database', enabled: false },
  plugins: [grants, organization()],
}
const grown: BetterAuthOptions = { ...base, plugins: [grants, organization(), twoFactor(), username(), admin(), additions] }

const client = { clientId: 'app', redirectUris: ['https://a.example', 'b'], ports: [1, 2], metadata: { deep: ['x'] } }

type Adapter = ReturnType<ReturnType<typeof drizzleAdapter>>

async function fill(adapter: Adapter) {
  const now = new Date()
  const data = { name: 'Ada', email: 'ada@example.com', emailVerified: true, createdAt: now, updatedAt: now }
  const { id: userId } = await adapter.create({ model: 'user', data })
  await adapter.create({ model: 'user', data: { ...data, email: 'eve@example.com' } })
  await adapter.create({ model: 'session', data: { userId, token: 't', expiresAt: now, createdAt: now, updatedAt: now } })
  await adapter.create({ model: 'account', data: { userId, accountId: 'a', providerId: 'p', createdAt: now, updatedAt: now } })
  await adapter.create({ model: 'oauthClient', data: { ...client, userId, createdAt: now } })
  await adapter.create({ model: 'oauthConsent', data: { clientId: 'app', userId, scopes: ['openid'] } })
}

const models = ['user', 'session', 'account', 'oauthClient', 'oauthConsent']
const read = async (adapter: Adapter) =>
  Object.fromEntries(await Promise.all(models.map(async (model) => [model, await adapter.findMany({ model })])))

/** What a migration may do to a table with rows. */
const isAddition = /^(CREATE (TABLE|INDEX|UNIQUE INDEX) |ALTER TABLE \S+ ADD )/
const isRebuild = /\b(DROP|MODIFY|ALTER COLUMN|RENAME)\b|__new_/

describe.each(inject('dialects'))('regenerating the schema on %s', (dialect) => {
  /** The file after `npx auth generate`. */
  async function regenerate(db: object, { code, schema }: { code: string; schema: Record<string, unknown> }, options: BetterAuthOptions) {
    const file = join(temporaryFolder('auth-schema-'), 'auth-schema.ts')
    await writeFile(file, code)
    const created = await drizzleAdapter(db, { schema })(options).createSchema?.(options, file)
    return created?.code || code
  }

  async function openWith(name: keyof typeof officialGenerators) {
    const code = withoutRelations(await officialGenerators[name](dialect, base))
    const before = { code, ...(await loadSchemaCode(code, dialect)) }
    const store = await openUnicode(dialect, before.statements)
    onTestFinished(store.close)
    return { ...store, before }
  }

  test.each(['main', 'relations-v2'] as const)('only adds to the tables of the official generator (%s)', async (name) => {
    const { db, exec, run, before, quote } = await openWith(name)
    await fill(officialAdapter(db, { provider: dialect, schema: before.schema })(base) as Adapter)
    const rows = async () => Object.fromEntries(await Promise.all(models.map(async (model) => [model, await rowsOf(model)])))
    const rowsOf = (model: string) =>
      run(`select * from ${quote(model.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))} order by id`)
    const stored = await rows()
    const seen = await read(drizzleAdapter(db, { schema: before.schema })(base))

    let last = before
    for (const options of [base, grown]) {
      const code = await regenerate(db, last, options)
      const next = { code, ...(await loadSchemaCode(code, dialect)) }
      const statements = await statementsBetween(dialect, last.snapshot, next.snapshot)
      for (const statement of statements) {
        expect(statement).toMatch(isAddition)
        expect(statement).not.toMatch(isRebuild)
        await exec(statement)
      }
      expect(await rows()).toMatchObject(stored)
      const adapter = drizzleAdapter(db, { schema: next.schema })(options)
      expect(await read(adapter)).toMatchObject(seen)
      last = next
    }
    expect(seen.oauthClient).toMatchObject([client])
    // What docs/better-auth-moving.md asks before the accounts get a unique index.
    for (const query of await sqlIn('docs/better-auth-moving.md')) expect(await run(query)).toEqual([])

    const adapter = drizzleAdapter(db, { schema: last.schema })(grown)
    const started = Date.now()
    for (const row of await adapter.findMany<Record<string, unknown>>({ model: 'user' })) {
      expect(row).toMatchObject({ tags: [], settings: { theme: `it's "dark"` }, bio: `it's`, level: 1, code: null, handle: null })
      expect(Math.abs(Number(row.joinedAt) - started)).toBeLessThan(120_000)
    }
    const auth = betterAuth({ ...grown, database: drizzleAdapter(db, { schema: last.schema }) })
    expect(auth.options.plugins).toHaveLength(6)

    // The next time there is nothing to add, and the file stays the same.
    expect(await regenerate(db, last, grown)).toBe(last.code)
  })
})
