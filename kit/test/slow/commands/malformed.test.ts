import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startIdentity } from '../../../../demo/identity.js'
import { withServer as startServer } from '../../../../examples/runner/server.js'
import { sendMalformed } from '../../../../test/support/malformed.js'
import { run as runToEnd } from '../../../../test/support/process.js'
import { root } from '../../../../test/support/root.js'
import { snippets } from '../../../../test/support/snippets.js'
import { folderWith, run } from '../../support/commands/app.js'
import { follow, linkPackages, stepsIn, withServer } from '../../support/commands/follow.js'

/** No request ends a server that `init` writes, or that the docs show, or the demo. The examples are tested by examples/run.ts. */

type Library = keyof typeof bases
const bases = { authjs: '/auth', 'better-auth': '/api/auth' }
const libraries = Object.keys(bases) as Library[]

/** Runs `init` in a folder, follows its steps, and returns the lines to add to the app. */
async function initIn(folder: string, library: Library): Promise<string[]> {
  const { code, stdout } = await run(['init', '--library', library, '--dialect', 'sqlite'], { cwd: folder })
  expect(code).toBe(0)
  const steps = stepsIn(stdout).slice(0, -1)
  const isMount = ({ title }: { title: string }) => title.startsWith('Add to your app')
  for (const step of steps.filter((each) => !isMount(each))) await follow(folder, step, 'app.db', (names) => linkPackages(folder, names))
  return steps.find(isMount)?.lines ?? []
}

// The linked packages are those of Drizzle 0.45, so the test runs with that version only.
const isChosen = process.env.DRIZZLE === '0.45' && inject('dialects').includes('sqlite')

describe.runIf(isChosen)('malformed requests do not end', () => {
  const pages = { authjs: 'docs/getting-started.md', 'better-auth': 'docs/better-auth.md' }

  test.each(libraries)('the server that init writes for %s, and the one in its guide', { timeout: 400_000 }, async (library) => {
    const folder = await folderWith({})
    await initIn(folder, library)
    const start = () => 'npx tsx --env-file=.env server.ts'
    await withServer(folder, start, ({ origin }) => sendMalformed(origin, bases[library]))
    const shown = (await snippets(pages[library])).find(({ file }) => file === 'server.ts')?.text ?? ''
    expect(shown).toContain('listen(3000')
    await writeFile(join(folder, 'server.ts'), shown.replace('listen(3000', 'listen(Number(process.env.PORT)'))
    await withServer(folder, start, ({ origin }) => sendMalformed(origin, bases[library]))
  })

  const express = (version: string) => ({ name: `Express ${version}`, packages: [`express@${version}`, '@auth/express'] })
  const frameworks = [express('4'), express('5'), { name: 'Hono', packages: ['hono', '@hono/node-server', '@hono/auth-js', '@auth/core'] }]
  const apps = frameworks.flatMap((framework) => libraries.map((library) => ({ ...framework, library })))
  const around = {
    Express: ["import express from 'express'\nconst app = express()\n", 'app.listen(process.env.PORT)\n'],
    Hono: [
      "import { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\nconst app = new Hono()\n",
      'serve({ fetch: app.fetch, port: Number(process.env.PORT) })\n',
    ],
  }

  test.each(apps)('an app of $name with the lines that init prints for $library', { timeout: 400_000 }, async (app) => {
    const folder = await folderWith({ 'package.json': '{ "private": true, "type": "module" }' })
    await runToEnd('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', ...app.packages], { cwd: folder })
    const lines = (await initIn(folder, app.library)).join('\n')
    const [before, after] = around[app.name === 'Hono' ? 'Hono' : 'Express']
    // Express 4 has another pattern, which the lines name.
    const mounted = app.name === 'Express 4' ? lines.replace('/api/auth/{*path}', '/api/auth/*') : lines
    await writeFile(join(folder, 'app.js'), `${before}${mounted}\n${after}`)
    await withServer(
      folder,
      () => 'node --env-file=.env app.js',
      ({ origin }) => sendMalformed(origin, bases[app.library]),
    )
  })

  test.each(libraries)('the demo with %s', { timeout: 400_000 }, async (LIBRARY) => {
    const env = { LIBRARY, DATABASE_URL: 'file::memory:' }
    const start = (): [string, ...string[]] => [process.execPath, '--import', 'tsx', 'demo/index.ts']
    await startServer(root, start, ({ origin }) => sendMalformed(origin, bases.authjs), { env })
  })

  // It runs in this process, where Vitest reports what would end it.
  test('the OpenID provider of the demo', { timeout: 400_000 }, async () => {
    const { issuer, close } = await startIdentity('http://localhost:3000')
    onTestFinished(close)
    await sendMalformed(issuer, '/choose')
  })
})
