import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { fixtureOf } from '../integration/upgrade/fixture.js'
import { allDialects } from '../support/dialects.js'
import { migrationsOf } from '../support/migrations.js'
import { root } from '../support/root.js'

/** Whether a statement creates a table, an index that is not unique, or a column that is nullable or has a default. */
function isAdditive(statement: string): boolean {
  if (/^create (table|index) /i.test(statement)) return true
  const column = /^alter table \S+ add (?:column )?["`]\w+["`] (.*)/i.exec(statement)?.[1] ?? 'not null'
  return !/\b(unique|primary key)\b/i.test(column) && (/\bdefault\b/i.test(column) || !/\bnot null\b/i.test(column))
}

// drizzle-kit 0.31 goes with Drizzle 0.45.
describe.runIf(process.env.DRIZZLE === 'drizzle 0.45').each(allDialects)('the migrations of %s', (dialect) => {
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

  test('begin with that of version 0.1.0, and later ones only add: old and new versions of an app work on the same tables', async () => {
    const created = (await fixtureOf(dialect)).filter((statement) => !statement.startsWith('INSERT'))
    const all = await migrationsOf(dialect)
    expect(all.slice(0, created.length)).toEqual(created)
    expect(all.slice(created.length).filter((statement) => !isAdditive(statement))).toEqual([])
  })
})
