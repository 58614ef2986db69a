import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { statementsOf } from '../../../../test/support/migrations.js'
import { run } from '../../support/commands/app.js'
import { documentedFile, openApp } from '../../support/moving/app.js'
import type { Kit } from '../../support/moving/kit.js'
import { openKit } from '../../support/moving/kit.js'
import { prismaTables } from '../../support/moving/others/prisma.js'

/** Once the plan was run with a database client, drizzle-kit must know that the tables have changed. */

const open = (dialect: DialectName, migrations: string[] = []) =>
  openDatabase(dialect, {
    migrations: dialect === 'mysql' ? ['alter database character set utf8mb4', ...migrations] : migrations,
    connections: 1,
  })
const withPosts: Record<DialectName, string> = { pg: 'posts-pg', mysql: 'posts', sqlite: 'posts-sqlite' }

/** What docs/moving.md describes, and then an ordinary change of the schema. `plan` replaces the generated migration in the end. */
async function continueWith(dialect: DialectName, kit: Kit, plan?: string) {
  await kit.generate(`./test/support/schema/${dialect}.ts`)
  const generated = await kit.read()
  const applied = await documentedFile('applied.sql')
  await kit.write(generated, () => applied)
  await kit.migrate()
  await kit.write(generated, (text) => plan ?? text)
  await expect(kit.generate(`./test/support/schema/${dialect}.ts`)).rejects.toThrow('No schema changes')
  await kit.generate(`./kit/test/support/moving/${withPosts[dialect]}.ts`)
  await kit.migrate()

  const fresh = await open(dialect)
  const other = await openKit(dialect, fresh.url)
  onTestFinished(async () => {
    await fresh.close()
    await other.remove()
  })
  await other.write(await kit.read())
  await other.migrate()
  expect(await fresh.run('select * from post')).toEqual([])
}

describe.each(inject('dialects'))('drizzle-kit on %s', (dialect) => {
  test('continues from its earlier migrations, on this database and on new ones', async () => {
    const { database, kit, close } = await openApp(dialect)
    onTestFinished(close)
    const { stdout } = await run(['doctor', '--from', 'official', '--url', database.url])
    for (const statement of statementsOf(stdout)) await database.exec(statement)
    await continueWith(dialect, kit, dialect === 'mysql' ? stdout : undefined)
    expect(await database.run('select * from post')).toEqual([])
    expect(await database.run('select * from session')).not.toEqual([])
  })

  test('starts from the tables that the plan created', async () => {
    const database = await open(dialect, prismaTables[dialect])
    const kit = await openKit(dialect, database.url)
    onTestFinished(async () => {
      await database.close()
      await kit.remove()
    })
    const { stdout } = await run(['doctor', '--from', 'prisma', '--url', database.url])
    for (const statement of statementsOf(stdout)) await database.exec(statement)
    await continueWith(dialect, kit)
    expect(await database.run('select * from post')).toEqual([])
  })
})
