import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { chosenDrivers } from './drivers.js'
import type { App } from './start.js'
import { cleanUp, newFile, startApp } from './start.js'

afterAll(cleanUp)

const newUser = () => {
  const id = crypto.randomUUID()
  return { id, email: `${id}@example.com`, emailVerified: null }
}

/** Statements with which another process blocks the app, and the journal modes in which they do. */
const blockers = [
  { what: 'a writer', statements: ['begin immediate'], journals: ['wal', 'delete'] },
  { what: 'a writer that commits', statements: ['begin exclusive'], journals: ['delete'] },
  { what: 'a reader', statements: ['begin', 'select * from user'], journals: ['delete'] },
]

describe.runIf(inject('dialects').includes('sqlite')).each(chosenDrivers())('$name on $runtime', (driver) => {
  describe.each(['wal', 'delete'])('in journal mode %s', (journal) => {
    let app: App
    let rival: App
    beforeAll(async () => {
      const file = await newFile(journal)
      app = await startApp(driver, file)
      rival = await startApp({ name: 'better-sqlite3', runtime: 'Node.js' }, file)
    })
    afterAll(async () => void (await Promise.all([app.kill(), rival.kill()])))

    test.each(blockers.filter(({ journals }) => journals.includes(journal)))(
      'leaves no statement unfinished that was blocked by $what',
      async ({ statements }) => {
        const [kept, deleted] = [newUser(), newUser()]
        for (const user of [kept, deleted]) await app.call('createUser', user)
        for (const statement of statements) await rival.own(statement)
        const waiting = [
          app.call('createUser', newUser()),
          app.call('updateUser', { id: kept.id, name: 'Ada' }),
          app.call('getUser', kept.id),
          app.call('deleteUser', deleted.id),
        ]
        await sleep(100)
        await rival.own('rollback')
        await Promise.all(waiting)
        // Both fail if any statement is unfinished, on this connection or in another process.
        await app.own('vacuum')
        await rival.own('vacuum')
        expect(await rival.own(`select name from user where id in ('${kept.id}', '${deleted.id}')`)).toEqual([{ name: 'Ada' }])
      },
    )
  })
})
