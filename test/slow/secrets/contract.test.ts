import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { hmac, keys, secretsOf } from '../../integration/secrets/modes.js'
import type { Store } from '../../integration/secrets/stores.js'
import { openStore } from '../../integration/secrets/stores.js'

const settings = [
  { name: 'final with an HMAC', secrets: secretsAtRest({ sessionTokens: { mode: 'hashed', hmac } }), peer: undefined },
  // Two adjacent modes at the same time, as in a rolling deploy.
  { name: 'plain and ready', secrets: secretsOf('plain'), peer: secretsOf('ready') },
  { name: 'ready and migrating', secrets: secretsOf('ready'), peer: secretsOf('migrating') },
  {
    name: 'migrating and final',
    secrets: secretsAtRest({ accountTokens: { keys }, sessionTokens: 'hashed' }),
    peer: secretsOf('migrating'),
  },
]

// While one form is replaced by the other, calls that want the same token may all fail. No two of them succeed.
const mayAllFail = 'createSession creates one session for a token that many want'

describe.each(inject('dialects'))('the contract on %s with secrets', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect)
  })
  afterAll(() => store.close())

  describe.each(settings)('$name', ({ name, secrets, peer }) => {
    const cases = adapterContract.filter((c) => name !== 'ready and migrating' || c.name !== mayAllFail)
    for (const c of cases) test(c.name, () => c.run(store.adapter(secrets), peer ? { peer: store.adapter(peer) } : {}))
  })
})
