import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from 'drizzle-orm/postgres-js/migrator'
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { capture } from '../../../../test/support/process.js'
import { folderWith, installedApp, run, start } from '../../support/commands/app.js'
import { openTestDatabase } from '../../support/doctor/database.js'

// Whoever may create a table or a foreign key chooses names. No name may run as SQL or as a command, or change what a terminal shows.

const hidden = /[^\P{C}\n]|[\u2028\u2029]/u
const plan = (url: string, ...args: string[]) => ['doctor', '--from', 'official', '--url', url, ...args]

let app: string
beforeAll(async () => {
  app = await installedApp()
})

const openers = {
  pg: openPg,
  mysql: openMysql,
  sqlite: async () => openSqlite().then((opened) => ({ ...opened, url: opened.client.name })),
}

async function open(dialect: DialectName) {
  const opened = await openers[dialect]()
  onTestFinished(opened.close)
  return { ...opened, exec: (statement: string) => opened.exec(dialect === 'mysql' ? statement.replaceAll('"', '`') : statement) }
}

/** A database in which a plan changes the type of `user.id`, and of every column that references it. */
async function openOld() {
  const database = await open('pg')
  await database.exec('alter table "user" alter column "id" type varchar(255)')
  return database
}

/** A table of somebody else that references users, with a foreign key of this name. */
const reference = (name: string) =>
  `create table "theirs" ("id" int primary key, "owner" text, constraint "${name}" foreign key ("owner") references "user" ("id"))`

describe.runIf(inject('dialects').includes('pg'))('the name of a foreign key on pg', () => {
  test.each(['\r', '\n', '\r\n', '\f', '\u0085', '\u2028', '\x1b[2K', '\x1f'])('with %j runs nothing in psql', async (character) => {
    const database = await openOld()
    const folder = await folderWith({})
    await database.exec(reference(`x${character}\\! touch pwned`))
    const { code, stdout } = await start(app, plan(database.url)).ended
    await writeFile(join(folder, 'plan.sql'), stdout)
    await capture('psql', [database.url, '-v', 'ON_ERROR_STOP=1', '--single-transaction', '-f', 'plan.sql'], { cwd: folder })
    expect(existsSync(join(folder, 'pwned'))).toBe(false)
    expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringMatching(/x(\\u[\da-f]{4})+\S*\\! touch pwned.* \[unsafe-text\]$/m) })
    expect(stdout).not.toMatch(hidden)
    expect(stdout.split('\n').filter((line) => line && !line.startsWith('--'))).toEqual([])
    const json = JSON.parse((await start(app, plan(database.url, '--json')).ended).stdout)
    expect(json).toMatchObject({ findings: [{ code: 'unsafe-text', severity: 'error' }, ...json.findings.slice(1)], plan: [] })
  })

  test("with a breakpoint runs nothing in Drizzle's migrator", async () => {
    const database = await openOld()
    await database.exec('create table billing (id int)')
    await database.exec(reference('--> statement-breakpoint commit; drop table billing; --'))
    const { code, stdout } = await start(app, plan(database.url)).ended
    const folder = await folderWith({
      'meta/_journal.json': JSON.stringify({ entries: [{ idx: 0, when: 1, tag: '0000_plan', breakpoints: true }] }),
      '0000_plan.sql': stdout,
    })
    await migrate(database.db as never, { migrationsFolder: folder }).catch(() => {})
    expect(await database.run(`select to_regclass('billing')::text as name`)).toEqual([{ name: 'billing' }])
    expect(code).toBe(1)
    expect(stdout).toMatch(/--\\u003e statement-breakpoint commit; drop table billing; --.* \[unsafe-text\]$/m)
  })
})

describe.each(inject('dialects'))('a name with control characters on %s', (dialect) => {
  test('is escaped in what the doctor prints, and complete in its JSON', async () => {
    const name = 'x\x1b[2J\x1b[Hnothing found\n\r\x9b1A\u2028\u202e'
    const { url } = await openTestDatabase(dialect, { changes: [[/"image" [^,\n]+/, `$&, "${name}" varchar(10) not null`]] })
    const { stdout } = await start(app, ['doctor', '--url', url]).ended
    expect(stdout).toContain('user.x\\u001b[2J\\u001b[Hnothing found\\u000a\\u000d\\u009b1A\\u2028\\u202e: ')
    const json = (await start(app, ['doctor', '--url', url, '--json']).ended).stdout
    expect(JSON.parse(json)).toMatchObject({ findings: [{ code: 'required-column', column: name }] })
    for (const printed of [stdout, json]) expect(printed).not.toMatch(hidden)
  })

  test.each([
    ['a column', ['alter table "user" add column "a\nb" varchar(10)']],
    [
      'an index',
      [
        `drop index "session_expires_idx"${dialect === 'mysql' ? ' on "session"' : ''}`,
        'create index "a\nb" on "session" ("expires", "userId")',
      ],
    ],
  ])('refuses the plan: %s', async (_, statements) => {
    const { url, exec } = await open(dialect)
    for (const statement of statements) await exec(statement)
    const { code, stdout } = await run(plan(url, '--json'))
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 1,
      findings: [{ code: 'unsafe-text', message: expect.stringContaining('a\\u000ab') }, ...JSON.parse(stdout).findings.slice(1)],
      plan: [],
    })
  })
})
