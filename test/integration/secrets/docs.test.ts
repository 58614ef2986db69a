import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../support/root.js'
import { inAnHour } from './modes.js'
import { openStore } from './stores.js'

/** The statement of docs/secrets.md that deletes hashed sessions, for databases that quote names with this character. */
async function statementWith(quote: string): Promise<string> {
  const page = await readFile(join(root, 'docs/secrets.md'), 'utf8')
  return (
    page.split('\n').find((line) => line.startsWith(`delete from ${quote}session${quote}`)) ?? expect.fail('docs/secrets.md shows none')
  )
}

describe.each(inject('dialects'))('docs/secrets.md on %s', (dialect) => {
  test('has a statement for the way back that deletes hashed sessions and no plain ones', async () => {
    const store = await openStore(dialect)
    onTestFinished(store.close)
    const plain = store.adapter()
    const { id: userId } = await plain.createUser({ email: 'ada@example.com' })
    await plain.createSession({ sessionToken: 'plain', userId, expires: inAnHour() })
    for (const sessionTokens of ['hashed', { mode: 'hashed', hmac: 'a secret of 32 characters or more' }] as const)
      await store
        .adapter(secretsAtRest({ sessionTokens }))
        .createSession({ sessionToken: crypto.randomUUID(), userId, expires: inAnHour() })
    expect(await store.rows('session')).toHaveLength(3)
    await store.exec(await statementWith(store.quote('').charAt(0)))
    expect(await store.rows('session')).toMatchObject([{ sessionToken: 'plain' }])
  })
})
