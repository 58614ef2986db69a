import { beforeAll, describe, inject, test } from 'vitest'
import { initAndSignIn, installNext, visitAccount } from './app.js'

// The packages are those of Drizzle 0.45, whatever the test runs on.
describe.runIf(process.env.DRIZZLE === 'drizzle 0.45')('an app of Next.js', () => {
  let next: Awaited<ReturnType<typeof installNext>>
  beforeAll(async () => {
    next = await installNext()
  }, 320_000)

  const others = inject('dialects').filter((dialect) => dialect !== 'pg')
  test.each(others)('with Drizzle on %s signs a user in after init', { timeout: 400_000 }, (dialect) => initAndSignIn(next, dialect))

  test.runIf(inject('dialects').includes('pg'))(
    'with proxy.ts of docs/recipes.md lets signed-in users in alone',
    { timeout: 400_000 },
    () => visitAccount(next, 'next'),
  )
})
