import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Driver } from '../../integration/failures/drivers.js'
import { drivers } from '../../integration/failures/drivers.js'
import { makeAdapter, openDatabase } from '../../support/databases.js'
import { operations, seedPerson } from '../../support/operations.js'
import { openProxy } from '../../support/proxy.js'
import { root } from '../../support/root.js'

// The round trips of each operation, in order, on databases with RETURNING and on MySQL: r is a read, which is retried; w is a write, which
// is not.
const read = { returning: 'r', mysql: 'r' }
const create = { returning: 'w', mysql: 'wr' }
const update = { returning: 'w', mysql: 'wr' }
const remove = { returning: 'w', mysql: 'rw' }

const tripsOf: Record<keyof typeof operations, { returning: string; mysql: string }> = {
  createUser: create,
  getUser: read,
  getUserByEmail: read,
  updateUser: update,
  linkAccount: create,
  getAccount: read,
  getUserByAccount: read,
  createSession: create,
  getSessionAndUser: read,
  updateSession: update,
  createVerificationToken: create,
  useVerificationToken: remove,
  createAuthenticator: create,
  getAuthenticator: read,
  listAuthenticatorsByUserId: read,
  updateAuthenticatorCounter: update,
  deleteSession: remove,
  unlinkAccount: remove,
  // A transaction on MySQL: t is a statement before its COMMIT, and leaves nothing.
  deleteUser: { returning: 'w', mysql: 'ttttttw' },
}

/** An adapter whose only connection goes through a proxy that can drop it, and one that is connected directly. */
async function openPair({ dialect, connect }: Driver) {
  const { url, adapter: createAdapter, close } = await openDatabase(dialect)
  onTestFinished(close)
  const proxy = await openProxy(url)
  onTestFinished(proxy.close)
  return { adapter: connect(proxy.url), direct: createAdapter(), proxy }
}

function tripsWith({ dialect }: Driver, operation: keyof typeof operations): string {
  return tripsOf[operation][dialect === 'mysql' ? 'mysql' : 'returning']
}

describe.each(drivers)('a lost connection of $name', (driver) => {
  test.each(['request', 'answer'] as const)(
    'at the %s of a round trip: each operation is retried or throws as documented',
    async (lost) => {
      const { adapter, direct, proxy } = await openPair(driver)
      for (const name of Object.keys(tripsOf) as (keyof typeof operations)[]) {
        const operation = operations[name]
        const trips = tripsWith(driver, name)
        for (const [index, trip] of [...trips].entries()) {
          const label = `${name}, ${lost} of round trip ${index + 1}`
          // The first call opens the connection, and prepares the statements where the driver does so.
          await operation.run(adapter, await seedPerson(direct, operation))
          const counted = await seedPerson(direct, operation)
          expect(await proxy.count(async () => operation.run(adapter, counted)), name).toBe(trips.length)

          const person = await seedPerson(direct, operation)
          proxy.loseAt(index + 1, lost)
          const answer = await Promise.resolve(operation.run(adapter, person)).catch((error) => error)
          if (trip === 'r') {
            expect(answer, label).not.toBeInstanceOf(Error)
            expect(answer, label).toBeTruthy()
            if (operation.isDone) expect(await operation.isDone(direct, person), label).toBe(true)
          } else {
            expect(answer, label).toMatchObject({ name: 'AdapterOperationError', operation: name, kind: 'unreachable' })
            expect(await operation.isDone?.(direct, person), label).toBe(lost === 'answer' && trip === 'w')
          }
        }
      }
    },
  )
})

test.runIf(inject('dialects').includes('mysql'))('a write in a transaction of MySQL whose connection is lost did not happen', async () => {
  const { url, tables, run, close } = await openDatabase('mysql')
  onTestFinished(close)
  const proxy = await openProxy(url)
  onTestFinished(proxy.close)
  const client = mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
  onTestFinished(() => client.end())
  const db = drizzle({ client }) as unknown as { transaction(run: (tx: object) => Promise<void>): Promise<void> }
  await makeAdapter(db, tables).getUser('ada')
  const committed = db.transaction(async (tx) => {
    // At the read of the row that was written.
    proxy.loseAt(2, 'request')
    const creating = makeAdapter(tx, tables).createUser({ email: 'ada@example.com' })
    await expect(creating).rejects.toMatchObject({ kind: 'unreachable', written: false })
  })
  await expect(committed).rejects.toThrow()
  expect(await run('select * from user')).toEqual([])
})

test('docs/errors.md says for each operation whether it is retried', async () => {
  const text = await readFile(join(root, 'docs', 'errors.md'), 'utf8')
  const rows = text.split('\n').filter((line) => /^\| `\w+`.*\| (retried|throws)/.test(line))
  const documented = new Map(
    rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => [name, row.split('|')[2]?.trim()])),
  )
  const expected = Object.entries(tripsOf).map(([name, { mysql }]) => [name, mysql === 'r' ? 'retried' : 'throws'])
  expect(new Map([...documented].sort())).toEqual(new Map((expected as [string, string][]).sort()))
})
