import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { App } from './start.js'
import { cleanUp, newFile, startApp } from './start.js'
import { holdLocks, Ledger, runWithRetry, signIn } from './traffic.js'

afterAll(cleanUp)

const drivers = ['better-sqlite3', 'libsql'] as const

describe.runIf(inject('dialects').includes('sqlite')).each(drivers)('%s, while another process locks the file,', (driver) => {
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

/** The acknowledged changes that a new process does not find. */
async function lostOf({ users, sessions, revoked, used }: Ledger, app: App): Promise<string[]> {
  const lost: string[] = []
  for (const id of users) if (!(await app.call('getUser', id))) lost.push(`user ${id}`)
  for (const token of sessions) if (!(await app.call('getSessionAndUser', token))) lost.push(`session ${token}`)
  for (const token of revoked) if (await app.call('getSessionAndUser', token)) lost.push(`the end of session ${token}`)
  for (const token of used) if (await app.call('useVerificationToken', token)) lost.push(`the use of ${token.token}`)
  return lost
}
