import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
import { betterAuth } from 'better-auth'
import Database from 'better-sqlite3'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { sql } from 'drizzle-orm'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../support/root.js'
import { openWith } from './drivers.js'

const { createClient } = createRequire(join(root, 'lab/matrix/package.json'))('@libsql/client')

const options = {
  secret: 'a secret of thirty-two characters',
  baseURL: 'http://localhost',
  emailAndPassword: { enabled: true },
} satisfies BetterAuthOptions
const now = new Date()
const newUser = (name: string) => ({ name, email: `${name}@example.com`, emailVerified: true, createdAt: now, updatedAt: now })

interface App {
  run(query: unknown): Promise<unknown>
  transaction<T>(run: (tx: App) => Promise<T>): Promise<T>
}

async function open() {
  const store = await openWith('libsql', 'sqlite')
  onTestFinished(async () => void (await store.close()))
  await store.migrate(options)
  await store.exec('create table note (text text)')
  const schema = await store.schemaFor(options)
  const config = { schema, transaction: true }
  const adapter = drizzleAdapter(store.db, config)(options)
  return { ...store, config, adapter, app: store.db as unknown as App }
}

/** Makes a statement of the app fail because of a lock. libSQL's client then leaves it unfinished. */
const failOnLock = (app: App) => expect(app.run(sql`insert into note values ('lost')`)).rejects.toThrow()

/** Until everything that is under way waits for a timer. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe.runIf(inject('dialects').includes('sqlite'))('transactions on libSQL', () => {
  test('wait for each other', async () => {
    const { db, config, adapter } = await open()
    const auth = betterAuth({ ...options, database: drizzleAdapter(db, config) })
    const people = Array.from({ length: 3 }, (_, index) => `user${index}@example.com`)
    await Promise.all(people.map((email) => auth.api.signUpEmail({ body: { email, name: 'Ada', password: 'correct horse battery' } })))
    expect(await adapter.count({ model: 'user' })).toBe(people.length)
    expect(await adapter.count({ model: 'account' })).toBe(people.length)
  })

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
      await inner.create({ model: 'user', data: newUser('Ada') })
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

  test('are not ended by calls outside of them', async () => {
    const { adapter, app } = await open()
    await adapter.transaction(async (inner) => {
      await inner.create({ model: 'user', data: newUser('Ada') })
      await failOnLock(app)
      expect(await adapter.count({ model: 'user' })).toBe(0)
      await inner.create({ model: 'user', data: newUser('Eve') })
    })
    expect(await adapter.count({ model: 'user' })).toBe(2)
  })

  test('do not end those of the app', async () => {
    const { adapter, app, file } = await open()
    await adapter.count({ model: 'user' })
    await app.transaction(async (tx) => {
      await tx.run(sql`insert into note values ('first')`)
      await failOnLock(app)
      expect(await adapter.count({ model: 'user' })).toBe(0)
      await tx.run(sql`insert into note values ('second')`)
    })
    await adapter.create({ model: 'user', data: newUser('Ada') })
    // SQLite's locks are those of the process, so another SQLite is opened only now.
    const rival = new Database(file)
    onTestFinished(() => void rival.close())
    expect(rival.prepare('select text from note').all()).toEqual([{ text: 'first' }, { text: 'second' }])
    expect(rival.prepare('select name from user').all()).toEqual([{ name: 'Ada' }])
  })

  test('continue on new connections if a statement is unfinished on all of them', async () => {
    const { db, config, app, adapter, file } = await open()
    await adapter.count({ model: 'user' })
    const rival = createClient({ url: `file:${file}` })
    onTestFinished(() => rival.close())
    const lock = await rival.transaction('write')
    await Promise.all(Array.from({ length: 20 }, () => failOnLock(app)))
    await lock.rollback()
    // Not enough tries for the statements to be garbage-collected in between.
    const impatient = drizzleAdapter(db, { ...config, retry: { tries: 2 } })(options)
    await impatient.transaction(async (inner) => void (await inner.create({ model: 'user', data: newUser('Ada') })))
    expect(await impatient.count({ model: 'user' })).toBe(1)
  })
})
