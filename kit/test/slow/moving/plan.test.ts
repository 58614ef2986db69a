import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import * as mysqlSchema from '../../../../test/support/schema/mysql.js'
import * as pgSchema from '../../../../test/support/schema/pg.js'
import * as sqliteSchema from '../../../../test/support/schema/sqlite.js'
import { run } from '../../support/commands/app.js'
import type { OldRows } from '../../support/moving/app.js'
import { migrateSqlite, openApp } from '../../support/moving/app.js'
import * as officialSqlite from '../../support/moving/official-sqlite.js'
import { addAppTables } from '../../support/moving/own.js'
import { expectRows, expectSignIns, expectTokens } from '../../support/moving/rows.js'
import { describeTables } from '../../support/moving/shape.js'

/** Moves an app from the official adapter with the statements that `doctor --from official` prints. The app has further tables. */

interface Scenario {
  name: string
  dialect: DialectName
  options?: Parameters<typeof openApp>[1]
  /** The notices of the plan. */
  notices: string[]
}

const always = ['no-address user.email', 'undeclared-columns user.plan']
const ownTables = ['My Posts', 'avatar', 'profile'].map((table) => `other-tables ${table}`)
const ownColumns = ['My Posts.editor', 'My Posts.the author', 'avatar.owner', 'profile.user'].map((column) => `other-columns ${column}`)
const onMysql = [...always, 'capitals user.email', 'time-zone', ...ownTables, ...ownColumns]

const scenarios: Scenario[] = [
  { name: 'sqlite', dialect: 'sqlite', notices: [...always, 'rebuild'] },
  { name: 'pg', dialect: 'pg', notices: always },
  { name: 'mysql', dialect: 'mysql', notices: onMysql },
  { name: 'mysql, tables in latin1', dialect: 'mysql', options: { characterSet: 'latin1' }, notices: onMysql },
]

const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }
const idTypes = { pg: 'text', mysql: 'varchar(255)', sqlite: 'text' }

/** `code table.column` of each notice. */
const summary = (findings: { code: string; table?: string; column?: string }[]) =>
  findings.map(({ code, table, column }) => [code, [table, column].filter(Boolean).join('.')].filter(Boolean).join(' ')).sort()

describe.each(scenarios.filter(({ dialect }) => inject('dialects').includes(dialect)))('doctor --from official: $name', (scenario) => {
  const { dialect, options = {}, notices } = scenario

  // drizzle-kit runs up to four times.
  test('moves every row and session, and keeps the other tables of the app', { timeout: 240_000 }, async () => {
    const app = await openApp(dialect, options)
    onTestFinished(app.close)
    const { database, kit } = app
    const appTables = await addAppTables(dialect, database, '"user"', idTypes[dialect])
    const before = { rows: await appTables.rows(), foreignKeys: await appTables.foreignKeys() }
    const doctorArgs = ['doctor', '--from', 'official', '--url', database.url]

    const json = await run([...doctorArgs, '--json'])
    expect(summary(JSON.parse(json.stdout).findings)).toEqual([...notices].sort())
    const { code, stdout } = await run(doctorArgs)
    expect(code).toBe(0)
    expect(await appTables.rows()).toEqual(before.rows)

    // As docs/moving.md describes: the plan becomes the content of the migration.
    await app.writeMigration(() => stdout)
    if (dialect === 'sqlite') {
      await expect(kit.migrate()).rejects.toThrow()
      await expectRows(DrizzleAdapter(database.db as never, officialSqlite) as unknown as Adapter, app.old)
      expect(await appTables.rows()).toEqual(before.rows)
      await migrateSqlite(kit, database.url)
    } else await kit.migrate()

    expect({ rows: await appTables.rows(), foreignKeys: await appTables.foreignKeys() }).toEqual(before)
    const lower = dialect === 'mysql' ? (email: string) => email.toLowerCase() : (email: string) => email
    const users = app.old.users.map((user) => ({ ...user, email: lower(user.email ?? `${user.id}@no-email.invalid`) }))
    const adapter = DrizzleAdapter(database.db as never, schemas[dialect]) as unknown as Adapter
    const old = { ...app.old, users } as OldRows
    expect(old.users.length).toBeGreaterThanOrEqual(5)
    await expectRows(adapter, old)
    await expectTokens(adapter, old)

    const fresh = await openDatabase(dialect)
    onTestFinished(fresh.close)
    const isOurs = (row: Record<string, unknown>) => !/posts|profile|avatar|plan|official_/i.test(JSON.stringify(row))
    // SQLite writes the names of tables that were renamed in other quotes.
    const quoted = (rows: object[]) => JSON.parse(JSON.stringify(rows).replaceAll(/`|\\"/g, "'"))
    const shape = async (store: { run: typeof fresh.run }) =>
      (await describeTables(dialect, store.run)).map((rows) => quoted(rows.filter(isOurs)))
    expect(await shape(database)).toEqual(await shape(fresh))

    await expect(kit.generate(`./test/support/schema/${dialect}.ts`)).rejects.toThrow('No schema changes')
    expect(await run(['doctor', '--url', database.url, '--quiet'])).toMatchObject({ code: 0, stderr: '' })
    const again = JSON.parse((await run([...doctorArgs, '--json'])).stdout)
    expect(again.plan).toEqual([])
    await expectSignIns(adapter)
    expect(await appTables.rows()).toEqual(before.rows)
  })
})
