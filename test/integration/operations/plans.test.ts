// Needs SQLite.
import { deleteExpired } from 'drizzle-auth-adapter'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { makeAdapter, openSqlite } from '../../support/databases.js'
import * as tables from '../../support/schema/sqlite.js'

// The default tables have the same indexes on each database, and SQLite uses them on empty tables, too.
describe.runIf(inject('dialects').includes('sqlite'))('query plans on SQLite', () => {
  const queries: { query: string; params: unknown[] }[] = []
  let opened: Awaited<ReturnType<typeof openSqlite>>
  beforeAll(async () => {
    opened = await openSqlite({ logger: { logQuery: (query, params) => void queries.push({ query, params }) } })
  })
  afterAll(() => opened.close())

  /** What SQLite does for each statement of a call, such as `SEARCH session USING INDEX session_userId_idx (userId=?)`. */
  async function stepsOf(call: () => Promise<unknown>): Promise<string[]> {
    queries.length = 0
    await call().catch(({ kind }) => expect(kind).toBe('not-found'))
    expect(queries.length).toBeGreaterThan(0)
    const explain = ({ query, params }: (typeof queries)[number]) =>
      opened.client.prepare(`explain query plan ${query}`).all(...params) as { detail: string }[]
    return queries.flatMap(explain).map(({ detail }) => detail)
  }

  async function expectIndexes(calls: Record<string, () => Promise<unknown>>) {
    for (const [name, call] of Object.entries(calls)) {
      const steps = await stepsOf(call)
      expect(steps.join('\n'), name).toMatch(/INDEX/)
      expect(steps.join('\n'), name).not.toMatch(/^SCAN/m)
    }
  }

  test('of every operation use an index for each table', async () => {
    const adapter = makeAdapter(opened.db, tables)
    const key = { provider: 'p', providerAccountId: 'a' }
    await expectIndexes({
      getUser: () => adapter.getUser('u'),
      getUserByEmail: () => adapter.getUserByEmail('e'),
      getUserByAccount: () => adapter.getUserByAccount(key),
      updateUser: () => adapter.updateUser({ id: 'u', name: 'x' }),
      deleteUser: () => adapter.deleteUser('u'),
      getAccount: () => adapter.getAccount('a', 'p'),
      unlinkAccount: async () => adapter.unlinkAccount(key),
      useVerificationToken: () => adapter.useVerificationToken({ identifier: 'i', token: 'k' }),
      getAuthenticator: () => adapter.getAuthenticator('c'),
      listAuthenticatorsByUserId: () => adapter.listAuthenticatorsByUserId('u'),
      updateAuthenticatorCounter: () => adapter.updateAuthenticatorCounter('c', 1),
    })
  })

  test('for session tokens use an index, also for each form while they are being hashed', async () => {
    for (const options of [{}, { secrets: secretsAtRest({ sessionTokens: 'migrating' }) }]) {
      const adapter = makeAdapter(opened.db, tables, options)
      await expectIndexes({
        getSessionAndUser: () => adapter.getSessionAndUser('s'),
        updateSession: async () => adapter.updateSession({ sessionToken: 's', expires: new Date() }),
        deleteSession: async () => adapter.deleteSession('s'),
      })
    }
  })

  test('of deleteExpired use the index on the expiry', async () => {
    const steps = await stepsOf(() => deleteExpired(opened.db, tables))
    expect(steps.filter((step) => /_expires_idx/.test(step))).toHaveLength(2)
    expect(steps.filter((step) => step.startsWith('SCAN first_rows') === false && step.startsWith('SCAN'))).toEqual([])
  })
})
