// Needs SQLite.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { App } from './start.js'
import { cleanUp, newFile, startApp } from './start.js'
import { holdLocks, Ledger, runWithRetry, signIn } from './traffic.js'

afterAll(cleanUp)

describe.runIf(inject('dialects').includes('sqlite'))('better-sqlite3, while another process locks the file,', () => {
  const driver = 'better-sqlite3'

  test.each(['wal', 'delete'])('loses nothing that it acknowledged, in journal mode %s', async (journal) => {
    const file = await newFile(journal)
    const rival = await startApp('better-sqlite3', file)
    const ledger = new Ledger()
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const locking = holdLocks(rival, stop.signal)

    const first = await startApp(driver, file)
    const signingIn = signIn(first, ledger, Number.POSITIVE_INFINITY)
    while (ledger.users.size < 10) await Promise.race([signingIn, locking, sleep(10)])
    await first.kill()
    await signingIn

    const second = await startApp(driver, file)
    // Continues until at least one statement was retried because of a lock, so that there are more statements than calls.
    for (let counts = { calls: 0, statements: 0 }; counts.statements <= counts.calls; ) {
      await Promise.race([signIn(second, ledger, 10), locking])
      counts = (await second.ask({ count: true })) as typeof counts
    }
    stop.abort()
    await locking
    // The app must see what another process has written.
    await runWithRetry(rival, `insert into user (id, email) values ('late', 'late@example.com')`)
    expect(await second.call('getUser', 'late')).toMatchObject({ id: 'late' })
    await second.kill()

    const third = await startApp(driver, file)
    expect(await lostOf(ledger, third)).toEqual([])
    await Promise.all([third.kill(), rival.kill()])
  })
})

// A `file:` URL of libSQL is for one process at a time. With a second one, its client can leave a connection that commits nothing.
describe.runIf(inject('dialects').includes('sqlite'))('libSQL, while another process locks the file,', () => {
  test.each(['wal', 'delete'])('fails with conflicts, and has in the file what it acknowledged, in journal mode %s', async (journal) => {
    const file = await newFile(journal)
    const [rival, app] = [await startApp('better-sqlite3', file), await startApp('libsql', file, { connections: 4 })]
    const acknowledged: string[] = []
    const failed: string[] = []
    const write = async (round: number) => {
      const ids = Array.from({ length: 4 }, (_, at) => `user ${round} ${at}`)
      await Promise.all(
        ids.map((id) =>
          app.call('createUser', { id, email: `${id}@example.com` }).then(
            () => acknowledged.push(id),
            ({ kind }) => failed.push(kind),
          ),
        ),
      )
    }
    await write(0)
    expect(acknowledged).toHaveLength(4)
    for (let round = 1; round <= 3; round++) {
      await runWithRetry(rival, 'begin immediate')
      await rival.own(`insert into note (text) values ('of the rival')`)
      const writing = write(round)
      await sleep(round * 150)
      await runWithRetry(rival, 'commit')
      await writing
    }
    await app.kill()
    const stored = (await rival.own('select id from user order by id')) as { id: string }[] | string[][]
    expect(stored.map((row) => (Array.isArray(row) ? row[0] : row.id))).toEqual(acknowledged.sort())
    expect(failed.filter((kind) => kind !== 'conflict')).toEqual([])
    await rival.kill()
  })
})

/** The acknowledged changes that a new process does not find. */
async function lostOf({ users, sessions, revoked, used }: Ledger, app: App): Promise<string[]> {
  const lost: string[] = []
  for (const id of users) if (!(await app.call('getUser', id))) lost.push(`user ${id}`)
  for (const token of sessions) if (!(await app.call('getSessionAndUser', token))) lost.push(`session ${token}`)
  for (const token of revoked) if (await app.call('getSessionAndUser', token)) lost.push(`the end of session ${token}`)
  for (const token of used) if (await app.call('useVerificationToken', token)) lost.push(`the use of ${token.token}`)
  return lost
}
