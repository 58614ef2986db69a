import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openWith } from '../../auth/better-auth/drivers.js'

const options: BetterAuthOptions = {}
const now = new Date()
const user = { name: 'Ada', email: 'ada@example.com', emailVerified: true, createdAt: now, updatedAt: now }

interface App {
  transaction<T>(run: (tx: App) => Promise<T>): Promise<T>
}

async function open() {
  const store = await openWith('libsql', 'sqlite')
  onTestFinished(async () => void (await store.close()))
  await store.migrate(options)
  const schema = await store.schemaFor(options)
  const config = { schema, transaction: true }
  const adapter = drizzleAdapter(store.db, config)(options)
  return { ...store, config, adapter, app: store.db as unknown as App }
}

/** Until everything that is under way waits for a timer. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe.runIf(inject('dialects').includes('sqlite'))('transactions on libSQL', () => {
  /** A transaction of the app that holds the lock until it is told to end. */
  async function lock(app: App) {
    let end = () => {}
    const held = new Promise<void>((resolve) => {
      end = resolve
    })
    let ended: Promise<void> | undefined
    await new Promise<void>((begun) => {
      ended = app.transaction(async () => {
        begun()
        await held
      })
    })
    return async () => {
      end()
      await ended
    }
  }

  test('wait for one that has begun, and run once', async () => {
    const { adapter, app } = await open()
    await adapter.count({ model: 'user' })
    const unlock = await lock(app)
    let calls = 0
    const creating = adapter.transaction(async (inner) => {
      calls++
      await inner.create({ model: 'user', data: user })
    })
    await turn()
    expect(calls).toBe(0)
    await unlock()
    await creating
    expect(calls).toBe(1)
    expect(await adapter.count({ model: 'user' })).toBe(1)
  })

  test('give up if the database stays locked', async () => {
    const { db, config, app } = await open()
    const unlock = await lock(app)
    onTestFinished(unlock)
    const impatient = drizzleAdapter(db, { ...config, retry: { tries: 2 } })(options)
    await expect(impatient.transaction(async () => {})).rejects.toMatchObject({ operation: 'transaction', kind: 'conflict' })
  })
})
