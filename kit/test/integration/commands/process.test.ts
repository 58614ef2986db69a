import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { newKey, pairsOf } from '../../../../test/integration/secrets/modes.js'
import { installedApp, start } from '../../support/commands/app.js'
import { countRows, openStore, seed } from '../../support/commands/store.js'

const oneBatch = ['--batch', '10', '--pause', '600000']

const tables = `import { defineTables } from 'drizzle-auth-adapter/sqlite'\nexport const { sessionsTable, verificationTokensTable } = defineTables()\n`
const thrown = `Object.assign(new Error(process.env.DATABASE_URL + '\\n    at postgres://me:TopSecret@host:5432:1'), { password: 'TopSecret' })`

const files = {
  'x.db': '',
  'busy.js': `import { createServer } from 'node:net'\nsetInterval(() => {}, 1_000)\ncreateServer().listen(0)\nprocess.emitWarning('careful')\nconsole.log('connecting')\n${tables}`,
  'throwing.js': `setTimeout(() => { throw ${thrown} })\nawait new Promise((resolve) => setTimeout(resolve, 60000))\n`,
}

const isStopped = (code: number, stdout: string) => expect.objectContaining({ code, stdout })

describe('the built command, as a process', () => {
  let app: string
  beforeAll(async () => {
    app = await installedApp({ files })
  })

  test.each([
    ['SIGTERM', ['sweep'], isStopped(143, 'stopped; deleted 10 sessions and 0 verification tokens\n')],
    ['SIGINT', ['secrets', '--yes', '--no-hmac', '--only', 'sessions'], isStopped(130, 'stopped; hashed 10 sessions\n')],
  ] as const)('finishes the batch at %s, and continues when %j is started again', async (signal, args, stopped) => {
    const store = await openStore('sqlite')
    await seed(store, 30)
    const left = async () => (await store.run(`select 1 from "session" where "sessionToken" not like 's1.%'`)).length
    const env = { DATABASE_URL: store.url, AUTH_TOKEN_KEYS: pairsOf(newKey) }
    const { child, ended } = start(app, [...args, ...oneBatch], env)
    while ((await left()) === 31) await sleep(20)
    child.kill(signal)
    expect(await ended).toEqual(stopped)
    expect(await left()).toBe(21)
    expect(await start(app, [...args, '--quiet'], env).ended).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await left()).toBe(args[0] === 'sweep' ? 1 : 0)
  })

  test.runIf(inject('dialects').includes('pg'))('ends at a second signal, unless it is the same one', async () => {
    const store = await openStore('pg')
    await seed(store, 1)
    await store.exec(
      'create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return old; end $$;' +
        'create trigger slow before delete on "session" for each row execute function slow()',
    )
    const { child, ended } = start(app, ['sweep', '--url', store.url])
    while ((await store.run(`select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`)).length === 0)
      await sleep(20)
    child.kill('SIGINT')
    await sleep(100)
    // npx passes on a signal that the terminal has sent already.
    child.kill('SIGINT')
    await sleep(1_500)
    expect([child.exitCode, child.signalCode]).toEqual([null, null])
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: null, stdout: '' })
    expect(child.signalCode).toBe('SIGTERM')
  })

  test('ends although a file of the app keeps a timer and a server open, and prints nothing that the file prints', async () => {
    const store = await openStore('sqlite')
    await seed(store, 1)
    const sweep = (...args: string[]) => start(app, ['sweep', '--url', store.url, '--schema', 'busy.js', ...args]).ended
    expect(await sweep('--dry-run')).toMatchObject({ code: 0, stdout: '1 session and 1 verification token would be deleted\n' })
    expect(await sweep('--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('finishes its work even if nobody reads its output', async () => {
    const store = await openStore('sqlite')
    await seed(store, 30)
    const { child, ended } = start(app, ['sweep', '--url', store.url, '--batch', '10', '--pause', '1'])
    child.stdout.destroy()
    expect(await ended).toEqual({ code: 0, stdout: '', stderr: `sweeping the tables of Auth.js in ${store.url}\n` })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  const error = (text: RegExp) => expect.stringMatching(text)
  test.each([
    [['--version'], 0, ''],
    [['sweep'], 2, error(/no database given/)],
    [['sweep', '--url', 'package.json'], 1, error(/cannot be reached; is it a SQLite database/)],
    [
      ['sweep', '--schema', 'throwing.js', '--url', 'x.db'],
      1,
      error(/^drizzle-auth-kit: an unexpected Error\. .*:\n {4}at .*throwing\.js:1:/),
    ],
    [['sweep', '--url', 'mysql://127.0.0.1:1/TopSecret?TopSecret=1&timezone=TopSecret&debug=true'], 1, error(/^drizzle-auth-kit: .*\n$/)],
    [['sweep', '--url', 'mysql://me:1?TopSecret@127.0.0.1:1/db'], 1, error(/^drizzle-auth-kit: .* The driver mysql2 .*\n$/)],
    [
      ['doctor', '--json', '--db', 'busy.js'],
      2,
      error(/^drizzle-auth-kit: the file of --db exports no Drizzle database with the name db\.\n$/),
    ],
  ])('%j exits with %i, and prints no secret', async (args, code, stderr) => {
    const env: Record<string, string> = args.includes('throwing.js') ? { DATABASE_URL: 'TopSecret' } : {}
    const result = await start(app, args, env).ended
    expect(result).toMatchObject({ code, stderr })
    expect(result.stdout + result.stderr).not.toContain('TopSecret')
  })

  test('says which packages to install or to rebuild', async () => {
    const files = {
      'x.db': '',
      'node_modules/mysql2/index.js': `import 'a-missing-dependency'`,
      'node_modules/mysql2/package.json': '{ "type": "module", "exports": { ".": "./index.js", "./promise": "./index.js" } }',
      // Its native module is loaded when a database is opened.
      'node_modules/better-sqlite3/index.js': 'module.exports = class { constructor() { throw new Error("built for another Node.js") } }',
    }
    const app = await installedApp({ without: ['postgres', 'pg', 'mysql2', 'better-sqlite3', '@libsql'], files })
    const wanted = {
      'postgres://localhost/x': 'npm install postgres (or pg)',
      'libsql://localhost': 'npm install @libsql/client',
      'mysql://localhost/x': 'npm rebuild mysql2',
      'x.db': 'npm rebuild better-sqlite3',
    }
    const runs = Object.entries(wanted).map(async ([url, advice]) => {
      expect(await start(app, ['sweep', '--url', url]).ended).toMatchObject({ code: 1, stderr: expect.stringContaining(advice) })
    })
    await Promise.all(runs)
  })

  // `script` of util-linux provides a terminal. On other systems, it has other options.
  test.runIf(process.platform === 'linux')('shows its progress on one line of a terminal', async () => {
    const store = await openStore('sqlite')
    await seed(store, 50)
    const bin = join(app, 'node_modules', 'drizzle-auth-kit', 'dist', 'cli.js')
    const node = [process.execPath, '--preserve-symlinks', '--preserve-symlinks-main', bin]
    const line = [...node, 'sweep', '--url', store.url, '--batch', '10', '--pause', '1'].map((word) => `'${word}'`).join(' ')
    const { stdout } = await promisify(execFile)('script', ['-qec', line, '/dev/null'], { cwd: app })
    const drawn = stdout.split(/[\r\n]+/)
    expect(drawn).toContain('sessions: 20 of 50 deleted\x1b[K')
    expect(drawn).toContain('deleted 50 sessions and 50 verification tokens')
  })
})
