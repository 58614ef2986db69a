import { beforeAll, describe, inject, test } from 'vitest'
import { initAndSignIn, installNext, visitAccount } from './app.js'

const dialects = inject('dialects')

// The packages are those of Drizzle 0.45, whatever the test runs on.
describe.runIf(process.env.DRIZZLE === '0.45')('an app of Next.js', () => {
  let next: Awaited<ReturnType<typeof installNext>>
  beforeAll(async () => {
    next = await installNext()
  }, 320_000)

  test.each(dialects)('with Drizzle on %s signs a user in after init', { timeout: 400_000 }, (dialect) => initAndSignIn(next, dialect))

  // The recipes of docs/recipes.md: proxy.ts alone, and the split configuration.
  test.runIf(dialects.includes('pg')).each(['next', 'next-split'])(
    'with the recipe %s lets only signed-in users in',
    { timeout: 400_000 },
    (recipe) => visitAccount(next, recipe),
  )
})
