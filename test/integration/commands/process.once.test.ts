import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { installedApp, start } from './app.js'
import { countRows, openStore, seed } from './store.js'

const slowSweep = ['--batch', '10', '--pause', '600000']

describe('the built command, as a process', () => {
  let app: string
  beforeAll(async () => {
    app = await installedApp()
  })

  test('is stopped by SIGTERM, and continues when started again', async () => {
    const store = await openStore('sqlite')
    await seed(store, 30)
    const env = { DATABASE_URL: store.url }
    const { child, ended } = start(app, ['sweep', ...slowSweep], env)
    while ((await countRows(store)).sessions === 31) await sleep(20)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 143, stdout: 'stopped; deleted 10 sessions and 0 verification tokens\n' })
    const rest = await start(app, ['sweep', '--quiet'], env).ended
    expect(rest).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
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
    await sleep(1_100)
    expect(child.exitCode).toBe(null)
    child.kill('SIGTERM')
    expect(await ended).toMatchObject({ code: 130, stdout: '' })
  })

  test('counts each row once, however many processes run at the same time', async () => {
    const store = await openStore('sqlite')
    await seed(store, 1_000)
    const runs = await Promise.all([1, 2, 3].map(() => start(app, ['sweep', '--url', store.url, '--batch', '20', '--pause', '1']).ended))
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    const sum = runs.reduce((total, { stdout }) => total + Number(/deleted ([\d,]+) sessions?/.exec(stdout)?.[1]?.replace(',', '')), 0)
    expect(sum).toBe(1_000)
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('ends although a file of the app keeps a timer and a server open', async () => {
    const store = await openStore('sqlite')
    await seed(store, 1)
    const open = `import { createServer } from 'node:net'\nsetInterval(() => {}, 1_000)\ncreateServer().listen(0)\n`
    const schema = `import { defineTables } from 'drizzle-auth-adapter/sqlite'\nexport const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()\n`
    const busy = await installedApp({ files: { 'schema.js': open + schema } })
    const args = ['--url', store.url, '--schema', 'schema.js']
    const [doctor, sweep] = await Promise.all([start(busy, ['doctor', ...args]).ended, start(busy, ['sweep', ...args]).ended])
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringMatching(/\d errors?, \d warnings?\n$/) })
    expect(sweep).toMatchObject({ code: 0, stdout: 'deleted 1 session and 1 verification token\n' })
  })

  test('does its work also if nobody reads its output', async () => {
    const store = await openStore('sqlite')
    await seed(store, 30)
    const { child, ended } = start(app, ['sweep', '--url', store.url, '--batch', '10', '--pause', '1'])
    child.stdout.destroy()
    expect(await ended).toEqual({ code: 0, stdout: '', stderr: `sweeping ${store.url}\n` })
    const silent = start(app, ['sweep'])
    silent.child.stderr.destroy()
    expect(await silent.ended).toMatchObject({ code: 2 })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  // On Linux, /dev/full is a disk without space.
  test.runIf(process.platform === 'linux')('fails if its output cannot be stored', async () => {
    const bin = join(app, 'node_modules', 'drizzle-auth-adapter', 'dist', 'cli', 'index.js')
    const failure = promisify(execFile)('sh', ['-c', `'${process.execPath}' '${bin}' --help > /dev/full`])
    await expect(failure).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('an unexpected Error') })
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
    const thrown = `throw Object.assign(new Error(process.env.DATABASE_URL + '\\n    at postgres://me:TopSecret@host:5432:1'), { password: 'TopSecret' })`
    const schema = `setTimeout(() => { ${thrown} })\nawait new Promise((resolve) => setTimeout(resolve, 60000))\n`
    const app = await installedApp({ files: { 'schema.js': schema, 'x.db': '' } })
    const { code, stdout, stderr } = await start(app, ['sweep', '--schema', 'schema.js', '--url', 'x.db'], { DATABASE_URL: 'TopSecret' })
      .ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^drizzle-auth-adapter: an unexpected Error\. Please report it with these lines:\n {4}at .*schema\.js:1:/)
    expect(stderr).not.toContain('TopSecret')
  })

  test('does not print warnings of the files that it loads', async () => {
    const store = await openStore('sqlite')
    const app = await installedApp({ files: { 'drizzle.config.js': `process.emitWarning('careful')\nexport default {}\n` } })
    expect(await start(app, ['sweep', '--quiet', '--url', store.url]).ended).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  test('prints the location of an error in a TypeScript file', async () => {
    const app = await installedApp({ files: { 'x.db': '', 'schema.ts': `type Id = string\n\nexport const id: Id = null.x\n` } })
    const { stderr } = await start(app, ['sweep', '--url', 'x.db', '--schema', 'schema.ts']).ended
    expect(stderr).toBe(
      'drizzle-auth-adapter: schema.ts cannot be loaded: TypeError at schema.ts:3:28. To see the whole error, run: npx tsx schema.ts\n',
    )
  })

  test('loads TypeScript without tsx if Node.js can, and says what to install if not', async () => {
    const files = { 'x.db': '', 'schema.ts': 'export const a: number = 1\n' }
    const app = await installedApp({ without: ['tsx', 'drizzle-kit'], files })
    const { code, stderr } = await start(app, ['sweep', '--url', 'x.db', '--schema', 'schema.ts']).ended
    expect(code).toBe(1)
    const canLoad = Boolean((process.features as { typescript?: unknown }).typescript)
    expect(stderr).toContain(
      canLoad ? '--schema exports no tables' : 'schema.ts is TypeScript, which needs tsx to be loaded. Run: npm install --save-dev tsx',
    )
  })

  test('says which driver to install if there is none', async () => {
    const app = await installedApp({ without: ['postgres', 'pg', 'mysql2', 'better-sqlite3', '@libsql'], files: { 'x.db': '' } })
    const wanted = {
      'postgres://localhost/x': 'npm install postgres (or pg)',
      'mysql://localhost/x': 'npm install mysql2',
      'libsql://localhost': 'npm install @libsql/client',
      'x.db': 'npm install better-sqlite3 (or @libsql/client)',
    }
    const runs = Object.entries(wanted).map(async ([url, advice]) => {
      expect(await start(app, ['sweep', '--url', url]).ended).toMatchObject({ code: 1, stderr: expect.stringContaining(advice) })
    })
    await Promise.all(runs)
  })

  // `script` of util-linux provides a terminal. On other systems, it has other options.
  test.runIf(process.platform === 'linux')('draws a progress bar on a terminal', async () => {
    const store = await openStore('sqlite')
    await seed(store, 50)
    const bin = join(app, 'node_modules', 'drizzle-auth-adapter', 'dist', 'cli', 'index.js')
    const node = [process.execPath, '--preserve-symlinks', '--preserve-symlinks-main', bin]
    const line = [...node, 'sweep', '--url', store.url, '--batch', '10', '--pause', '1'].map((word) => `'${word}'`).join(' ')
    const { stdout } = await promisify(execFile)('script', ['-qec', `stty cols 100; ${line}`, '/dev/null'], { cwd: app })
    const drawn = stdout.split(/[\r\n]+/)
    expect(drawn).toContain(`sessions            ${'█'.repeat(10)}${'░'.repeat(14)}  40 %  20 of 50\x1b[K`)
    expect(drawn).toContain('deleted 50 sessions and 50 verification tokens')
  })
})
