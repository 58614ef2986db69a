import type { Secrets } from 'drizzle-auth-adapter/secrets'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { secretsOf } from './modes.js'
import type { Store } from './stores.js'
import { openStore } from './stores.js'

describe.each(inject('dialects'))('the cases about secrets at rest on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect)
  })
  afterAll(() => store.close())

  const cases = (secrets?: Secrets) => {
    const adapter = store.adapter(secrets)
    const stored = {
      sessions: () => store.rows('session'),
      accounts: () => store.rows('account'),
      sessionToken: /^s1\.[\w-]{43}$/,
      accountToken: /^e1\.2026b\.[\w-]{38,}$/,
    }
    const found = casesFor(adapter, { stored }).filter(({ topic }) => topic === 'secrets at rest')
    expect(found).not.toEqual([])
    return found.map(({ name, run }) => ({ name, run: () => run(adapter) }))
  }

  test('pass if tokens are protected', async () => {
    for (const mode of ['migrating', 'final'] as const) for (const { run } of cases(secretsOf(mode))) await run()
  })

  test('each fail if tokens are not protected', async () => {
    for (const { name, run } of cases()) await expect(run(), name).rejects.toThrow()
  })
})
