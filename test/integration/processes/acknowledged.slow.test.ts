import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Driver } from './drivers.js'
import { chosenDrivers, people } from './drivers.js'
import type { App } from './start.js'
import { cleanUp, newFile, startApp } from './start.js'
import { holdLocks, Ledger, runWithRetry, signIn, sweep } from './traffic.js'

afterAll(cleanUp)

describe.runIf(inject('dialects').includes('sqlite')).each(chosenDrivers())('$name on $runtime, with a rival and a sweep', (driver) => {
  test('loses nothing that it acknowledged, in journal mode wal', () => expectNothingLost(driver, 'wal'))
  test('loses nothing that it acknowledged, in journal mode delete', () => expectNothingLost(driver, 'delete'))
})

async function expectNothingLost(driver: Driver, journal: string): Promise<void> {
  const file = await newFile(journal)
  const rival = await startApp({ name: 'better-sqlite3', runtime: 'Node.js' }, file)
  await rival.own(`insert into user (id, name, email) values ('clock', 'before', 'clock')`)
  const ledger = new Ledger()
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  const others = Promise.all([holdLocks(rival, stop.signal), sweep(file, stop.signal)])

  const first = await startApp(driver, file)
  const signingIn = signIn(first, ledger, Number.POSITIVE_INFINITY)
  while (ledger.users.size < people / 2) await Promise.race([signingIn, others, sleep(10)])
  await first.kill()
  await signingIn

  const second = await startApp(driver, file)
  // Continues until at least one statement was retried because of a lock, so that there are more statements than calls.
  for (let counts = { calls: 0, statements: 0 }; counts.statements <= counts.calls; ) {
    await Promise.race([signIn(second, ledger, people / 2), others])
    counts = (await second.ask({ count: true })) as typeof counts
  }
  // Waits until the sweep has deleted something, too.
  while (((await runWithRetry(rival, `select 1 from session where "sessionToken" = 'expired-0'`)) as []).length > 0) await sleep(20)
  stop.abort()
  await others
  // The app must see what another process has written.
  await runWithRetry(rival, `update user set name = 'after' where id = 'clock'`)
  expect(await second.call('getUser', 'clock')).toMatchObject({ name: 'after' })
  await second.kill()

  const third = await startApp(driver, file)
  expect(await lostOf(ledger, third)).toEqual([])
  await Promise.all([third.kill(), rival.kill()])
}

/** The acknowledged changes that a new process does not find. */
async function lostOf({ users, sessions, revoked, used }: Ledger, app: App): Promise<string[]> {
  const lost: string[] = []
  for (const id of users) if (!(await app.call('getUser', id))) lost.push(`user ${id}`)
  for (const token of sessions) if (!(await app.call('getSessionAndUser', token))) lost.push(`session ${token}`)
  for (const token of revoked) if (await app.call('getSessionAndUser', token)) lost.push(`the end of session ${token}`)
  for (const token of used) if (await app.call('useVerificationToken', token)) lost.push(`the use of ${token.token}`)
  return lost
}
