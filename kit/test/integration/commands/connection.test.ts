// Needs PostgreSQL or MySQL.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Result } from '../../support/commands/app.js'
import { installedApp, run, start } from '../../support/commands/app.js'
import type { Store } from '../../support/commands/store.js'
import { countRows, newStore, seed } from '../../support/commands/store.js'

interface DriverUnderTest {
  name: string
  dialect: 'pg' | 'mysql'
  /** What the driver cannot do. */
  refused: string
  run(args: string[]): Promise<Result>
}

let appWithoutPostgres: Promise<string> | undefined

const drivers: DriverUnderTest[] = [
  { name: 'postgres', dialect: 'pg', refused: 'sslmode=require', run },
  // The command uses node-postgres only if the app has not installed postgres.js.
  {
    name: 'pg',
    dialect: 'pg',
    refused: 'sslmode=require',
    async run(args) {
      appWithoutPostgres ??= installedApp({ without: ['postgres'] })
      return start(await appWithoutPostgres, args).ended
    },
  },
  { name: 'mysql2', dialect: 'mysql', refused: 'ssl=LeakyValue', run },
]

/** Kills the connections to the database that are idle or write, except for the caller's own. Returns how many. */
async function killOthers({ run, exec }: Store, dialect: 'pg' | 'mysql', state: 'idle' | 'writing'): Promise<number> {
  if (dialect === 'pg') {
    const own = state === 'idle' ? "state = 'idle'" : "state = 'active' and query ~* '^(delete|update)'"
    const others = 'datname = current_database() and pid <> pg_backend_pid()'
    return (await run(`select pg_terminate_backend(pid) from pg_stat_activity where ${others} and ${own}`)).length
  }
  // While a trigger runs, MariaDB lists the statement of the trigger.
  const own = state === 'idle' ? "command = 'Sleep'" : "command = 'Query' and info regexp '^(delete|update|do sleep)'"
  const others = `select id as connection from information_schema.processlist where db = database() and id <> connection_id() and ${own}`
  // MySQL 9 cannot list the statement that checks the settings: its text has a character that this table lacks. It is over in a moment.
  const rows = await run(others).catch((error) => (error.errno === 3854 ? [] : Promise.reject(error)))
  for (const { connection } of rows) await exec(`kill ${connection}`)
  return rows.length
}

/** Delays each write to a session by the seconds in the table `pace`. */
const slowDown = {
  pg: [
    'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(seconds) from pace; return coalesce(new, old); end $$',
    'create trigger slow before delete or update on "session" for each row execute function slow()',
  ],
  mysql: ['delete', 'update'].map(
    (change) => `create trigger slow_${change} before ${change} on session for each row do sleep((select seconds from pace))`,
  ),
}

const chosen = drivers.filter(({ dialect }) => inject('dialects').includes(dialect))

describe.runIf(chosen.length > 0)('the connection of a command', () => {
  describe.each(chosen)('through $name', ({ name, dialect, refused, run: runWith }) => {
    let store: Store
    beforeAll(async () => {
      store = await newStore(dialect)
      return store.close
    })

    const sweep = (...args: string[]) => runWith(['sweep', ...args])
    // Starting a process takes long, so only what depends on the driver itself is tested with it.
    const isInProcess = runWith === run

    test('survives connections that are lost between two batches', async () => {
      await seed(store, 40)
      const ended = sweep('--url', store.url, '--only', 'sessions', '--batch', '10', '--pause', '200')
      for (const left of [31, 21]) {
        while ((await countRows(store)).sessions > left) await sleep(10)
        while ((await killOthers(store, dialect, 'idle')) === 0) await sleep(10)
      }
      const { code, stdout } = await ended
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'deleted 40 sessions\n' })
      expect(await countRows(store)).toEqual({ sessions: 1, tokens: 41 })
    })

    test.runIf(isInProcess)('continues after a connection is lost during a batch', async () => {
      const store = await newStore(dialect)
      onTestFinished(store.close)
      await seed(store, 30)
      for (const statement of ['create table pace as select 0.5 as seconds', ...slowDown[dialect]]) await store.exec(statement)
      for (const [args, stdout] of [
        [['secrets', '--yes', '--no-hmac'], 'hashed 31 sessions\n'],
        [['sweep'], 'deleted 30 sessions\n'],
      ] as const) {
        await store.exec('update pace set seconds = 0.5')
        const ended = runWith([...args, '--url', store.url, '--only', 'sessions', '--batch', '10', '--pause', '1'])
        while ((await killOthers(store, dialect, 'writing')) === 0) await sleep(10)
        await store.exec('update pace set seconds = 0')
        expect(await ended).toMatchObject({ code: 0, stdout })
      }
      expect(await countRows(store)).toMatchObject({ sessions: 1 })
    })

    test('reports a wrong password or database', async () => {
      const missing = Object.assign(new URL(store.url), { pathname: '/nowhere' })
      const wrong = Object.assign(new URL(store.url), { username: 'nobody', password: 'not-this' })
      const [noDatabase, noLogin] = await Promise.all([sweep('--url', missing.href), sweep('--url', wrong.href)])
      const unknown = /the database does not exist.* \[\w+\]\. The name is in --url\./
      expect(noDatabase).toMatchObject({ code: 1, stderr: expect.stringMatching(unknown) })
      const denied = /the database refused the login; check the user and the password.* \[\w+\]\. They are in --url/
      expect(noLogin).toMatchObject({ code: 1, stderr: expect.stringMatching(denied) })
      expect(noLogin.stdout + noLogin.stderr).not.toMatch(/nobody|not-this/)
    })

    test.runIf(isInProcess)('reports that no server is listening, or that it does not answer', async () => {
      const scheme = { pg: 'postgres', mysql: 'mysql' }[dialect]
      const listening = /no server answers at 127\.0\.0\.1 port 1\. Is it running.*\[ECONNREFUSED\]\. The address is in --url/
      expect(await sweep('--url', `${scheme}://127.0.0.1:1/db`)).toMatchObject({ code: 1, stderr: expect.stringMatching(listening) })
      const silent = createServer().listen(0, '127.0.0.1')
      onTestFinished(() => void silent.close())
      await once(silent, 'listening')
      const { port } = silent.address() as AddressInfo
      const timeout = { pg: 'connect_timeout=0.3', mysql: 'connectTimeout=300' }[dialect]
      const { code, stderr } = await sweep('--url', `${scheme}://127.0.0.1:${port}/db?${timeout}`)
      expect(code).toBe(1)
      expect(stderr).toMatch(/^drizzle-auth-kit: connect: .*(The address is in|Check that the server is reachable)/)
    })

    test('names itself and --db if it cannot do what the URL says, and prints nothing of the URL', async () => {
      const { code, stdout, stderr } = await sweep('--url', `${store.url}?${refused}&LeakyName=LeakyValue`)
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toMatch(/^drizzle-auth-kit: connect: .*(The settings are in|Check|The address is in) --url\. /)
      const hint = 'read --url as it is. If your app connects differently, pass --db with the file that exports db.'
      expect(stderr).toContain(`The driver ${name} ${hint}`)
      expect(stderr).not.toContain('Leaky')
    })
  })
})
