import { relative } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../../../test/support/dialects.js'
import { root } from '../../../../test/support/root.js'
import { openApp } from '../../support/authjs/app.js'
import { migrateSqlite } from '../../support/moving/app.js'
import type { Files } from '../../support/moving/kit.js'
import { openKit, sqlOf } from '../../support/moving/kit.js'

/** As docs/authjs-tables.md describes: the plan becomes the content of the migration that drizzle-kit generates. */

/** The migrations from no tables to the old ones, and from these to the new ones, as drizzle-kit writes them once its questions are answered. */
async function generate(dialect: DialectName, schema: string): Promise<Files> {
  const snapshots: Files[] = []
  for (const path of [`./test/support/schema/${dialect}.ts`, `./${relative(root, schema)}`]) {
    const kit = await openKit(dialect, '')
    await kit.generate(path)
    snapshots.push(await kit.read())
    await kit.remove()
  }
  const [old = {}, now = {}] = snapshots
  const journal = JSON.parse(old['meta/_journal.json'] ?? '')
  journal.entries.push({ ...journal.entries[0], idx: 1, when: journal.entries[0].when + 1, tag: '0001_better_auth' })
  const snapshot = { ...JSON.parse(now['meta/0000_snapshot.json'] ?? ''), prevId: JSON.parse(old['meta/0000_snapshot.json'] ?? '').id }
  return {
    ...old,
    'meta/_journal.json': JSON.stringify(journal),
    'meta/0001_snapshot.json': JSON.stringify(snapshot),
    '0001_better_auth.sql': '',
  }
}

describe.each(inject('dialects'))('drizzle-kit on %s', (dialect) => {
  test('runs the plan as a migration, and then finds no difference', async () => {
    const app = await openApp(dialect, 'defineTables', { generator: 'ours' })
    onTestFinished(app.close)
    const kit = await openKit(dialect, app.url)
    onTestFinished(kit.remove)
    const files = await generate(dialect, app.schema)
    const { stdout } = await app.text()
    // The tables are there already.
    const [first = ''] = sqlOf(files)
    await kit.write({ ...files, [first]: { pg: 'SELECT 1;', mysql: 'DO 0;', sqlite: 'PRAGMA user_version = 0;' }[dialect] }, () => stdout)
    if (dialect === 'sqlite') {
      await expect(kit.migrate()).rejects.toThrow()
      expect((await app.plan()).plan).not.toEqual([])
      await migrateSqlite(kit, app.url)
    } else await kit.migrate()
    expect(await app.plan()).toMatchObject({ code: 0, plan: [] })
    await expect(kit.generate(`./${relative(root, app.schema)}`)).rejects.toThrow('No schema changes')
  })
})
