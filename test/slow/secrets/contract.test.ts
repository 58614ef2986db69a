import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { hmac, keys, modes, secretsOf } from '../../integration/secrets/modes.js'
import type { Store } from '../../integration/secrets/stores.js'
import { openStore } from '../../integration/secrets/stores.js'

const settings = [
  ...modes.filter((mode) => mode !== 'plain').map((mode) => ({ name: mode, secrets: secretsOf(mode), peer: undefined })),
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

describe.each(inject('dialects'))('the contract on %s with secrets', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await openStore(dialect)
  })
  afterAll(() => store.close())

  describe.each(settings)('$name', ({ secrets, peer }) => {
    for (const c of adapterContract) test(c.name, () => c.run(store.adapter(secrets), peer ? { peer: store.adapter(peer) } : {}))
  })
})
