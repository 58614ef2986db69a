import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { resolvePackages } from '../../../../lab/matrix/bundle.js'
import type { Drizzle } from '../../../../lab/matrix/cell.js'
import { drizzles } from '../../../../lab/matrix/cell.js'
import { migrationsOf } from '../../../../test/support/migrations.js'
import { root } from '../../../../test/support/root.js'
import { summarize } from '../../support/doctor/database.js'

const [previous, current] = Object.keys(drizzles) as [Drizzle, Drizzle]
const drizzle = process.env.DRIZZLE === '1.0' ? current : previous

/** What the doctor finds with a driver of the matrix, for which it is bundled. */
async function findingsOf(driver: string, statements: string[], foreignKeys: 'on' | 'off' = 'on'): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'doctor-'))
  const outfile = join(root, 'lab/matrix/.cache', `doctor-${driver}-${crypto.randomUUID()}.mjs`)
  onTestFinished(async () => {
    for (const path of [folder, outfile]) await rm(path, { recursive: true, force: true })
  })
  await build({
    stdin: {
      contents: `export { open } from '../../../../lab/matrix/drivers/${driver}.js'
        export { examine } from '../../../src/doctor/index.js'
        export * as tables from '../../../../test/support/schema/sqlite.js'`,
      resolveDir: import.meta.dirname,
      loader: 'ts',
    },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    plugins: [resolvePackages(drizzle, false)],
    logLevel: 'silent',
  })
  const { open, examine, tables } = await import(outfile)
  const { db, close } = await open({ url: '', file: join(folder, 'app.db'), statements, foreignKeys, connections: 1 })
  return summarize(await examine(db, tables).finally(close))
}

describe.runIf(inject('dialects').includes('sqlite'))('the doctor', () => {
  const withoutIndex = async () => (await migrationsOf('sqlite')).filter((statement) => !statement.includes('session_expires_idx'))

  test('examines libSQL', async () => {
    expect(await findingsOf('libsql', await migrationsOf('sqlite'))).toEqual([])
    expect(await findingsOf('libsql', await withoutIndex())).toEqual(['warning missing-index session.expires'])
    expect(await findingsOf('libsql', await migrationsOf('sqlite'), 'off')).toEqual(['warning not-enforced'])
  })

  test('examines D1', async () => {
    expect(await findingsOf('d1', await migrationsOf('sqlite'))).toEqual([])
    expect(await findingsOf('d1', await withoutIndex())).toEqual(['warning missing-index session.expires'])
  })
})
