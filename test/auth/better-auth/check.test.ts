import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth'
import { twoFactor } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import * as mysql from '../../support/schema/mysql.js'
import * as pg from '../../support/schema/pg.js'
import * as sqlite from '../../support/schema/sqlite.js'
import { openStore } from './store.js'

const authjs = { pg, mysql, sqlite }

const options: BetterAuthOptions = {
  secret: 'a secret of thirty-two characters',
  baseURL: 'http://localhost',
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
}
const body = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery staple' }

describe.each(inject('dialects'))('the check of the schema on %s', (dialect) => {
  async function open() {
    const store = await openStore(dialect)
    onTestFinished(store.close)
    await store.migrate(options)
    const schema = await store.schemaFor(options)
    const count = () => drizzleAdapter(store.db, { schema })(options).count({ model: 'user' })
    return { ...store, schema, count }
  }

  test('names all that is missing before the first operation', async () => {
    const { db, schema: full, count } = await open()
    const { session, ...schema } = full
    const auth = betterAuth({ ...options, plugins: [twoFactor()], database: drizzleAdapter(db, { schema }) })
    for (const _attempt of [1, 2])
      await expect(auth.api.signUpEmail({ body })).rejects.toThrow(
        /Missing tables\s+session, twoFactor\s+Missing columns\s+user\.twoFactorEnabled/,
      )
    expect(await count()).toBe(0)
    const complete = betterAuth({ ...options, database: drizzleAdapter(db, { schema: full }) })
    expect((await complete.api.signUpEmail({ body })).user.email).toBe(body.email)
  })

  const message = (database: ReturnType<typeof drizzleAdapter>) =>
    betterAuth({ ...options, database })
      .api.signUpEmail({ body })
      .then(
        () => 'signed up',
        (thrown: Error) => thrown.message,
      )

  test('names usePlural if that explains what is missing', async () => {
    const { db, schema } = await open()
    const plural = Object.fromEntries(Object.entries(schema).map(([name, table]) => [`${name}s`, table]))
    expect(await message(drizzleAdapter(db, { schema: plural }))).toMatch(/your schema exports users, .*: set usePlural: true/)
    expect(await message(drizzleAdapter(db, { schema, usePlural: true }))).toMatch(/your schema exports user, .*: remove usePlural/)
    expect(await message(drizzleAdapter(db, { schema: plural, usePlural: true }))).toBe('signed up')
  })

  test('names the function for tables of Auth.js, unless the options name their columns', async () => {
    const { db } = await open()
    const tables = { ...authjs[dialect] }
    const { usersTable: user, accountsTable: account, sessionsTable: session, verificationTokensTable: verification } = tables
    const hint = /these are tables of Auth\.js\. For Auth\.js: import { DrizzleAdapter } from 'drizzle-auth-adapter'/
    for (const schema of [tables, { user, account, session, verification }])
      expect(await message(drizzleAdapter(db, { schema }))).toMatch(hint)
    expect(() => drizzleAdapter(db, tables as never)).toThrow(hint)
    const named = { session: { fields: { token: 'sessionToken' } }, account: { fields: { accountId: 'providerAccountId' } } }
    const auth = betterAuth({ ...options, ...named, database: drizzleAdapter(db, { schema: { user, account, session } }) })
    await expect(auth.api.signUpEmail({ body })).rejects.toThrow(/Missing tables\s+verification/)
  })

  test('can be switched off', async () => {
    const { db, schema: full, count } = await open()
    const { session, ...schema } = full
    const unchecked = { ...options, advanced: { database: { validateSchema: false } } }
    const auth = betterAuth({ ...unchecked, database: drizzleAdapter(db, { schema }) })
    await expect(auth.api.signUpEmail({ body })).rejects.toThrow()
    expect(await count()).toBe(1)
  })
})
