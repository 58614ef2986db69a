import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth'
import { twoFactor } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openStore } from './store.js'

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
    for (const attempt of [1, 2]) {
      const error = await auth.api.signUpEmail({ body }).then(
        () => undefined,
        (thrown: Error) => thrown.message,
      )
      expect(error, `attempt ${attempt}`).toMatch(/Missing tables\s+session, twoFactor\s+Missing columns\s+user\.twoFactorEnabled/)
    }
    expect(await count()).toBe(0)
    const complete = betterAuth({ ...options, database: drizzleAdapter(db, { schema: full }) })
    expect((await complete.api.signUpEmail({ body })).user.email).toBe(body.email)
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
