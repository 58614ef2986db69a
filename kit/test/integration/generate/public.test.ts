import { readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth'
import { getTableName, is, Table } from 'drizzle-orm'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { drizzleAdapter } from '../../../../src/better-auth/index.js'
import { openUnicode } from '../../../../test/auth/better-auth/store.js'
import { officialGenerators } from '../../../../test/support/better-auth.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import type { Config } from '../../support/generate/app.js'
import {
  compile,
  createFolder,
  describe as describeSchema,
  generate,
  load,
  runCommand,
  statementsBetween,
  textsIn,
} from '../../support/generate/app.js'
import { base, grow } from '../../support/generate/options.js'

const schemas = join(import.meta.dirname, '../../support/generate/schemas')

interface Style {
  config?: Config
  options?: BetterAuthOptions
  /** Statements to run before the tables are created. */
  prepare?: string
  /** How the app names the columns that have no names in the code. */
  casing?: 'snake_case'
  /** The file that is edited, if `schema.ts` re-exports it. */
  file?: string
  /** Whether several files are edited, which only our own command does. */
  hasSeveral?: boolean
  /** What the new lines must contain. */
  shows: string[]
}

const generatedIds: BetterAuthOptions = { advanced: { database: { generateId: false } } }

// Schemas as public apps have them, in the folders of these names, and what Better Auth's own generator writes.
const styles: Record<string, Style> = {
  'pg-official': {
    shows: ['export const organizationRelations = relations(organization, ({ many }) => ({', '  username: text("username").unique(),'],
  },
  'pg-t3': {
    casing: 'snake_case',
    file: 'schema/auth-schema.ts',
    shows: [
      '  username: t.text().unique(),',
      'export const organization = createTable("organization", (t) => ({',
      '(session) => [index("session_user").on(session.userId)],',
    ],
  },
  'pg-supabase': {
    config: { usePlural: true },
    options: generatedIds,
    shows: [
      `    plan: text('plan').default('free').notNull(),`,
      '.enableRLS()',
      `userId: uuid('user_id').notNull().references(() => users.id`,
    ],
  },
  'pg-namespace': {
    options: generatedIds,
    hasSeveral: true,
    prepare: 'create extension citext; create schema auth',
    shows: [`\timpersonatedBy: text('impersonatedBy'),\n\t...timestamps`, `auth.table('organization', {`],
  },
  'pg-casing': { casing: 'snake_case', shows: ['username: p.text().unique()', `export const organization = p.pgTable('organization', {`] },
  'mysql-official': { shows: ['userId: varchar("user_id", { length: 36 })', `import { exactText } from "drizzle-auth-adapter/mysql";`] },
  'mysql-plural': {
    config: { usePlural: true },
    options: { user: { fields: { emailVerified: 'email_verified' } } },
    shows: ['\tusername: exactText("username").unique()', 'userId: varchar("user_id", { length: 64 })'],
  },
  'sqlite-official': { shows: ['activeOrganizationId: text("active_organization_id"),', 'export const memberRelations'] },
  'sqlite-crlf': {
    shows: [
      `  username: text('username').unique(),\r\n`,
      'export { organizationTable as organization }',
      `    username: text('username').unique(),\r\n`,
    ],
  },
  'sqlite-callback': {
    options: { advanced: { database: { generateId: 'serial' } } },
    shows: [
      'const organization = createTable("organization", (d) => ({',
      'organizationId: d.integer().notNull().references(() => organization.id',
    ],
  },
}

/** What a migration may do to a database with rows. */
const isAddition = /^(CREATE (TABLE|INDEX|UNIQUE INDEX) |ALTER TABLE \S+ (ADD|ENABLE ROW))/
const isRebuild = /\b(DROP|MODIFY|ALTER COLUMN|RENAME)\b|__new_/
const credentials = { email: 'ada@example.com', password: 'correct horse battery staple' }

test('each folder of schemas is tested', () => expect(Object.keys(styles)).toEqual(expect.arrayContaining(readdirSync(schemas))))

const names = Object.keys(styles).filter((name) => inject('dialects').includes(name.split('-')[0] as DialectName))

describe.each(names)('%s', (name) => {
  const dialect = name.split('-')[0] as DialectName
  const { config = {}, options = {}, prepare, casing, file = 'schema.ts', hasSeveral, shows } = styles[name] as Style
  const grown = grow(options)
  const isOfficial = name.endsWith('-official')

  test('gets a new plugin and new fields, and nothing else changes', async () => {
    const notices = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => notices.mockRestore())
    const folder = await createFolder(isOfficial ? { 'schema.ts': await officialGenerators.main(dialect, base) } : join(schemas, name))
    const before = await load(join(folder, 'schema.ts'))
    const snapshot = await describeSchema(before, dialect, casing)
    const created = await statementsBetween(dialect, await describeSchema({}, dialect), snapshot)
    const migrations = created.filter((statement) => !(prepare?.includes('schema') && statement.startsWith('CREATE SCHEMA')))
    const database = await openUnicode(dialect, [...(prepare?.split(';') ?? []), ...migrations])
    onTestFinished(async () => void (await database.close()))
    const { db } = database
    const authWith = (options: BetterAuthOptions, schema: Record<string, unknown>) =>
      betterAuth({ ...options, database: drizzleAdapter(withCasing(db, casing), { schema, ...config }) })
    const first = authWith({ ...base, ...options }, before)
    await first.api.signUpEmail({ body: { name: 'Ada', ...credentials } })

    const rowsOf = async () => {
      const rows: Record<string, unknown> = {}
      for (const table of Object.values(before).filter((each): each is Table => is(each, Table)))
        rows[getTableName(table)] = await (db as never as { select(): { from(table: Table): Promise<unknown> } }).select().from(table)
      return rows
    }
    const rows = await rowsOf()

    const old = await textsIn(folder)
    if (hasSeveral) expect(await runCommand(folder, dialect, config, options, { yes: true })).toMatchObject({ code: 0 })
    else {
      const { code, path, overwrite } = await generate(db, before, config, grown, join(folder, 'schema.ts'))
      expect({ path, overwrite }).toEqual({ path: join(folder, file), overwrite: true })
      await writeFile(path, code)
    }
    const texts = await textsIn(folder)
    for (const [name, text] of Object.entries(old)) expectOnlyAdded(text, texts[name] ?? '')
    for (const line of shows) expect(Object.values(texts).join('\n').includes(line), line).toBe(true)
    expect(await compile([folder])).toBe('')

    const after = await load(join(folder, 'schema.ts'))
    const next = await describeSchema(after, dialect, casing)
    const statements = await statementsBetween(dialect, snapshot, next)
    for (const statement of statements) {
      expect(statement).toMatch(isAddition)
      expect(statement).not.toMatch(isRebuild)
      for (const part of statement.split('--> statement-breakpoint')) if (part.trim()) await database.exec(part)
    }
    expect(await rowsOf()).toEqual(rows)

    expect(await generate(db, after, config, grown, join(folder, 'schema.ts'))).toMatchObject({ code: '' })
    // Modules are loaded once.
    const again = await createFolder(folder)
    expect(await runCommand(again, dialect, config, options, { check: true })).toMatchObject({
      code: 0,
      out: expect.stringContaining('has everything'),
    })
    expect(await textsIn(folder)).toEqual(texts)

    const auth = authWith(grown, after)
    const { headers } = await auth.api.signInEmail({ body: credentials, returnHeaders: true })
    const cookie = new Headers({
      cookie: headers
        .getSetCookie()
        .map((each) => each.split(';')[0])
        .join('; '),
    })
    const api = auth.api as unknown as Record<string, (input: object) => Promise<Record<string, unknown>>>
    expect(await api.createOrganization?.({ body: { name: 'Acme', slug: 'acme' }, headers: cookie })).toMatchObject({ slug: 'acme' })
    await api.updateUser?.({ body: { username: 'ada' }, headers: cookie })
    expect(await api.signInUsername?.({ body: { username: 'ada', password: credentials.password } })).toMatchObject({
      user: { username: 'ada' },
    })
    expect(await api.enableTwoFactor?.({ body: { password: credentials.password }, headers: cookie })).toMatchObject({
      totpURI: expect.any(String),
    })
  })
})

/** A database of an app that has been started anew: Drizzle remembers the names of the columns of a table. */
function withCasing(db: object, casing: string | undefined): object {
  const { dialect } = db as { dialect: { casing: object } }
  const Casing = dialect.casing.constructor as new (casing?: string) => object
  dialect.casing = new Casing(casing)
  return db
}

/** Every character stays, and so does every line, but for commas and imports at its end. */
function expectOnlyAdded(before: string, after: string): void {
  let at = -1
  for (const character of before) {
    at = after.indexOf(character, at + 1)
    expect(at).toBeGreaterThanOrEqual(0)
  }
  const lines = after.split('\n')
  let from = 0
  for (const line of before.split('\n')) {
    const start = line.replace(/( ?[})\]]|,|\r)[\s\S]*$/, '')
    const found = lines.findIndex((each, position) => position >= from && (each === line || each.startsWith(start)))
    expect(found, line).toBeGreaterThanOrEqual(0)
    from = found + 1
  }
}
