import { setImmediate, setTimeout } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import type { AnyAdapter } from './database.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import { countRows, createUserWithRows, defineTableSet, kinds, noRows } from './foreign-keys.js'

const kindsOf = (results: PromiseSettledResult<unknown>[]) => [
  ...new Set(results.map((result) => (result.status === 'rejected' ? result.reason.kind : 'done'))),
]

describe.each(inject('dialects'))('concurrent deleteUser on %s', (dialect) => {
  const tableSets = kinds.map((kind, index) => defineTableSet(dialect, kind, `f${index}_`))
  const database = useDatabase(() =>
    openDatabase(dialect, { migrations: tableSets.flatMap(({ migrations }) => migrations), tables: tableSets[0]?.tables as object }),
  )

  // Default retries, as in an application.
  const adapterFor = (tables: object) => makeAdapter(database().db, tables, { retry: {} })

  test.each(tableSets)('returns the user to exactly one of twenty callers: $title', async (tableSet) => {
    const adapter = adapterFor(tableSet.tables)
    const user = await createUserWithRows(adapter, 'ada')
    const answers = await Promise.all(Array.from({ length: 20 }, () => adapter.deleteUser('ada')))
    expect(answers.filter((answer) => answer !== null)).toEqual([user])
    expect(await countRows(database(), tableSet, 'ada')).toEqual(noRows)
  })

  /** Creates sessions until the user is gone or the test is over. */
  async function signIn(adapter: AnyAdapter, userId: string, name: string, isOver: () => boolean) {
    for (let n = 0; n < 10_000 && !isOver(); n++) {
      await adapter.createSession({ userId, sessionToken: `${userId} ${name} ${n}`, expires: new Date(4e12) })
      // better-sqlite3 answers synchronously, so give the other tasks a turn.
      await setImmediate()
    }
  }

  const cascading = tableSets.filter(({ action }) => action === 'cascade')
  test.each(cascading)('leaves no session that was created during the deletion: $title', async (tableSet) => {
    const adapter = adapterFor(tableSet.tables)
    for (let round = 0; round < 3; round++) {
      const id = `eva${round}`
      const user = await createUserWithRows(adapter, id)
      const signingIn = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => signIn(adapter, id, name, () => false)))
      await setTimeout(5)
      expect(await adapter.deleteUser(id)).toEqual(user)
      // Each task ends with the first sign-in after the deletion, which fails.
      expect(kindsOf(await signingIn)).toEqual(['unknown-user'])
      expect(await countRows(database(), tableSet, id)).toEqual(noRows)
    }
  })

  const withoutKeys = tableSets.filter(({ action }) => !action)
  test.each(withoutKeys)('may leave a session without a user, which a second call deletes: $title', async (tableSet) => {
    const adapter = adapterFor(tableSet.tables)
    const user = await createUserWithRows(adapter, 'zoe')
    let isOver = false
    const signingIn = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => signIn(adapter, 'zoe', name, () => isOver)))
    await setTimeout(5)
    expect(await adapter.deleteUser('zoe')).toEqual(user)
    isOver = true
    await signingIn
    for (const name of ['a', 'b', 'c', 'd']) expect(await adapter.getSessionAndUser(`zoe ${name} 0`)).toBeNull()
    expect(await adapter.deleteUser('zoe')).toBeNull()
    expect(await countRows(database(), tableSet, 'zoe')).toEqual(noRows)
  })

  const restricting = tableSets.filter(({ action }) => action === 'no action' || action === 'restrict')
  test.each(restricting)('deletes all rows of the user or none while sessions are created: $title', async (tableSet) => {
    const adapter = adapterFor(tableSet.tables)
    await createUserWithRows(adapter, 'amy')
    let isOver = false
    const signingIn = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => signIn(adapter, 'amy', name, () => isOver)))
    await setTimeout(5)
    const answer = await adapter.deleteUser('amy').catch(({ kind }) => kind)
    isOver = true
    await signingIn
    const left = await countRows(database(), tableSet, 'amy')
    if (left.user) {
      expect(['still-referenced', 'conflict']).toContain(answer)
      expect(left).toMatchObject({ user: 1, account: 2, authenticator: 2 })
      expect(left.session).toBeGreaterThanOrEqual(2)
      expect(await adapter.deleteUser('amy')).toMatchObject({ id: 'amy' })
    } else expect(answer).toMatchObject({ id: 'amy' })
    expect(await countRows(database(), tableSet, 'amy')).toEqual(noRows)
  })
})
