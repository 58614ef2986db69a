import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { secretsOf } from '../../integration/secrets/modes.js'
import type { Store } from '../../integration/secrets/stores.js'
import { openStore } from '../../integration/secrets/stores.js'
import type { Callers } from './callers.js'
import { openCallers } from './callers.js'
import { names, runScenario } from './scenarios.js'

describe.each(inject('dialects'))('accessTokens in several processes, on %s', (dialect) => {
  let store: Store
  let callers: Callers
  beforeAll(async () => {
    store = await openStore(dialect)
    callers = await openCallers(dialect)
  })
  afterAll(async () => {
    await callers.close()
    await store.close()
  })

  // Concurrent, because they mostly wait for leases to end.
  test.concurrent.each(names)('%s', { timeout: 180_000 }, (name) =>
    runScenario(name, { callers, urls: [store.url, store.url, store.url], adapter: store.adapter(secretsOf('final')) }),
  )
})
