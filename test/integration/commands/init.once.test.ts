import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, run } from './app.js'

const packageWith = (dependencies: string[], more: object = {}) =>
  JSON.stringify({ type: 'module', dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])), ...more })

const read = (folder: string, file: string) => readFile(join(folder, file), 'utf8')
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

/** Runs `init` in a new folder with these files. Returns what it printed and the files that it wrote. */
async function init(files: Record<string, string>, args: string[] = [], more: { answers?: string[]; env?: Record<string, string> } = {}) {
  const folder = await folderWith(files)
  const { code, stdout, stderr } = await run(['init', ...args], { cwd: folder, ...more })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const [file, text] of Object.entries(files)) expect(await read(folder, file), `${file} is untouched`).toBe(text)
  const written = (await filesIn(folder)).filter((file) => !(file in files))
  return { folder, stdout, written, text: (file: string) => read(folder, file) }
}

const kitConfig = (settings: string) => `import { defineConfig } from 'drizzle-kit'\nexport default defineConfig({\n${settings}\n})\n`

describe('init in an empty folder', () => {
  test('writes an app that can be started, and prints each step', async () => {
    const { stdout, written, text } = await init({}, ['--dialect', 'sqlite'])
    expect(written).toEqual(['auth.ts', 'drizzle.config.ts', 'package.json', 'schema.ts', 'server.ts', 'tsconfig.json'])
    expect(JSON.parse(await text('package.json'))).toEqual({ private: true, type: 'module' })
    expect(await text('schema.ts')).toContain("from 'drizzle-auth-adapter/sqlite'")
    expect(await text('auth.ts')).toContain("from 'drizzle-orm/better-sqlite3'")
    expect(await text('drizzle.config.ts')).toContain("schema: './schema.ts'")
    for (const line of [
      'npm install drizzle-auth-adapter @auth/core drizzle-orm better-sqlite3',
      'npm install --save-dev drizzle-kit @types/better-sqlite3 tsx typescript @types/node',
      'DATABASE_URL=app.db',
      'npx drizzle-kit generate',
      'npx drizzle-kit migrate',
      'npx tsx --env-file=.env server.ts',
    ])
      expect(stdout).toContain(`\n     ${line}\n`)
  })

  test('asks for the dialect and the driver, and repeats the question after an invalid answer', async () => {
    const answers = ['oracle', 'postgresql', 'pg']
    const { stdout, text } = await init({}, [], { answers })
    expect(answers).toEqual([])
    expect(stdout.match(/Which database\? postgresql, mysql, sqlite: /g)).toHaveLength(2)
    expect(stdout).toContain('Which driver? [postgres], pg, ')
    expect(await text('auth.ts')).toContain("from 'drizzle-orm/node-postgres'")
  })

  test('uses the default driver if the answer is empty, and does not ask what an option says', async () => {
    const first = await init({}, [], { answers: ['mysql', ''] })
    expect(await first.text('auth.ts')).toContain("from 'drizzle-orm/mysql2'")
    const second = await init({}, ['--driver', '@libsql/client'], { answers: [] })
    expect(await second.text('drizzle.config.ts')).toContain("dialect: 'turso'")
    expect(await second.text('auth.ts')).toContain("authToken: process.env.DATABASE_AUTH_TOKEN ?? ''")
  })

  test('writes nothing without a terminal and a dialect', async () => {
    const folder = await folderWith({})
    expect(await run(['init'], { cwd: folder })).toMatchObject({ code: 2, stderr: expect.stringContaining('--dialect') })
    expect(await filesIn(folder)).toEqual([])
  })

  test('--dry-run writes nothing and prints each file', async () => {
    const { stdout, written } = await init({}, ['--dialect', 'mysql', '--dry-run'])
    expect(written).toEqual([])
    expect(stdout).toContain('Would write')
    expect(stdout).toContain("    import { defineTables } from 'drizzle-auth-adapter/mysql'\n")
    expect(stdout).toContain('npx drizzle-kit migrate')
  })

  test('a second run changes nothing, and prints the same steps', async () => {
    const { folder, stdout } = await init({}, ['--dialect', 'postgresql'])
    const before = await Promise.all((await filesIn(folder)).map((file) => read(folder, file)))
    const again = await run(['init'], { cwd: folder })
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(await Promise.all((await filesIn(folder)).map((file) => read(folder, file)))).toEqual(before)
    expect(again.stdout).not.toContain('Written')
    expect(again.stdout).toContain('schema.ts has the tables\n')
    expect(again.stdout).toContain('auth.ts has the adapter\n')
    expect(again.stdout.slice(again.stdout.indexOf('\nNext\n'))).toBe(stdout.slice(stdout.indexOf('\nNext\n')))
  })
})

describe('init in an app', () => {
  const next = packageWith(['next', 'drizzle-orm', 'postgres', 'typescript', 'drizzle-kit'])
  const config = kitConfig(`  dialect: 'postgresql',\n  schema: './db/schema.ts',`)
  const posts = `import { pgTable } from 'drizzle-orm/pg-core'\nexport const posts = pgTable('posts', {})\n`

  test('of Next.js with Drizzle: writes new files, and prints what to add to existing ones', async () => {
    const db = `import { drizzle } from 'drizzle-orm/postgres-js'\nexport const db = drizzle('')\n`
    const files = { 'package.json': next, 'drizzle.config.ts': config, 'db/schema.ts': posts, 'db/index.ts': db, 'app/page.tsx': '' }
    const { stdout, written, text } = await init(files)
    expect(written).toEqual(['app/api/auth/[...nextauth]/route.ts', 'auth.ts', 'db/auth-schema.ts'])
    expect(await text('app/api/auth/[...nextauth]/route.ts')).toContain("from '../../../../auth'")
    expect(await text('auth.ts')).toContain("import { db } from './db'\nimport * as tables from './db/auth-schema'\n")
    expect(stdout).toContain("Add to db/schema.ts:\n\n     export * from './auth-schema'\n")
    expect(stdout).toContain('\n     npm install drizzle-auth-adapter next-auth@beta\n')
    expect(stdout).not.toContain('--save-dev')
    expect(stdout).toContain('drizzle.config.ts is there')
    expect(stdout).toContain('http://localhost:3000/api/auth/signin')
  })

  test.each([
    [['src/app/page.tsx'], 'src/app/api/auth/[...nextauth]/route.ts', 'src/auth.ts'],
    [['app/page.tsx', 'src/lib.ts'], 'app/api/auth/[...nextauth]/route.ts', 'auth.ts'],
    [['src/pages/index.tsx'], 'src/app/api/auth/[...nextauth]/route.ts', 'src/auth.ts'],
    [['pages/index.tsx'], 'app/api/auth/[...nextauth]/route.ts', 'auth.ts'],
  ])('of Next.js with %j', async (pages, route, auth) => {
    const files = { 'package.json': next, ...Object.fromEntries(pages.map((page) => [page, ''])) }
    expect((await init(files)).written).toEqual(expect.arrayContaining([route, auth]))
  })

  test('of Next.js that has Auth.js already: prints what to add to it', async () => {
    const auth = `import NextAuth from 'next-auth'\nexport const { handlers } = NextAuth({ providers: [] })\n`
    const route = `export { GET, POST } from '@/lib/auth'\n`
    const files = { 'package.json': next, 'lib/auth.ts': auth, 'app/api/auth/[...nextauth]/route.ts': route }
    const { stdout, written } = await init(files)
    expect(written).toEqual(['drizzle.config.ts', 'schema.ts'])
    expect(stdout).toMatch(
      /Add to lib\/auth\.ts:\n\n {5}import \{ DrizzleAdapter \}[\s\S]*from '\.\.\/schema'[\s\S]*adapter: DrizzleAdapter\(db, tables\),/,
    )
  })

  test('of Next.js with an auth.ts of another library: writes no file that imports from it', async () => {
    const { stdout, written } = await init({ 'package.json': next, 'auth.ts': 'export const lucia = 1\n', 'app/page.tsx': '' })
    expect(written).toEqual(['drizzle.config.ts', 'schema.ts'])
    expect(stdout).toContain('Mount the handler of Auth.js, as in a file app/api/auth/[...nextauth]/route.ts:')
  })

  test('whose db is not a Drizzle database: does not import it', async () => {
    const { text } = await init({ 'package.json': next, 'lib/db.ts': 'export const db = new PrismaClient()\n' })
    expect(await text('auth.ts')).not.toContain('lib/db')
  })

  test('of next-auth 4: writes the tables, and prints a line for its options', async () => {
    const old = JSON.stringify({ dependencies: { next: '^15.0.0', 'next-auth': '^4.24.0', pg: '^8.0.0' } })
    const { stdout, written } = await init({ 'package.json': old })
    expect(written).toEqual(['drizzle.config.js', 'schema.js'])
    expect(stdout).toContain('next-auth 4 is installed. Add to its options:')
    expect(stdout).not.toContain('next-auth@beta')
  })

  test('of SvelteKit: mounts the handler in hooks.server.ts, and does not change an existing one', async () => {
    const kit = packageWith(['@sveltejs/kit', 'better-sqlite3', 'typescript'])
    const { written, text, stdout } = await init({ 'package.json': kit })
    expect(written).toEqual(['drizzle.config.ts', 'src/auth.ts', 'src/hooks.server.ts', 'src/schema.ts'])
    expect(await text('src/auth.ts')).toContain('const url = env.DATABASE_URL\n')
    expect(stdout).toContain('http://localhost:5173/auth/signin')
    const own = 'export const handle = ({ event, resolve }) => resolve(event)\n'
    const second = await init({ 'package.json': kit, 'src/hooks.server.ts': own })
    expect(second.stdout).toContain("Add to src/hooks.server.ts:\n\n     export { handle } from './auth'\n")
  })

  test.each([
    ['express', "app.use('/auth', ExpressAuth(authConfig))", 'npm install drizzle-auth-adapter @auth/express drizzle-orm'],
    ['hono', "app.use('/auth/*', authHandler())", 'npm install drizzle-auth-adapter @hono/auth-js @auth/core drizzle-orm'],
    ['fastify', 'const response = await handleAuth(request)', 'npm install drizzle-auth-adapter @auth/core drizzle-orm'],
  ])('of %s: prints where the handler is mounted', async (framework, line, install) => {
    const { stdout, written } = await init({ 'package.json': packageWith([framework, 'mysql2', 'typescript']), 'src/app.ts': '' })
    expect(written).toEqual(['drizzle.config.ts', 'src/auth.ts', 'src/schema.ts'])
    expect(stdout).toContain(`\n     ${line}\n`)
    expect(stdout).toContain(`\n     ${install}\n`)
  })

  test('with D1: the database comes with the request, and Wrangler applies the migrations', async () => {
    const wrangler = '{ "d1_databases": [{ "binding": "DB" }] }'
    const { stdout, text } = await init({ 'package.json': packageWith(['hono', 'typescript']), 'wrangler.jsonc': wrangler })
    expect(await text('auth.ts')).toContain('DrizzleAdapter(drizzle(env.DB), tables)')
    expect(await text('drizzle.config.ts')).not.toContain('dbCredentials')
    expect(stdout).toContain('initAuthConfig((c) => authConfig(c.env))')
    expect(stdout).toContain('npx wrangler d1 migrations apply DB --local')
    expect(stdout).toContain('npm install --save-dev drizzle-kit wrangler\n')
    expect(stdout).toContain('.dev.vars')
  })

  test('in JavaScript: writes JavaScript, and tells a CommonJS app to become an ES module', async () => {
    const { stdout, written, text } = await init({ 'package.json': packageWith(['express', 'pg'], { type: 'commonjs' }) })
    expect(written).toEqual(['auth.js', 'drizzle.config.js', 'schema.js'])
    expect(await text('auth.js')).not.toMatch(/\btype\b.*from|: \w+Config/)
    expect(stdout).toContain('npm pkg set type=module')
    // With a bundler, CommonJS is no problem.
    expect((await init({ 'package.json': packageWith(['next', 'pg'], { type: 'commonjs' }) })).stdout).not.toContain('pkg set')
  })

  test('tells apps with an old Drizzle to update, and installs the drizzle-kit of Drizzle 1.0', async () => {
    const old = await init({ 'package.json': packageWith(['next', 'pg'], { devDependencies: { 'drizzle-orm': '^0.36.0' } }) })
    expect(old.stdout).toMatch(/your Drizzle is older than 0\.45.*\n\n.*drizzle-orm@latest\n/)
    const one = await init({ 'package.json': packageWith(['next', 'pg'], { devDependencies: { 'drizzle-orm': '1.0.0-rc.5' } }) })
    expect(one.stdout).toContain('drizzle-kit@1.0.0-rc.5')
  })
})

describe('init finds', () => {
  const app = packageWith(['express', 'typescript'])

  test.each([
    ['postgresql', 'drizzle.config.ts', 'drizzle-auth-adapter/pg'],
    ['mysql', 'drizzle.config.js', 'drizzle-auth-adapter/mysql'],
    ['sqlite', 'drizzle.config.mjs', 'drizzle-auth-adapter/sqlite'],
    ['turso', 'drizzle.config.ts', 'drizzle-auth-adapter/sqlite'],
  ])('the dialect %s in %s, which it does not run', async (dialect, file, module) => {
    const text = kitConfig(`  // dialect: 'gel',\n  dialect: '${dialect}',\n  schema: './tables.ts',\n  dbCredentials: { url: missing() },`)
    const { written, text: read } = await init({ 'package.json': app, [file]: text })
    expect(written).toEqual(['auth.ts', 'tables.ts'])
    expect(await read('tables.ts')).toContain(module)
  })

  test('an unsupported dialect', async () => {
    const folder = await folderWith({ 'package.json': app, 'drizzle.config.ts': kitConfig(`  dialect: 'singlestore',`) })
    expect(await run(['init'], { cwd: folder })).toMatchObject({ code: 2, stderr: expect.stringContaining('has no tables for') })
  })

  test.each([
    ['postgres', 'postgres-js'],
    ['pg', 'node-postgres'],
    ['@neondatabase/serverless', 'neon-http'],
    ['@electric-sql/pglite', 'pglite'],
    ['mysql2', 'mysql2'],
    ['@planetscale/database', 'planetscale-serverless'],
    ['better-sqlite3', 'better-sqlite3'],
    ['@libsql/client', 'libsql'],
  ])('the driver %s in package.json', async (driver, module) => {
    const { text } = await init({ 'package.json': packageWith(['express', 'typescript', driver]) })
    expect(await text('auth.ts')).toContain(`from 'drizzle-orm/${module}'`)
  })

  test('the further settings that a driver needs', async () => {
    const pglite = await init({ 'package.json': packageWith(['express', '@electric-sql/pglite']) })
    expect(await pglite.text('drizzle.config.js')).toContain("  driver: 'pglite',\n")
    const planetscale = await init({ 'package.json': packageWith(['express', '@planetscale/database']) })
    expect(await planetscale.text('schema.js')).toContain('defineTables({ foreignKeys: false })')
  })

  test('drivers of two dialects, and requires --dialect', async () => {
    const folder = await folderWith({ 'package.json': packageWith(['express', 'pg', 'mysql2']) })
    expect(await run(['init'], { cwd: folder })).toMatchObject({ code: 2, stderr: expect.stringContaining('--dialect') })
  })

  test('two drivers of one dialect, and asks, or takes the first and says so', async () => {
    const files = { 'package.json': packageWith(['express', 'pg', 'postgres']) }
    const answered = await init(files, [], { answers: ['pg'] })
    expect(answered.stdout).toContain('Which driver? [postgres], pg: ')
    expect(await answered.text('auth.js')).toContain('node-postgres')
    expect((await init(files)).stdout).toContain('postgres (package.json names several; --driver takes another)')
  })

  test.each([
    ["'./db/tables'", { 'db/tables/posts.ts': '' }, 'db/tables/auth-schema.ts', undefined],
    ["'./src/db/*.ts'", { 'src/db/posts.ts': '' }, 'src/db/auth-schema.ts', undefined],
    ["'./src/**/schema.ts'", { 'src/posts/schema.ts': '' }, 'src/auth/schema.ts', undefined],
    ["'./src/**/*.sql.ts'", { 'src/posts.sql.ts': '' }, 'src/auth-schema.ts', "'./src/auth-schema.ts',"],
    ["['./db/a.ts', './db/b.ts']", { 'db/a.ts': '' }, 'db/auth-schema.ts', "export * from './auth-schema.js'"],
  ])('the schema %s', async (schema, files, file, advice) => {
    const config = kitConfig(`  dialect: 'mysql',\n  migrations: { schema: 'x' },\n  schema: ${schema},`)
    const { written, stdout } = await init({ 'package.json': app, 'drizzle.config.ts': config, ...files })
    expect(written).toContain(file)
    if (advice) expect(stdout).toContain(`\n     ${advice}\n`)
    else expect(stdout).not.toMatch(/Add to (schema|db)/)
  })

  test('a schema in a usual place, and a users table in it', async () => {
    const own = `import { mysqlTable } from 'drizzle-orm/mysql-core'\nexport const users = mysqlTable('users', {})\n`
    const { stdout, written, text } = await init({ 'package.json': app, 'src/db/schema.ts': own }, ['--driver', 'mysql2'])
    expect(written).toEqual(['drizzle.config.ts', 'src/auth.ts', 'src/db/auth-schema.ts'])
    expect(await text('drizzle.config.ts')).toContain("schema: './src/db/schema.ts'")
    expect(stdout).toContain('src/db/schema.ts has a table of users')
    expect(stdout).toContain('defineTables({ usersTable: users })')
  })

  test('a file schema.ts that is about something else', async () => {
    const { written } = await init({ 'package.json': app, 'schema.ts': 'export const typeDefs = ``\n' }, ['--driver', 'mysql2'])
    expect(written).toEqual(['auth-schema.ts', 'auth.ts', 'drizzle.config.ts'])
  })

  test('the folder that --dir names', async () => {
    const { written, text } = await init({ 'package.json': app }, ['--driver', 'pg', '--dir', 'src/server'])
    expect(written).toEqual(['drizzle.config.ts', 'src/server/auth.ts', 'src/server/schema.ts'])
    expect(await text('drizzle.config.ts')).toContain("schema: './src/server/schema.ts'")
  })

  test.each([
    [{ 'pnpm-lock.yaml': '' }, {}, 'pnpm add drizzle-auth-adapter', 'pnpm exec drizzle-kit migrate'],
    [{ 'yarn.lock': '' }, {}, 'yarn add drizzle-auth-adapter', 'yarn drizzle-kit migrate'],
    [{ 'bun.lock': '' }, {}, 'bun add drizzle-auth-adapter', 'bunx drizzle-kit migrate'],
    [{}, { npm_config_user_agent: 'pnpm/9.0.0 node/v20' }, 'pnpm add drizzle-auth-adapter', 'pnpm exec drizzle-kit migrate'],
    [{ 'package-lock.json': '{}' }, { npm_config_user_agent: 'bun/1.0' }, 'npm install drizzle-auth-adapter', 'npx drizzle-kit migrate'],
  ])('the package manager by %j and %j', async (files, env, install, migrate) => {
    const { stdout } = await init({ 'package.json': app, ...files }, ['--dialect', 'mysql'], { env })
    expect(stdout).toContain(`     ${install} `)
    expect(stdout).toContain(`     ${migrate}\n`)
  })

  test('the variables that .env has already, and prints none of its values', async () => {
    const env = 'DATABASE_URL=mysql://root:TopSecret@localhost/app\nexport AUTH_SECRET=TopSecret'
    const { stdout } = await init({ 'package.json': app, '.env': env }, ['--dialect', 'mysql'])
    expect(stdout).not.toMatch(/TopSecret|DATABASE_URL=|AUTH_SECRET=/)
  })
})

describe('init fails', () => {
  test('if package.json cannot be read', async () => {
    const folder = await folderWith({ 'package.json': '{' })
    expect(await run(['init', '--dialect', 'mysql'], { cwd: folder })).toMatchObject({
      code: 2,
      stderr: 'drizzle-auth-adapter: package.json is not valid JSON.\n',
    })
  })

  test('if a file cannot be written, and names it', async () => {
    // There is a file in place of the folder. Unlike missing permissions, this also stops root.
    const folder = await folderWith({ 'package.json': packageWith(['next', 'pg']), 'app/api': 'not a folder' })
    const { code, stderr } = await run(['init'], { cwd: folder })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^drizzle-auth-adapter: app\/api\/auth\/\[\.\.\.nextauth\]\/route\.js cannot be written \[ENOTDIR\]\.\n$/)
  })
})
