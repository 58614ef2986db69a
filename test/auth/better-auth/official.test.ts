import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { betterAuthCaseOptions, betterAuthCases } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openOfficial } from './store.js'

// What its tables cannot hold: an index of accounts, ids of more than 36 characters, and dates after 2038 on MySQL.
const withoutTables = [/^an account of a provider/, /^ids of 64/]
const onMysql = [...withoutTables, /^dates beyond 2038/]

describe.each(inject('dialects'))("the official adapter's tables on %s", (dialect) => {
  let store: Awaited<ReturnType<typeof openOfficial>>

  beforeAll(async () => {
    store = await openOfficial(dialect)
  })
  afterAll(() => store.close())

  const options = {
    ...betterAuthCaseOptions,
    emailAndPassword: { enabled: true },
    secret: 'a secret of thirty-two characters',
    baseURL: 'http://localhost',
  }
  const ours = () => drizzleAdapter(store.db, { schema: store.schema })

  const account = { email: 'ada@example.com', password: 'correct horse battery staple' }

  async function signUp() {
    const auth = betterAuth({ ...options, database: officialAdapter(store.db, { provider: dialect, schema: store.schema }) })
    const { headers } = await auth.api.signUpEmail({ body: { ...account, name: 'Ada' }, returnHeaders: true })
    const cookies = headers.getSetCookie().map((each) => each.split(';')[0])
    return { auth, headers: new Headers({ cookie: cookies.join('; ') }) }
  }

  test('keep their users and sessions after the change of one import', async () => {
    const { auth: before, headers } = await signUp()
    const after = betterAuth({ ...options, database: ours() })
    const session = await after.api.getSession({ headers })
    expect(session?.user.email).toBe(account.email)
    expect((await after.api.signInEmail({ body: account })).user.email).toBe(account.email)
    await expect(after.api.signUpEmail({ body: { ...account, name: 'Eve' } })).rejects.toThrow(/already exists/i)
    await after.api.signOut({ headers })
    expect(await before.api.getSession({ headers })).toBeNull()
  })

  const leftOut = dialect === 'mysql' ? onMysql : withoutTables
  const cases = betterAuthCases.filter(({ name }) => !leftOut.some((each) => each.test(name)))
  test.each(cases)('$name', ({ run }) => run(ours()(options)))
})
