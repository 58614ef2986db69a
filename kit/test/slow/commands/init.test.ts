import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import type { Server } from '../../../../examples/runner/server.js'
import { signIn } from '../../../../examples/runner/signin.js'
import { withDatabase } from '../../../../test/support/connections.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { sendMalformed } from '../../../../test/support/malformed.js'
import { run as runToEnd } from '../../../../test/support/process.js'
import { root } from '../../../../test/support/root.js'
import { folderWith, run } from '../../support/commands/app.js'
import type { Step } from '../../support/commands/follow.js'
import { follow, linkPackages, shell, stepsIn, withServer } from '../../support/commands/follow.js'

const kitNames = { pg: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } satisfies Record<DialectName, string>

/** Runs `init`, carries out its steps, and returns the others: how to mount the handler, and how to start the app. */
async function setUp(
  folder: string,
  library: string,
  dialect: DialectName,
  url: string,
): Promise<{ mount: Step | undefined; start: Step }> {
  const { code, stdout } = await run(['init', '--library', library, '--dialect', kitNames[dialect]], { cwd: folder })
  expect(code).toBe(0)
  const steps = stepsIn(stdout)
  const start = steps.pop() as Step
  const mount = steps.find(({ title }) => title.startsWith('Call the handler'))
  for (const step of steps.filter((each) => each !== mount)) await follow(folder, step, url, (names) => linkPackages(folder, names))
  return { mount, start }
}

/** What each library does for a user, and with requests that are malformed. */
const attempts: Record<string, (server: Server) => Promise<void>> = {
  authjs: (server) => signIn('init', server, '/auth'),
  async 'better-auth'({ origin }) {
    await sendMalformed(origin, '/api/auth')
    const user = { name: 'Ada', email: 'ada@example.com', password: 'choose-a-better-one' }
    const post = (path: string) => {
      const headers = { 'content-type': 'application/json', origin }
      return fetch(`${origin}/api/auth/${path}/email`, { method: 'POST', headers, body: JSON.stringify(user) })
    }
    expect(await (await post('sign-up')).text()).toContain('"email":"ada@example.com"')
    const cookies = (await post('sign-in')).headers.getSetCookie().map((each) => each.split(';')[0])
    const session = await fetch(`${origin}/api/auth/get-session`, { headers: { cookie: cookies.join('; ') } })
    expect(await session.text()).toContain('"email":"ada@example.com"')
  },
}

const libraries = Object.keys(attempts)

// The linked packages are those of Drizzle 0.45, so the test runs with that version only.
describe.runIf(process.env.DRIZZLE === '0.45')('the steps that init prints lead to a user, and no request ends the server', () => {
  const rows = inject('dialects').flatMap((dialect) => libraries.map((library) => ({ dialect, library })))

  test.each(rows)('of $library on $dialect, in an empty folder', { timeout: 400_000 }, async ({ dialect, library }) => {
    const folder = await folderWith({})
    const inDatabase = async (url: string) => {
      const { start } = await setUp(folder, library, dialect, dialect === 'sqlite' ? 'app.db' : url)
      await shell(folder, 'npx tsc')
      // The line with curl is of Better Auth.
      expect(start.lines[1] ?? 'curl').toContain('curl')
      await withServer(folder, () => start.lines[0] ?? '', attempts[library] as (server: Server) => Promise<void>)
      if (library === 'authjs') return
      const printed = await shell(folder, 'node node_modules/drizzle-auth-kit/dist/cli.js doctor')
      expect(printed).toMatch(/(nothing found|0 errors, \d+ warnings?)\n[\s\S]*examining the tables of Better Auth in /)
    }
    // MariaDB's own default is latin1, which the doctor reports.
    await withDatabase(dialect, inject('urls'), inDatabase, dialect === 'mysql' ? 'character set utf8mb4' : '')
  })

  const isChosen = inject('dialects').includes('sqlite')

  test.runIf(isChosen).each(libraries)('of %s in JavaScript', { timeout: 400_000 }, async (library) => {
    const folder = await folderWith({ 'package.json': '{ "type": "commonjs" }' })
    const { start } = await setUp(folder, library, 'sqlite', 'app.db')
    expect(start.lines[0]).toBe('node --env-file=.env server.js')
    await withServer(folder, () => 'node --env-file=.env server.js', attempts[library] as (server: Server) => Promise<void>)
  })

  const hono = { name: 'Hono', packages: ['hono', '@hono/node-server', '@hono/auth-js', '@auth/core'] }
  const express = ['4', '5'].map((version) => ({ name: `Express ${version}`, packages: [`express@${version}`, '@auth/express'] }))
  const apps = [hono, ...express].flatMap((framework) => libraries.map((library) => ({ ...framework, library })))

  test.runIf(isChosen).each(apps)('of $library with $name', { timeout: 400_000 }, async ({ name, packages, library }) => {
    const folder = await folderWith({ 'package.json': '{ "private": true, "type": "module" }' })
    const npm = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...packages]
    await runToEnd('npm', npm, { cwd: folder })
    const { mount } = await setUp(folder, library, 'sqlite', 'app.db')
    const shown = mount?.lines.join('\n') ?? ''
    // Express 4 has another pattern, which the lines name.
    await writeFile(join(folder, 'app.js'), name === 'Express 4' ? shown.replace("'/api/auth/{*path}'", "'/api/auth/*'") : shown)
    await withServer(folder, () => 'node --env-file=.env app.js', attempts[library] as (server: Server) => Promise<void>)
  })
})

// `script` of util-linux provides a terminal. On other systems, it has other options.
describe.runIf(process.platform === 'linux')('init at a terminal', () => {
  function startAtTerminal(folder: string) {
    const child = spawn('script', ['-qec', `'${process.execPath}' '${join(root, 'kit/dist/cli.js')}' init`, '/dev/null'], { cwd: folder })
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      shown += text
    })
    const ended = once(child, 'close').then(([code]) => ({ code, shown }))
    /** Waits until a text is shown, and then types. */
    async function type(after: string, keys: string): Promise<void> {
      while (!shown.includes(after)) await Promise.race([once(child.stdout, 'data'), ended])
      child.stdin.write(keys)
    }
    return { type, ended }
  }

  test('asks questions and uses the answers', async () => {
    const folder = await folderWith({})
    const { type, ended } = startAtTerminal(folder)
    await type('Which library?', '\r')
    await type('Which driver?', '\x1b[B\r')
    expect(await ended).toMatchObject({ code: 0, shown: expect.stringContaining('PostgreSQL with pg') })
    expect(await readFile(join(folder, 'db.ts'), 'utf8')).toContain('drizzle-orm/node-postgres')
  })

  test('stops at Ctrl-C and writes nothing', async () => {
    const folder = await folderWith({})
    const { type, ended } = startAtTerminal(folder)
    await type('Which library?', '\u0003')
    expect(await ended).toMatchObject({ code: 1, shown: expect.stringContaining('stopped. Nothing was changed.') })
    await expect(readFile(join(folder, 'auth.ts'))).rejects.toThrow('ENOENT')
  })
})
