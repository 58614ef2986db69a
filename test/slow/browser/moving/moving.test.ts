import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { startIdentity } from '../../../../demo/identity.js'
import { run } from '../../../../kit/test/support/commands/app.js'
import { openDatabase } from '../../../support/databases.js'
import type { DialectName } from '../../../support/dialects.js'
import { root } from '../../../support/root.js'
import { launchChromium } from '../chromium.js'
import { addDevice } from '../steps.js'
import { openBetterAuth, optionsOf } from './new.js'
import type { App, OldSetting } from './old.js'
import { authjs, hash, nextAuth, path } from './old.js'
import { startServer } from './server.js'
import type { Way } from './ways.js'
import { password, send, ways, whoIs } from './ways.js'

const { passkey: _, ...withoutPasskey } = ways
const { password: __, ...withoutPassword } = withoutPasskey

const apps: [string, (setting: OldSetting) => App, 'database' | 'jwt', Record<string, Way>][] = [
  ['Auth.js 5', authjs, 'database', ways],
  ['Auth.js 5', authjs, 'jwt', ways],
  ['next-auth 4', nextAuth, 'database', withoutPassword],
  ['next-auth 4', nextAuth, 'jwt', withoutPasskey],
]

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** A database with the tables of Auth.js, users with passwords, and a table of the app. */
async function openOldDatabase(dialect: DialectName) {
  const database = await openDatabase(dialect, { connections: 1, ...(dialect === 'mysql' && { settings: 'character set utf8mb4' }) })
  onTestFinished(database.close)
  const sql = (text: string) => (dialect === 'mysql' ? text.replaceAll('"', '`') : text)
  const exec = (text: string) => database.exec(sql(text))
  const rows = (text: string) => database.run(sql(text))
  await exec(`alter table "user" add column "password" varchar(200)`)
  const [id] = await rows(
    dialect === 'mysql'
      ? `select column_type as type from information_schema.columns where table_schema = database() and table_name = 'user' and column_name = 'id'`
      : `select 'text' as type`,
  )
  await exec(`create table "posts" ("id" int primary key, "author" ${id?.type} not null, foreign key ("author") references "user" ("id"))`)
  return { ...database, exec, rows }
}

/** Writes the schema file of Better Auth and runs the plan. Returns the schema. */
async function move(database: Awaited<ReturnType<typeof openOldDatabase>>, dialect: DialectName, options: ReturnType<typeof optionsOf>) {
  const created = await drizzleAdapter(database.db, { schema: {} })(options).createSchema?.(options, 'auth-schema.ts')
  await mkdir(join(root, '.tmp'), { recursive: true })
  const file = join(root, '.tmp', `${crypto.randomUUID()}.ts`)
  await writeFile(file, created?.code ?? '')
  const { code, stdout, stderr } = await run([
    'doctor',
    '--from',
    'authjs',
    '--url',
    database.url,
    '--schema',
    file,
    '--password',
    'user.password',
    '--json',
  ])
  expect(code, stderr).toBe(0)
  const { plan } = JSON.parse(stdout) as { plan: { sql: string[] }[] }
  if (dialect === 'pg') await database.exec('begin')
  for (const statement of plan.flatMap(({ sql }) => sql)) await database.exec(statement)
  if (dialect === 'pg') await database.exec('commit')
  return import(file)
}

describe.each(inject('dialects'))('moving to Better Auth on %s', (dialect) => {
  test.each(apps)('from %s with sessions of the kind $2', async (_name, openOld, strategy, available) => {
    const database = await openOldDatabase(dialect)
    const server = await startServer()
    onTestFinished(server.close)
    const { origin } = server
    vi.stubEnv('NEXTAUTH_URL', `${origin}${path}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    const identity = await startIdentity(origin, `${path}/callback/oidc`)
    onTestFinished(identity.close)
    const links = new Map<string, string>()
    const adapter = database.adapter()
    const setting = { ...identity, origin, links, secret: 'the secret of the old app, long enough' }
    const findUser = async (email: string) => {
      const [user] = await database.rows(`select "id", "password" from "user" where "email" = '${email}'`)
      return user && { id: String(user.id), password: user.password as string | null }
    }
    const pam = await adapter.createUser({ id: crypto.randomUUID(), email: ways.password.email, emailVerified: null })
    await database.exec(`update "user" set "password" = '${hash(password)}' where "email" = '${ways.password.email}'`)

    server.run(openOld({ ...setting, adapter, strategy, findUser }))
    const people: { name: string; way: Way; page: Page; id: string }[] = []
    for (const [name, way] of Object.entries(available)) {
      const context = await browser.newContext({ baseURL: origin })
      onTestFinished(() => context.close())
      context.setDefaultTimeout(15_000)
      const page = await context.newPage()
      await addDevice(page)
      await way.withAuthjs(page, links)
      const id = await whoIs(page)
      expect(id, name).toBe((await findUser(way.email))?.id)
      await database.exec(`insert into "posts" values (${people.length}, '${id}')`)
      people.push({ name, way, page, id: id as string })
    }
    if ('password' in available) expect(people.at(-1)?.id).toBe(pam.id)

    const options = optionsOf(setting, strategy)
    server.run(openBetterAuth(options, database.db, await move(database, dialect, options)))
    for (const { name, way, page, id } of people) {
      const cookies = async () =>
        (await page.context().cookies(origin)).map((cookie) => cookie.name).filter((name) => /session.token/.test(name))
      const old = await cookies()
      expect(old).toHaveLength(1)
      expect(await whoIs(page), `${name}: the page of the app`).toBe(id)
      expect(await send(page, 'get-session'), name).toMatchObject({ user: { id } })
      expect(await send(page, 'get-session'), name).toMatchObject({ user: { id } })
      expect(await cookies()).toEqual(['better-auth.session_token'])
      expect(await whoIs(page)).toBe(id)

      await send(page, 'sign-out', {})
      expect(await whoIs(page)).toBe('nobody')
      await way.withBetterAuth(page, links)
      expect(await whoIs(page), `${name}: signing in again`).toBe(id)
    }
    const posts = await database.rows(
      `select "user"."email" from "posts" join "user" on "user"."id" = "posts"."author" order by "posts"."id"`,
    )
    expect(posts.map(({ email }) => String(email))).toEqual(Object.values(available).map(({ email }) => email))
  })
})
