import type { Adapter } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { statementsOf } from '../../../../test/support/migrations.js'
import * as mysqlSchema from '../../../../test/support/schema/mysql.js'
import * as pgSchema from '../../../../test/support/schema/pg.js'
import * as sqliteSchema from '../../../../test/support/schema/sqlite.js'
import { run } from '../../support/commands/app.js'
import { seedAsPrisma, seedOldApp, seedWithKysely } from '../../support/moving/others/fill.js'
import { kyselyTables } from '../../support/moving/others/kysely.js'
import { prismaTables } from '../../support/moving/others/prisma.js'
import { addAppTables } from '../../support/moving/own.js'
import { expectRows, expectSignIns, expectTokens } from '../../support/moving/rows.js'

/** Moves apps from the Prisma and the Kysely adapter with the statements that `doctor --from` prints. The apps have further tables. */

const sources = {
  prisma: {
    tables: prismaTables,
    seed: seedAsPrisma,
    ids: { pg: 'text', mysql: 'varchar(191) collate utf8mb4_unicode_ci', sqlite: 'text' },
  },
  kysely: { tables: kyselyTables, seed: seedWithKysely, ids: { pg: 'uuid', mysql: 'varchar(36)', sqlite: 'text' } },
}

const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }

const open = {
  async sqlite(migrations: string[]) {
    const database = await openSqlite({ migrations })
    return { ...database, url: database.client.name }
  },
  pg: (migrations: string[]) => openPg({ migrations, connections: 1 }),
  mysql: (migrations: string[]) => openMysql({ migrations: ['alter database character set utf8mb4', ...migrations], connections: 1 }),
}

const cases = inject('dialects').flatMap((dialect) =>
  Object.keys(sources).map((source) => [dialect, source as keyof typeof sources] as const),
)

describe.each(cases)('on %s, from %s', (dialect: DialectName, source) => {
  test('keeps every row and session, and the other tables of the app', async () => {
    const { tables, seed, ids } = sources[source]
    const database = await open[dialect](tables[dialect])
    onTestFinished(database.close)
    const old = await seedOldApp(dialect, database.url, seed, source === 'prisma')
    expect(old.users.length).toBeGreaterThanOrEqual(4)
    const appTables = await addAppTables(dialect, database, '"User"', ids[dialect])
    const before = { rows: await appTables.rows(), foreignKeys: await appTables.foreignKeys() }

    const doctorArgs = ['doctor', '--from', source, '--url', database.url]
    const { code, stdout } = await run(doctorArgs)
    expect(code, stdout).toBe(0)
    for (const statement of statementsOf(stdout)) await database.exec(statement)

    expect({ rows: await appTables.rows(), foreignKeys: await appTables.foreignKeys() }).toEqual(before)
    const adapter = DrizzleAdapter(database.db as never, schemas[dialect]) as unknown as Adapter
    const lower = (email: string | null) => (dialect === 'mysql' ? (email?.toLowerCase() ?? null) : email)
    const rows = { ...old, users: old.users.map((user) => ({ ...user, email: lower(user.email) })) }
    await expectRows(adapter, rows)
    await expectTokens(adapter, rows)
    const { code: doctorCode, stdout: findings } = await run(['doctor', '--url', database.url])
    expect(doctorCode, findings).toBe(0)
    expect(JSON.parse((await run([...doctorArgs, '--json'])).stdout).plan).toEqual([])
    await expectSignIns(adapter)
    expect(await appTables.rows()).toEqual(before.rows)
  })
})
