import { describe, expect, inject, test } from 'vitest'
import { withDatabase } from '../../../../test/support/connections.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { folderWith, run } from '../../support/commands/app.js'
import { follow, linkPackages, shell, stepsIn, withServer } from '../../support/commands/follow.js'

const kitNames = { pg: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } satisfies Record<DialectName, string>

async function signUp(folder: string, [start = '', curl = '']: string[]): Promise<void> {
  await withServer(
    folder,
    () => start,
    async ({ origin }) => {
      expect(await (await fetch(origin)).text()).toBe('Nobody is signed in')
      expect(await shell(folder, curl.replace('http://localhost:3000', origin))).toContain('"email":"ada@example.com"')
      const body = JSON.stringify({ email: 'ada@example.com', password: 'choose-a-better-one' })
      const headers = { 'content-type': 'application/json' }
      const signedIn = await fetch(`${origin}/api/auth/sign-in/email`, { method: 'POST', headers, body })
      const cookie = signedIn.headers
        .getSetCookie()
        .map((each) => each.split(';')[0])
        .join('; ')
      expect(await (await fetch(origin, { headers: { cookie } })).text()).toBe('Signed in as ada@example.com')
    },
  )
}

// The linked packages are those of Drizzle 0.45, so the test runs with that version only.
describe.runIf(process.env.DRIZZLE === '0.45')('the steps that init prints for Better Auth lead to a sign-up', () => {
  test.each(inject('dialects'))('in an empty folder, on %s', { timeout: 240_000 }, async (dialect) => {
    const folder = await folderWith({})
    const { code, stdout } = await run(['init', '--library', 'better-auth', '--dialect', kitNames[dialect]], { cwd: folder })
    expect(code).toBe(0)
    const inDatabase = async (database: string) => {
      const steps = stepsIn(stdout)
      const last = steps.pop()
      const url = dialect === 'sqlite' ? 'app.db' : database
      for (const step of steps) await follow(folder, step, url, (names) => linkPackages(folder, names))
      await shell(folder, 'npx tsc')
      await signUp(folder, last?.lines ?? [])
      const printed = await shell(folder, 'node node_modules/drizzle-auth-kit/dist/cli.js doctor')
      expect(printed).toMatch(/(nothing found|0 errors, \d+ warnings?)\n[\s\S]*examining the tables of Better Auth in /)
    }
    // MariaDB's own default is latin1, which the doctor reports.
    await withDatabase(dialect, inject('urls'), inDatabase, dialect === 'mysql' ? 'character set utf8mb4' : '')
  })

  test('in an empty folder with JavaScript', { timeout: 240_000 }, async () => {
    const folder = await folderWith({ 'package.json': '{ "type": "commonjs" }' })
    const { stdout } = await run(['init', '--library', 'better-auth', '--dialect', 'sqlite'], { cwd: folder })
    const steps = stepsIn(stdout)
    const last = steps.pop()
    for (const step of steps) await follow(folder, step, 'app.db', (names) => linkPackages(folder, names))
    await signUp(folder, last?.lines ?? [])
  })
})
