import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BetterAuthError } from '@better-auth/core/error'
import type { BetterAuthOptions } from 'better-auth'
import { twoFactor } from 'better-auth/plugins'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as pgDrizzle } from 'drizzle-orm/postgres-js'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Config } from '../../support/generate/app.js'
import { compile, createFolder, generate, load, runCommand, textsIn } from '../../support/generate/app.js'

const columns = {
  user: `id: text('id').primaryKey(), name: text('name').notNull(), email: text('email').notNull().unique(), emailVerified: integer('email_verified', { mode: 'boolean' }).notNull(), image: text('image'), createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(), updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull()`,
  session: `id: text('id').primaryKey(), expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(), token: text('token').notNull().unique(), createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(), updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(), ipAddress: text('ip_address'), userAgent: text('user_agent'), userId: text('user_id').notNull().references(() => user.id)`,
  account: `id: text('id').primaryKey(), accountId: text('account_id').notNull(), providerId: text('provider_id').notNull(), userId: text('user_id').notNull().references(() => user.id), accessToken: text('access_token'), refreshToken: text('refresh_token'), idToken: text('id_token'), accessTokenExpiresAt: integer('access_token_expires_at', { mode: 'timestamp_ms' }), refreshTokenExpiresAt: integer('refresh_token_expires_at', { mode: 'timestamp_ms' }), scope: text('scope'), password: text('password'), createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(), updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull()`,
  verification: `id: text('id').primaryKey(), identifier: text('identifier').notNull(), value: text('value').notNull(), expiresAt: integer('expires_at', { mode: 'timestamp_ms' }).notNull(), createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(), updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull()`,
}
const imports = `import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'\n`
const indexes = {
  session: `(t) => [index('session_userId_idx').on(t.userId), index('session_expiresAt_idx').on(t.expiresAt)]`,
  account: `(t) => [index('account_userId_idx').on(t.userId), uniqueIndex('account_providerId_accountId_uidx').on(t.providerId, t.accountId)]`,
  verification: `(t) => [index('verification_identifier_idx').on(t.identifier), index('verification_expiresAt_idx').on(t.expiresAt)]`,
}
type Name = keyof typeof columns
const table = (name: Name, code = `sqliteTable('${name}', { ${columns[name]} }${name === 'user' ? '' : `, ${indexes[name]}`})`) =>
  `export const ${name} = ${code}\n`
/** A schema that has everything, but for the given tables, which have this code. */
const schemaWith = (codes: Partial<Record<Name, string>> = {}, before = imports) =>
  `${before}${(Object.keys(columns) as Name[]).map((name) => table(name, codes[name])).join('')}`

/** Fields of an app's own, and an index on one of them. */
const fields = (fields: object, indexes?: object[]): BetterAuthOptions => ({
  plugins: [{ id: 'own', schema: { user: { fields, indexes } } } as never],
})
const nick = fields({ nick: { type: 'string', required: false, index: true } })

async function run(
  files: string | Record<string, string>,
  options: BetterAuthOptions,
  config: Config = {},
  schema?: Record<string, unknown>,
) {
  const folder = await createFolder(typeof files === 'string' ? { 'schema.ts': files } : files)
  const file = join(folder, 'schema.ts')
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  onTestFinished(() => said.mockRestore())
  const passed = schema ?? (existsSync(file) ? await load(file) : {})
  const result = await generate(drizzle.mock(), passed, config, options, file).catch((error: unknown) => error)
  const notices = said.mock.calls
    .flat()
    .join('\n')
    .replaceAll(`.tmp/generate/${folder.split('/').at(-1)}/`, '')
  if (result instanceof Error) {
    expect(result).toBeInstanceOf(BetterAuthError)
    return { folder, file, code: '', path: '', notices, error: result.message.replaceAll(/\.tmp\/generate\/[\w-]+\//g, '') }
  }
  return { folder, file, ...(result as { code: string; path: string }), notices, error: '' }
}

test('a schema that has everything stays as it is, and nothing is said', async () => {
  expect(await run(schemaWith(), {})).toMatchObject({ code: '', notices: '', error: '' })
})

// What stands for the table of the users, and for the same table with another column.
const places: [name: string, code: string, added: string][] = [
  [
    'on one line',
    `sqliteTable('user', { ${columns.user} })`,
    `.notNull(), nick: text('nick') }, (table) => [\n  index('user_nick_idx').on(table.nick),\n])`,
  ],
  [
    'without a comma at the end, before a comment',
    `sqliteTable('user', {\n  ${columns.user} // the last\n  // The end.\n})`,
    `.notNull(), // the last\n  nick: text('nick')\n  // The end.\n}`,
  ],
  [
    'before a spread',
    `sqliteTable('user', {\n    ${columns.user},\n    ...{ extra: text('extra') },\n}, (t) => [ index('plain').on(t.name) ])`,
    `,\n    nick: text('nick'),\n    ...{ extra: text('extra') },\n}, (t) => [ index('plain').on(t.name), index('user_nick_idx').on(t.nick) ])`,
  ],
  [
    'with an extra config that is an object',
    `sqliteTable('user', () => ({\n\t${columns.user},\n}), (t) => ({\n\tplain: index('plain').on(t.name),\n}))`,
    `nick: text('nick'),\n}), (t) => ({\n\tplain: index('plain').on(t.name),\n\tuser_nick_idx: index('user_nick_idx').on(t.nick),\n}))`,
  ],
  [
    'with an extra config that is empty, in a function',
    `sqliteTable('user', function () { return { ${columns.user} } }, () => { return [] })`,
    `nick: text('nick') } }, (table) => { return [\n  index('user_nick_idx').on(table.nick),\n] })`,
  ],
  [
    'in parentheses, with an assertion',
    `(sqliteTable(('user'), ({\n  ${columns.user},\n}) satisfies object))`,
    `,\n  nick: text('nick'),\n}) satisfies object, (table) => [`,
  ],
]
test.each(places)('a column and its index are inserted %s', async (_, code, added) => {
  const text = schemaWith({ user: code })
  const result = await run(text, nick)
  expect(result.code).toContain(added)
  expect(result.code.endsWith(text.slice(text.indexOf('export const session')))).toBe(true)
  const folder = await createFolder({ 'schema.ts': result.code })
  expect(await compile([folder])).toBe('')
  expect(await run(result.code, nick)).toMatchObject({ code: '', error: '' })
})

test('columns are written as the imports of the file name their functions', async () => {
  const before = `import { index as on, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core'\nconst index = on, sql = 1\nvoid sql\n`
  const { code } = await run(
    schemaWith({}, before),
    fields({ nick: { type: 'string', required: false, index: true }, motto: { type: 'string', defaultValue: `it's` } }),
  )
  expect(code).toContain(`import { sql as sqlTable } from 'drizzle-orm'`)
  expect(code).toContain(`motto: text('motto').default(sqlTable\`'it''s'\`).notNull() }, (table) => [\n  on('user_nick_idx')`)
  expect(await compile([await createFolder({ 'schema.ts': code })])).toBe('')
})

test.each([
  [`customType<{ data: string }>({ dataType: () => 'blob' })`, `typeId('user_id')`],
  // Its default would be a reference to no row.
  [`(name: string) => customType<{ data: string }>({ dataType: () => 'varchar(9)' })(name).$defaultFn(() => 'a')`, `text('user_id')`],
])('a reference has the type of the app, %s', async (typeId, written) => {
  const before = imports.replace('index', 'customType, index')
  const user = `sqliteTable('user', { ${columns.user.replace('text', 'typeId')} })`
  const { code } = await run(schemaWith({ user }, `${before}const typeId = ${typeId}\n`), { plugins: [twoFactor()] })
  expect(code).toContain(`userId: ${written}.notNull().references(() => user.id, { onDelete: 'cascade' })`)
})

test('a required column without a default is nullable, with a comment', async () => {
  const { code } = await run(schemaWith(), fields({ code: { type: 'string', required: true } }))
  expect(code).toContain(
    `  // Better Auth always writes this column. Rows from before it was added have no value: fill them, then add .notNull().\n  code: text('code')`,
  )
})

test('what differs is listed with the line to write, and is not changed', async () => {
  const user = `sqliteTable('user', { ${columns.user
    .replace(`.notNull().unique()`, '.notNull()')
    .replace(`{ mode: 'boolean' }`, `{ mode: 'number' }`)
    .replace(`name: text('name').notNull()`, `name: text('name')`)}, code: text('code').notNull() })`
  const { code, error, notices } = await run(schemaWith({ user, session: `sqliteTable('session', { ${columns.session} })` }), {})
  expect({ code, error }).toEqual({ code: '', error: '' })
  expect(notices.split('\n')).toEqual([
    `schema.ts:2: user.name is nullable, and Better Auth requires it. If all rows have a value, write: name: text('name').notNull()`,
    `schema.ts:2: user.email is not unique. If no two rows have the same value, write: email: text('email').notNull().unique()`,
    `schema.ts:2: user.emailVerified is integer, and Better Auth stores boolean there. Write: emailVerified: integer('email_verified', { mode: 'boolean' }).default(false).notNull()`,
    `schema.ts:2: user.code is required, and Better Auth never writes it. Make it nullable, or give it a default: code: text('code').notNull()`,
    `schema.ts:3: session has no index for its columns. Add: index('session_userId_idx').on(table.userId)`,
    `schema.ts:3: session has no index for its columns. Add: index('session_expiresAt_idx').on(table.expiresAt)`,
  ])
})

const made = `const make = () => sqliteTable('user', { ${columns.user} })\n`
const shared = `const shared = { ${columns.user} }\n`
test.each([
  ['is made by a function', made, 'make()', 'schema.ts:3: add to user:'],
  [
    'shares its columns',
    shared,
    `sqliteTable('user', shared)\nexport const other = sqliteTable('other', shared)`,
    'schema.ts:3: add to user:',
  ],
  ['is created with a spread', made, `(sqliteTable as Function)(...['user', { ${columns.user} }])`, 'schema.ts:3: add to user:'],
])('if a table %s, the lines to add and their place are printed, and other tables are written', async (_, before, user, place) => {
  const text = schemaWith({ user }, imports + before)
  const lines = `+ nick: text('nick'),\n+ index('user_nick_idx').on(table.nick),`
  const { error, file } = await run(text, nick)
  expect(error).toContain(
    `${place}\n+ import { index, text } from 'drizzle-orm/sqlite-core'\n${lines}`.replace(
      /\+ import.*\n/,
      error.match(/\+ import.*\n/)?.[0] ?? '',
    ),
  )
  expect(await readFile(file, 'utf8')).toBe(text)
  const more = await run(text, { plugins: [twoFactor()] })
  expect(more.code).toContain('export const twoFactor = ')
  expect(more.notices).toContain(`${place}\n`)
  expect(more.notices).toContain(`+ twoFactorEnabled: integer('two_factor_enabled', { mode: 'boolean' })`)
})

test.each<[string, (text: string) => string, Config, RegExp]>([
  [
    'in the plural',
    (text) => text.replaceAll(/\b(user|session|account|verification)\b(?= = |\.id)/g, '$1s'),
    {},
    /^users is the table of user: set usePlural: true in the options of drizzleAdapter\.\nsessions is/,
  ],
  ['in the singular', (text) => text, { usePlural: true }, /^user is the table of users: remove usePlural/],
  [
    'with another name',
    (text) => text.replaceAll(/\buser\b(?= = |\.id)/g, 'people'),
    {},
    /^people is the table of user: pass it to drizzleAdapter as schema: /,
  ],
])('a table that is exported %s is not declared again', async (_, change, config, message) => {
  expect((await run(change(schemaWith()), {}, config)).error).toMatch(message)
})

test('new tables go to the file that an index re-exports, and a list of names there is left to the app', async () => {
  const runWith = (index: string) => run({ 'schema.ts': index, 'tables.ts': schemaWith() }, { plugins: [twoFactor()] })
  expect(await runWith(`export * from './tables'\n`)).toMatchObject({ notices: '' })
  const { path, notices } = await runWith(`export { user, session, account, verification } from './tables'\n`)
  expect(path).toMatch(/tables\.ts$/)
  expect(notices).toBe('If you name each table, in an export or for drizzleAdapter, add these: twoFactor.')
})

test('what a file in CommonJS lacks is printed with its place', async () => {
  const [text, schema] = [schemaWith(), await load(join(await createFolder({ 'schema.ts': schemaWith() }), 'schema.ts'))]
  const common = `${text.replace(/import (.*) from ('.*')/, 'const $1 = require($2)').replaceAll('export const', 'const')}module.exports = { user }\n`
  const { error } = await run(common, { ...nick, plugins: [...(nick.plugins ?? []), twoFactor()] }, {}, schema)
  expect(error).toMatch(/^Add by hand, with require, because the file is CommonJS:\nschema\.ts:1\n\+ import/)
  expect(error).toContain(`schema.ts:2\n+ nick: text('nick')`)
  expect(error).toContain(`schema.ts:7\n+ export const twoFactor = `)
})

test('with Drizzle 1.0, the relations of new tables are a part, and those of the app stay', async () => {
  const schema = await load(join(await createFolder({ 'schema.ts': schemaWith() }), 'schema.ts'))
  const text = `${schemaWith()}export const authRelations = defineRelations({ user, session })\n`
  const folder = await createFolder({ 'schema.ts': text })
  const db = Object.assign(drizzle.mock(), { _: { relations: {} } })
  const { code } = await generate(db, schema, {}, { plugins: [twoFactor()] }, join(folder, 'schema.ts'))
  expect(code).toContain(text.slice(text.indexOf('export const session')))
  expect(code).toContain(`// Add these to the relations of drizzle(), as in { ...relations, ...twoFactorRelations }.
export const twoFactorRelations = defineRelationsPart({ twoFactor, user }, (r) => ({
  twoFactor: {
    user: r.one.user({ from: r.twoFactor.userId, to: r.user.id }),
  },
}))
`)
})

test('a table that the file has, and the adapter does not get, is not declared again', async () => {
  const { code, folder } = await run(schemaWith(), { plugins: [twoFactor()] })
  const { twoFactor: _, ...listed } = await load(join(await createFolder({ ...(await textsIn(folder)), 'schema.ts': code }), 'schema.ts'))
  const first = await run(
    schemaWith(),
    { plugins: [twoFactor()] },
    {},
    { user: listed.user, session: listed.session, account: listed.account, verification: listed.verification },
  )
  expect(first.notices).toMatch(/If you name each table, in an export or for drizzleAdapter, add these: twoFactor\./)
  const named = await run(`${schemaWith()}export enum twoFactor { on }\n`, { plugins: [twoFactor()] })
  expect(named.notices).toMatch(/exports twoFactor, and drizzleAdapter gets no table twoFactor/)
  const again = await run(code, { plugins: [twoFactor()] }, {}, { ...listed })
  expect(again.error).toMatch(/^schema\.ts:\d+ exports twoFactor, and drizzleAdapter gets no table twoFactor: add it to its schema\.$/m)
})

test.each(['', 'export {}\n', '// The tables come here.\nexport {}\n', undefined])(
  'a file without code gets a whole schema: %j',
  async (text) => {
    const { code, error } = await run(text === undefined ? {} : { 'schema.ts': text }, {})
    expect(error).toBe('')
    expect(code).toMatch(/^\/\/ Written by `npx auth generate`\. .*additionalFields/)
    for (const name of Object.keys(columns))
      expect(code).toContain(`export const ${name} = sqliteTable('${name}', {\n  id: text('id').primaryKey(),`)
    expect(await run(code, {})).toMatchObject({ code: '', error: '', notices: '' })
  },
)

test('a file that does not exist gets the missing tables of an app that has others, and --output is named', async () => {
  const schema = await load(join(await createFolder({ 'schema.ts': schemaWith() }), 'schema.ts'))
  const { code, notices } = await run({}, { plugins: [twoFactor()] }, {}, schema)
  expect(code.match(/export const \w+/g)).toEqual(['export const twoFactor'])
  expect(code).toContain('// Better Auth wants a foreign key to user: import the table, and add .references().')
  expect(notices).toContain('npx auth generate --output src/schema.ts')
  expect((await run({}, nick, {}, schema)).error).toMatch(/^Add to user, where your app declares it:\n[\s\S]*npx auth generate --output/)
})

test('a file that does not parse is one line with its position', async () => {
  const text = `${schemaWith()}\nexport const broken = {\n`
  const { error, file, folder } = await run(text, nick, {}, {})
  expect(error).toMatch(/^schema\.ts:8:0?1: Unexpected token\. The file stays as it is\.$/)
  expect(await readFile(file, 'utf8')).toBe(text)
  const command = runCommand(folder, 'sqlite', {}, {}, { output: 'schema.ts' })
  await expect(command).rejects.toThrow(/^auth\.ts cannot be loaded: \w+ at schema\.ts:8\./)
})

test('new tables of PostgreSQL enable row level security if they are asked to', async () => {
  const folder = await createFolder({ 'schema.ts': '' })
  const first = await generate(pgDrizzle.mock(), {}, {}, {}, join(folder, 'schema.ts'))
  expect(first.code).not.toContain('enableRLS')
  const app = await createFolder({ 'schema.ts': first.code })
  expect(await runCommand(app, 'pg', {}, {}, { rls: true, yes: true })).toMatchObject({ code: 0, questions: [] })
  expect((await textsIn(app))['schema.ts']?.match(/\.enableRLS\(\)\n/g)).toHaveLength(6)
})

test('the command shows what it adds, asks, and leaves the files alone if the answer is no, or with --check', async () => {
  const app = await createFolder({ 'schema.ts': (await run('', {})).code.replaceAll('sqlite', 'sqlite') })
  const before = await textsIn(app)
  const shown = expect.stringMatching(/schema\.ts:\d+\n\+ twoFactorEnabled: integer\('two_factor_enabled', \{ mode: 'boolean' \}\)/)
  expect(await runCommand(app, 'sqlite', {}, {}, { check: true })).toMatchObject({ code: 1, out: shown, questions: [] })
  expect(await runCommand(app, 'sqlite', {}, {}, { answer: false })).toMatchObject({ code: 1, questions: ['Write these lines?'] })
  expect(await textsIn(app)).toEqual(before)
  expect(await runCommand(app, 'sqlite', {}, {}, {})).toMatchObject({ code: 0, questions: ['Write these lines?'] })
  expect((await textsIn(app))['schema.ts']).toContain('export const twoFactor = ')
})
