import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { describeSchema } from '../../../../test/support/better-auth.js'
import { openDatabase } from '../../../../test/support/databases.js'
import type { Source, TargetOptions } from '../../support/authjs/app.js'
import { openApp } from '../../support/authjs/app.js'
import { describeTables } from '../../support/moving/shape.js'

/** Each source with each target: the tables are those of the schema file, a second plan is empty, and undo restores everything. */

const sources: Source[] = ['defineTables', 'official', 'prisma']
const targets: TargetOptions[] = [
  { generator: 'ours' },
  { generator: 'ours', plural: true, camelCase: true },
  { generator: 'official' },
  { generator: 'official', plural: true, camelCase: true },
]
const cases = sources.flatMap((source) => targets.map((target) => ({ source, target })))

/** Tables that are not in the schema file: those set aside, and the app's own. The key of the addresses keeps its name. */
const isOwn = (row: object) => /authjs_|posts|users?_email_/i.test(JSON.stringify(row))

/** The primary key keeps its name, and the columns of users their defaults and collations. drizzle-kit compares none of them in the database. */
const comparable = (given: Record<string, unknown>) => {
  // MySQL writes the names of these columns in capitals.
  const row: Record<string, unknown> = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]))
  const isOld = /(created|updated)_?at/i.test(String(row.column ?? row.c))
  return {
    ...row,
    ...('dflt_value' in row && isOld && { dflt_value: null }),
    ...('extra' in row && isOld && { column_default: null, extra: '' }),
    ...('extra' in row && { collation_name: null }),
    ...('sql' in row && { sql: String(row.sql).replaceAll(', ', ',').replaceAll('"', '`').replaceAll('` (', '`(') }),
    ...('indexdef' in row && { indexdef: String(row.indexdef).replace(/"?users?_pkey"?/i, 'PRIMARY') }),
    ...('conname' in row && { conname: String(row.conname).replace(/^users?_pkey$/i, 'PRIMARY') }),
  }
}
const sorted = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort()

describe.each(inject('dialects'))('doctor --from authjs on %s', (dialect) => {
  test.each(cases)('from $source to $target', async ({ source, target }) => {
    const app = await openApp(dialect, source, target)
    onTestFinished(app.close)
    const before = await app.dump()
    const planned = await app.plan()
    expect(planned.findings.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(planned.code).toBe(0)
    expect(await app.dump()).toEqual(before)

    await app.apply(planned.plan)
    const { statements } = await describeSchema(app.schema, dialect)
    const fresh = await openDatabase(dialect, { migrations: statements, ...(dialect === 'mysql' && { settings: 'character set utf8mb4' }) })
    onTestFinished(fresh.close)
    const shape = async (store: { run: typeof fresh.run }) =>
      (await describeTables(dialect, store.run)).map((rows) => sorted(rows.filter((row) => !isOwn(row)).map(comparable)))
    expect(await shape(app)).toEqual(await shape(fresh))

    const [first = ''] = planned.plan.flatMap(({ sql }) => sql)
    await expect(app.apply([{ about: '', sql: [first] }])).rejects.toThrow()
    expect(await app.plan()).toMatchObject({ code: 0, plan: [] })

    await app.apply(planned.undo)
    expect(await app.dump()).toEqual(before)
  })
})
