import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { allDialects } from '../support/dialects.js'
import { root } from '../support/root.js'

// drizzle-kit 0.31 goes with Drizzle 0.45.
describe.runIf(process.env.DRIZZLE === '0.45').each(allDialects)('the migrations of %s', (dialect) => {
  test('create the default tables: drizzle-kit finds nothing to add', async () => {
    const out = join('.tmp', `migrations-${dialect}`)
    await rm(join(root, out), { recursive: true, force: true })
    await mkdir(join(root, out), { recursive: true })
    await cp(join(root, 'migrations', dialect), join(root, out), { recursive: true })
    const committed = await readdir(join(root, out))
    const env = { ...process.env, DIALECT: dialect, MIGRATIONS: out }
    const { stdout } = await promisify(execFile)('npx', ['drizzle-kit', 'generate'], { cwd: root, env })
    expect(stdout).toContain('No schema changes')
    expect(await readdir(join(root, out))).toEqual(committed)
  })
})
