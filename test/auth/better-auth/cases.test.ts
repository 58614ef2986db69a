import type { BetterAuthAdapter } from 'drizzle-auth-adapter/testing'
import { betterAuthCaseOptions, betterAuthCases } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { openStore } from './store.js'

describe.each(inject('dialects'))('the cases for Better Auth on %s', (dialect) => {
  let store: Awaited<ReturnType<typeof openStore>>
  let adapter: BetterAuthAdapter

  beforeAll(async () => {
    store = await openStore(dialect)
    await store.migrate(betterAuthCaseOptions)
    adapter = (await store.adapterFor(betterAuthCaseOptions))(betterAuthCaseOptions)
  })
  afterAll(() => store.close())

  test.each(betterAuthCases)('$name', ({ run }) => run(adapter))
})
