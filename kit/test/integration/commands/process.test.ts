import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { newKey, pairsOf } from '../../../../test/integration/secrets/modes.js'
import { openStore as openSecretsStore, signUp } from '../../../../test/integration/secrets/stores.js'
import { installedApp, start } from '../../support/commands/app.js'
import { countRows, openStore, seed } from '../../support/commands/store.js'

const oneBatch = ['--batch', '10', '--pause', '600000']

const tables = `import { defineTables } from 'drizzle-auth-adapter/sqlite'\nexport const { sessionsTable, verificationTokensTable } = defineTables()\n`
const thrown = `Object.assign(new Error(process.env.DATABASE_URL + '\\n    at postgres://me:TopSecret@host:5432:1'), { password: 'TopSecret' })`

const files = {
  'x.db': '',
  'busy.js': `import { createServer } from 'node:net'\nsetInterval(() => {}, 1_000)\ncreateServer().listen(0)\n${tables}`,
  'throwing.js': `setTimeout(() => { throw ${thrown} })\nawait new Promise((resolve) => setTimeout(resolve, 60000))\n`,
  'printing.js': `console.log('connecting')\nconsole.error('soon')\n`,
  'warning.js': `process.emitWarning('careful')\n${tables}`,
}

describe('the built command, as a process', () => {
  let app: string
  beforeAll(async () => {
    app = await installedApp({ files })
  })

  test('is stopped by SIGTERM, and continues when started again', async () => {
    const store = await openStore('sqlite')
    await seed(store, 30)
    const env = { DATABASE_URL: store.url }
    const { child, ended } = start(app, ['sweep', ...oneBatch], env)
    while ((await countRows(store)).sessions === 31) await sleep(20)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, stdout: 'stopped; deleted 10 sessions and 0 verification tokens\n' })
    const rest = await start(app, ['sweep', '--quiet'], env).ended
    expect(rest).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('is stopped by SIGINT while it protects secrets', async () => {
    const store = await openSecretsStore('sqlite')
    onTestFinished(store.close)
    for (let count = 0; count < 12; count++) await signUp(store.adapter())
    const hashed = async () => (await store.rows('session')).filter(({ sessionToken }) => String(sessionToken).startsWith('s1.')).length
    const env = { AUTH_TOKEN_KEYS: pairsOf(newKey) }
    const { child, ended } = start(app, ['secrets', '--yes', '--no-hmac', '--url', store.url, ...oneBatch], env)
    while ((await hashed()) < 10) await sleep(20)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stdout: 'stopped; hashed 10 sessions and encrypted the tokens of 0 accounts\n' })
    expect(await hashed()).toBe(10)
  })

  test.runIf(inject('dialects').includes('pg'))('exits immediately at a second signal', async () => {
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
    await sleep(1_000)
    expect(child.exitCode).toBe(null)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 130, stdout: '' })
  })

  test('ends although a file of the app keeps a timer and a server open', async () => {
    const store = await openStore('sqlite')
    await seed(store, 1)
    const { ended } = start(app, ['sweep', '--url', store.url, '--schema', 'busy.js'])
    expect(await ended).toMatchObject({ code: 0, stdout: 'deleted 1 session and 1 verification token\n' })
  })

  test('finishes its work even if nobody reads its output', async () => {
    const store = await openStore('sqlite')
    await seed(store, 30)
    const { child, ended } = start(app, ['sweep', '--url', store.url, '--batch', '10', '--pause', '1'])
    child.stdout.destroy()
    expect(await ended).toEqual({ code: 0, stdout: '', stderr: `sweeping the tables of Auth.js in ${store.url}\n` })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('exits with the codes that its help lists', async () => {
    const [version, nothing, noDatabase] = await Promise.all(
      [['--version'], ['sweep'], ['sweep', '--url', 'package.json']].map((args) => start(app, args).ended),
    )
    expect(version).toMatchObject({ code: 0, stderr: '' })
    expect(nothing).toMatchObject({ code: 2, stdout: '' })
    expect(noDatabase).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be reached; is it a SQLite database/),
    })
  })

  test('prints only the location of an uncaught error', async () => {
    const args = ['sweep', '--schema', 'throwing.js', '--url', 'x.db']
    const { code, stdout, stderr } = await start(app, args, { DATABASE_URL: 'TopSecret' }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^drizzle-auth-kit: an unexpected Error\. Please report it with these lines:\n {4}at .*throwing\.js:1:/)
    expect(stderr).not.toContain('TopSecret')
  })

  test('does not print warnings of the files that it loads', async () => {
    const store = await openStore('sqlite')
    const quiet = await start(app, ['sweep', '--quiet', '--url', store.url, '--schema', 'warning.js']).ended
    expect(quiet).toEqual({ code: 0, stdout: '', stderr: '' })
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

  test("prints nothing that a driver or the app's files print", async () => {
    const urls = ['mysql://127.0.0.1:1/TopSecret?TopSecret=1&timezone=TopSecret&debug=true', 'mysql://me:1?TopSecret@127.0.0.1:1/db']
    for (const url of urls) {
      const { stdout, stderr } = await start(app, ['sweep', '--url', url]).ended
      expect({ stdout, stderr }).toEqual({ stdout: '', stderr: expect.stringMatching(/^drizzle-auth-kit: .* The driver mysql2 .*\n$/) })
      expect(stderr).not.toContain('TopSecret')
    }
    const { stderr } = await start(app, ['doctor', '--json', '--db', 'printing.js']).ended
    expect(stderr).toBe('drizzle-auth-kit: the file of --db exports no Drizzle database with the name db.\n')
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
