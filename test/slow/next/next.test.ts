// Needs PostgreSQL.
import { beforeAll, describe, inject, test } from 'vitest'
import { installNext, visitAccount } from './app.js'

// The packages are those of Drizzle 0.45, whatever the test runs on.
describe.runIf(process.env.DRIZZLE === '0.45' && inject('dialects').includes('pg'))('an app of Next.js', () => {
  let next: Awaited<ReturnType<typeof installNext>>
  beforeAll(async () => {
    next = await installNext()
  }, 320_000)

  // The recipes of docs/recipes.md: proxy.ts alone, and the split configuration.
  test.each(['next', 'next-split'])('with the recipe %s lets only signed-in users in', { timeout: 400_000 }, (recipe) =>
    visitAccount(next, recipe),
  )
})
