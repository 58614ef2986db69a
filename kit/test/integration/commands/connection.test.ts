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
  dialect: 'pg' | 'mysql'
  run(args: string[]): Promise<Result>
}

let appWithoutPostgres: Promise<string> | undefined

const drivers: Record<string, DriverUnderTest> = {
  'postgres.js': { dialect: 'pg', run },
  // The command uses node-postgres only if the app has not installed postgres.js.
  'node-postgres': {
    dialect: 'pg',
    run: async (args) => {
      appWithoutPostgres ??= installedApp({ without: ['postgres'] })
      return start(await appWithoutPostgres, args).ended
    },
  },
  mysql2: { dialect: 'mysql', run },
}

const schemes = { pg: 'postgres', mysql: 'mysql' }

/** Kills the connections to the database that are idle or write, except for the caller's own. Returns how many. */
async function killOthers({ run, exec }: Store, dialect: 'pg' | 'mysql', state: 'idle' | 'writing'): Promise<number> {
  if (dialect === 'pg') {
    const own = `datname = current_database() and pid <> pg_backend_pid() and ${state === 'idle' ? "state = 'idle'" : "state = 'active' and query ~* '^(delete|update)'"}`
    return (await run(`select pg_terminate_backend(pid) from pg_stat_activity where ${own}`)).length
  }
  // While a trigger runs, MariaDB lists the statement of the trigger.
  const own = `db = database() and id <> connection_id() and ${state === 'idle' ? "command = 'Sleep'" : "command = 'Query' and info regexp '^(delete|update|do sleep)'"}`
  // MySQL 9 cannot list the statement that checks the settings: its text has a character that this table lacks. It is over in a moment.
  const rows = await run(`select id as connection from information_schema.processlist where ${own}`).catch((error) =>
    error.errno === 3854 ? [] : Promise.reject(error),
  )
  for (const { connection } of rows) await exec(`kill ${connection}`)
  return rows.length
}

/** Delays each write to a session by the seconds in the table `pace`. */
const slowDown = {
  pg: [
    'create table pace as select 0.5 as seconds',
    'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(seconds) from pace; return coalesce(new, old); end $$',
    'create trigger slow before delete or update on "session" for each row execute function slow()',
  ],
  mysql: [
    'create table pace as select 0.5 as seconds',
    'create trigger slow_delete before delete on `session` for each row do sleep((select seconds from pace))',
    'create trigger slow_update before update on `session` for each row do sleep((select seconds from pace))',
  ],
}

const chosen = Object.keys(drivers).filter((name) => inject('dialects').includes((drivers[name] as DriverUnderTest).dialect))

describe.each(chosen)('a command through %s', (name) => {
  const driver = drivers[name] as DriverUnderTest
  let store: Store
  beforeAll(async () => {
    store = await newStore(driver.dialect)
    return store.close
  })

  const sweep = (...args: string[]) => driver.run(['sweep', ...args])
  // Starting a process takes long, so only what depends on the driver itself is tested with it.
  const isInProcess = driver.run === run

  test('survives connections that are lost between two batches', async () => {
    await seed(store, 40)
    const ended = sweep('--url', store.url, '--only', 'sessions', '--batch', '10', '--pause', '200')
    for (const left of [31, 21]) {
      while ((await countRows(store)).sessions > left) await sleep(10)
      while ((await killOthers(store, driver.dialect, 'idle')) === 0) await sleep(10)
    }
    const { code, stdout } = await ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'deleted 40 sessions\n' })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 41 })
  })

  test.runIf(isInProcess)('continues after a connection is lost during a batch', async () => {
    const store = await newStore(driver.dialect)
    onTestFinished(store.close)
    await seed(store, 30)
    for (const statement of slowDown[driver.dialect]) await store.exec(statement)
    for (const [args, stdout] of [
      [['secrets', '--yes', '--no-hmac'], 'hashed 31 sessions\n'],
      [['sweep'], 'deleted 30 sessions\n'],
    ] as const) {
      await store.exec('update pace set seconds = 0.5')
      const ended = driver.run([...args, '--url', store.url, '--only', 'sessions', '--batch', '10', '--pause', '1'])
      while ((await killOthers(store, driver.dialect, 'writing')) === 0) await sleep(10)
      await store.exec('update pace set seconds = 0')
      expect(await ended).toMatchObject({ code: 0, stdout })
    }
    expect(await countRows(store)).toMatchObject({ sessions: 1 })
  })

  test('reports a wrong password or database', async () => {
    const missing = new URL(store.url)
    missing.pathname = '/nowhere'
    const wrong = new URL(store.url)
    wrong.username = 'nobody'
    wrong.password = 'not-this'
    const [noDatabase, noLogin] = await Promise.all([sweep('--url', missing.href), sweep('--url', wrong.href)])
    expect(noDatabase).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the database does not exist.* \[\w+\]\. The name is in --url\./),
    })
    expect(noLogin).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the database refused the login; check the user and the password.* \[\w+\]\. They are in --url/),
    })
    expect(noLogin.stdout + noLogin.stderr).not.toMatch(/nobody|not-this/)
  })

  test.runIf(isInProcess)('reports that no server is listening, or that it does not answer', async () => {
    const refused = await sweep('--url', `${schemes[driver.dialect]}://127.0.0.1:1/db`)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no server answers at 127\.0\.0\.1 port 1\. Is it running.*\[ECONNREFUSED\]\. The address is in --url/),
    })

    const silent = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void silent.close())
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const { code, stderr } = await sweep(
      '--url',
      `${schemes[driver.dialect]}://127.0.0.1:${port}/db?${{ pg: 'connect_timeout=0.3', mysql: 'connectTimeout=300' }[driver.dialect]}`,
    )
    expect(code).toBe(1)
    expect(stderr).toMatch(/^drizzle-auth-kit: connect: .*(The address is in|Check that the server is reachable)/)
  })

  test('names itself and --db if it cannot do what the URL says, and prints nothing of the URL', async () => {
    const refused = { 'postgres.js': 'sslmode=require', 'node-postgres': 'sslmode=require', mysql2: 'ssl=LeakyValue' }[name]
    const { code, stdout, stderr } = await sweep('--url', `${store.url}?${refused}&LeakyName=LeakyValue`)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    const driver = { 'postgres.js': 'postgres', 'node-postgres': 'pg', mysql2: 'mysql2' }[name]
    expect(stderr).toMatch(/^drizzle-auth-kit: connect: .*(The settings are in|Check|The address is in) --url\. /)
    expect(stderr).toContain(
      `The driver ${driver} read --url as it is. If your app connects differently, pass --db with the file that exports db.`,
    )
    expect(stderr).not.toContain('Leaky')
  })
})
