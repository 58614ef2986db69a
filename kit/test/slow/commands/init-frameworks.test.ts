import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { run as runToEnd } from '../../../../test/support/process.js'
import { root } from '../../../../test/support/root.js'
import { folderWith, run } from '../../support/commands/app.js'
import { follow, linkPackages, shell, startAndSignIn, stepsIn } from '../../support/commands/follow.js'

/**
 * An app of each framework: the packages that it has already, those that `init` tells the user to install, and the code before and after
 * the lines that `init` tells the user to add.
 */
const apps = {
  express: {
    has: ['express', '@types/express'],
    required: ['@auth/express'],
    before: `import { getSession } from '@auth/express'\nimport express from 'express'\n\nconst app = express()\n`,
    after: `
app.get('/', async (request, response) => {
  const session = await getSession(request, authConfig)
  response.type('text').send(session ? \`Signed in as \${session.user?.email}\` : 'Nobody is signed in')
})
app.listen(Number(process.env.PORT))
`,
  },
  hono: {
    has: ['hono', '@hono/node-server'],
    required: ['@hono/auth-js', '@auth/core'],
    before: `import { getAuthUser } from '@hono/auth-js'\nimport { serve } from '@hono/node-server'\nimport { Hono } from 'hono'\n\nconst app = new Hono()\n`,
    after: `
app.get('/', async (c) => {
  const found = await getAuthUser(c)
  return c.text(found ? \`Signed in as \${found.user?.email}\` : 'Nobody is signed in')
})
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
`,
  },
}

// The linked packages are those of Drizzle 0.45, so the test runs with that version only.
const isChosen = process.env.DRIZZLE === '0.45' && inject('dialects').includes('sqlite')

describe.runIf(isChosen)('the steps that init prints lead to a sign-in in an app of', () => {
  test.each(Object.entries(apps))('%s', { timeout: 400_000 }, async (name, { has, required, before, after }) => {
    const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'examples', name, 'package.json'), 'utf8'))
    const versions: Record<string, string> = { ...dependencies, ...devDependencies }
    const versionsOf = (names: string[]) => Object.fromEntries(names.map((one) => [one, versions[one]]))
    const settings = { private: true, type: 'module', devDependencies: versionsOf(['typescript', 'tsx', '@types/node']) }
    const all = { ...settings, dependencies: versionsOf([...has, ...required]) }
    const tsconfig = await readFile(join(root, 'examples', name, 'tsconfig.json'), 'utf8')
    const folder = await folderWith({ 'package.json': JSON.stringify(all), 'app.ts': before, 'tsconfig.json': tsconfig })
    await runToEnd('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder })
    await writeFile(join(folder, 'package.json'), JSON.stringify({ ...settings, dependencies: versionsOf(has) }))

    const { code, stdout } = await run(['init', '--dialect', 'sqlite'], { cwd: folder })
    expect(code).toBe(0)
    const [mount, ...steps] = stepsIn(stdout)
    expect(mount?.title).toBe('Add to your app, where it handles requests:')
    expect(steps.pop()?.title).toContain('/auth/signin')
    await appendFile(join(folder, 'app.ts'), (mount?.lines.join('\n') ?? '') + after)
    const installed: string[] = []
    const install = async (names: string[]) => {
      installed.push(...names)
      const others = names.filter((one) => !required.includes(one))
      await linkPackages(folder, others)
    }
    for (const step of steps) await follow(folder, step, 'app.db', install)
    expect(installed).toEqual(expect.arrayContaining(required))
    await shell(folder, 'npx tsc')
    await startAndSignIn(name, folder, '/auth', () => 'npx tsx --env-file=.env app.ts')
  })
})
