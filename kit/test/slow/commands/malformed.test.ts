// Needs SQLite.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startIdentity } from '../../../../demo/identity.js'
import { withServer as startServer } from '../../../../examples/runner/server.js'
import { sendMalformed } from '../../../../test/support/malformed.js'
import { root } from '../../../../test/support/root.js'
import { snippets } from '../../../../test/support/snippets.js'
import { folderWith, run } from '../../support/commands/app.js'
import { follow, linkPackages, stepsIn, withServer } from '../../support/commands/follow.js'

/** No request ends a server that the docs show, or the demo. init.slow.test.ts and examples/run.ts do this for what `init` writes. */

// The linked packages are those of Drizzle 0.45, so the test runs with that version only.
const isChosen = process.env.DRIZZLE === '0.45' && inject('dialects').includes('sqlite')

describe.runIf(isChosen)('malformed requests do not end', () => {
  test.each([
    ['authjs', 'docs/getting-started.md', '/auth'],
    ['better-auth', 'docs/better-auth.md', '/api/auth'],
  ])('the server in the guide of %s', { timeout: 400_000 }, async (library, page, base) => {
    const folder = await folderWith({})
    const { stdout } = await run(['init', '--library', library, '--dialect', 'sqlite'], { cwd: folder })
    for (const step of stepsIn(stdout).slice(0, -1)) await follow(folder, step, 'app.db', (names) => linkPackages(folder, names))
    const shown = (await snippets(page)).find(({ file }) => file === 'server.ts')?.text ?? ''
    expect(shown).toContain('listen(3000')
    await writeFile(join(folder, 'server.ts'), shown.replace('listen(3000', 'listen(Number(process.env.PORT)'))
    await withServer(
      folder,
      () => 'npx tsx --env-file=.env server.ts',
      ({ origin }) => sendMalformed(origin, base),
    )
  })

  test.each(['authjs', 'better-auth'])('the demo with %s', { timeout: 400_000 }, async (LIBRARY) => {
    const env = { LIBRARY, DATABASE_URL: 'file::memory:' }
    const start = (): [string, ...string[]] => [process.execPath, '--import', 'tsx', 'demo/index.ts']
    await startServer(root, start, ({ origin }) => sendMalformed(origin, '/auth'), { env })
  })

  // It runs in this process, where Vitest reports what would end it.
  test('the OpenID provider of the demo', { timeout: 400_000 }, async () => {
    const { issuer, close } = await startIdentity('http://localhost:3000')
    onTestFinished(close)
    await sendMalformed(issuer, '/choose')
  })
})
