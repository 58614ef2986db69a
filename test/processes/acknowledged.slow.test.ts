import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Driver } from './drivers.js'
import { chosenDrivers, people } from './drivers.js'
import type { App } from './start.js'
import { cleanUp, newFile, startApp } from './start.js'
import { holdLocks, insist, Ledger, signIn, sweep } from './traffic.js'

afterAll(cleanUp)

describe.runIf(inject('dialects').includes('sqlite')).each(chosenDrivers())('$name on $runtime, beside a rival and a sweep', (driver) => {
  test('loses nothing that it acknowledged, in journal mode wal', () => loseNothing(driver, 'wal'))
  test('loses nothing that it acknowledged, in journal mode delete', () => loseNothing(driver, 'delete'))
})

async function loseNothing(driver: Driver, journal: string): Promise<void> {
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
  // Statements that met a lock are more than there are calls.
  for (let counts = { calls: 0, statements: 0 }; counts.statements <= counts.calls; ) {
    await Promise.race([signIn(second, ledger, people / 2), others])
    counts = (await second.ask({ count: true })) as typeof counts
  }
  // The sweep has begun, too.
  while (((await insist(rival, `select 1 from session where "sessionToken" = 'expired-0'`)) as []).length > 0) await sleep(20)
  stop.abort()
  await others
  // What another process has written is seen.
  await insist(rival, `update user set name = 'after' where id = 'clock'`)
  expect(await second.call('getUser', 'clock')).toMatchObject({ name: 'after' })
  await second.kill()

  const third = await startApp(driver, file)
  expect(await lostOf(ledger, third)).toEqual([])
  await Promise.all([third.kill(), rival.kill()])
}

/** What a new process does not find as it was acknowledged. */
async function lostOf({ users, sessions, revoked, used }: Ledger, app: App): Promise<string[]> {
  const lost: string[] = []
  for (const id of users) if (!(await app.call('getUser', id))) lost.push(`user ${id}`)
  for (const token of sessions) if (!(await app.call('getSessionAndUser', token))) lost.push(`session ${token}`)
  for (const token of revoked) if (await app.call('getSessionAndUser', token)) lost.push(`the end of session ${token}`)
  for (const token of used) if (await app.call('useVerificationToken', token)) lost.push(`the use of ${token.token}`)
  return lost
}
