import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { appWith, folderWith, run } from '../../support/commands/app.js'

// The whole command in a folder. kit/test/slow/commands/init.test.ts follows the steps that it prints.

const packageWith = (dependencies: string[], more: object = {}) =>
  JSON.stringify({ type: 'module', dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])), ...more })

const read = (folder: string, file: string) => readFile(join(folder, file), 'utf8')
const filesIn = async (folder: string) =>
  (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

interface Options {
  args?: string[]
  answers?: string[]
  env?: Record<string, string>
}

/** Runs `init` in a new folder with these files. Returns what it printed and the files that it wrote. */
async function init(files: Record<string, string>, { args = [], ...options }: Options = {}) {
  const folder = await folderWith(files)
  const { code, stdout, stderr } = await run(['init', ...args], { cwd: folder, ...options })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const [file, text] of Object.entries(files)) expect(await read(folder, file), `${file} is untouched`).toBe(text)
  const written = (await filesIn(folder)).filter((file) => !(file in files))
  return { folder, stdout, written, text: (file: string) => read(folder, file) }
}

const expectLines = (stdout: string, lines: string[]) => {
  for (const line of lines) expect(stdout).toContain(`\n     ${line}\n`)
}

describe('in an empty folder', () => {
  test('writes an app that can be started, and prints each step', async () => {
    const { stdout, written, text } = await init({}, { args: ['--dialect', 'sqlite'] })
    const names = ['auth.ts', 'db.ts', 'drizzle.config.ts', 'package.json', 'schema.ts', 'server.ts', 'tsconfig.json']
    expect(written).toEqual(['.env', '.gitignore', ...names])
    expect(await text('.env')).toMatch(/^DATABASE_URL=app\.db\nAUTH_SECRET=[0-9a-f]{64}\n$/)
    expect(await text('.gitignore')).toBe('node_modules\n.env\napp.db*\n')
    expect(JSON.parse(await text('package.json'))).toEqual({ private: true, type: 'module' })
    expect(await text('drizzle.config.ts')).toContain("schema: './schema.ts'")
    expectLines(stdout, [
      'npm install drizzle-auth-adapter @auth/core drizzle-orm better-sqlite3',
      'npm install --save-dev drizzle-kit @types/better-sqlite3 tsx typescript @types/node',
      'npx drizzle-kit generate',
      'npx drizzle-kit migrate',
      'npx tsx --env-file=.env server.ts',
    ])
    expect(stdout).not.toMatch(/AUTH_SECRET|DATABASE_URL|[0-9a-f]{64}/)
  })

  test('keeps an existing .env and .gitignore, and prints what they lack', async () => {
    const { stdout } = await init({ '.env': 'PORT=1\n', '.gitignore': 'dist\n' }, { args: ['--dialect', 'mysql'] })
    expect(stdout).toContain('Add the address of your database to .env:')
    expect(stdout).toContain('Add a secret for Auth.js to .env:')
    expect(stdout).toContain('Add .env to .gitignore')
  })

  test.each([
    ['', '', false],
    ['', 'dist\n', false],
    ['', '.env.*\n#.env\n.envrc\n', false],
    ['', '.env\n!.env\n', false],
    ['', 'dist\r\n/.env  \r\n', true],
    ['', '*.env\n', true],
    ['', '.env*\n!.env.example\n', true],
    // In a repository, git decides.
    ['dist', 'dist\n', false],
    ['.env', 'dist\n', true],
    ['.e[n]v', 'dist\n', true],
    ['.env', '!.env\n', false],
  ])(
    'with %j ignored in the repository and a .gitignore %j, says first that .env must be ignored, unless it is',
    async (above, own, isIgnored) => {
      const folder = await folderWith({ ...(above && { '.gitignore': above }), 'app/.gitignore': own })
      if (above) execFileSync('git', ['init', '--quiet'], { cwd: folder })
      const { code, stdout } = await run(['init', '--dialect', 'sqlite'], { cwd: join(folder, 'app') })
      expect(code).toBe(0)
      expect(stdout.startsWith('.env contains a secret, and git does not ignore it. Add this line to .gitignore')).toBe(!isIgnored)
      expect((await stat(join(folder, 'app/.env'))).mode & 0o777).toBe(0o600)
    },
  )

  test('asks for the library, the database and the driver, again after an invalid answer', async () => {
    const answers = ['clerk', 'authjs', 'oracle', 'postgresql', 'pg']
    const { stdout, text } = await init({}, { answers })
    expect(answers).toEqual([])
    expect(stdout.match(/Which library\? authjs, better-auth: /g)).toHaveLength(2)
    expect(stdout.match(/Which database\? postgresql, mysql, sqlite: /g)).toHaveLength(2)
    expect(stdout).toContain('Which driver? [postgres], pg, ')
    expect(await text('db.ts')).toContain("from 'drizzle-orm/node-postgres'")
  })

  test.each(['1', 'pg', 'postgres', 'Postgres', 'PostgreSQL', 'post'])('understands the answer %s as PostgreSQL', async (answer) => {
    const answers = ['authjs', answer, '2']
    const { text } = await init({}, { answers })
    expect(answers).toEqual([])
    expect(await text('db.ts')).toContain("from 'drizzle-orm/node-postgres'")
  })

  test.each(['sql', '0', '4', 'constructor'])('asks again after the answer %s, and says what it expects', async (answer) => {
    const { stdout } = await init({}, { args: ['--library', 'authjs'], answers: [answer, 'MariaDB', ''] })
    expect(stdout).toMatch(/^Which database\? .*: Answer with one of these names, or with its number\. Which database\? .*: Which driver\?/)
  })

  test('uses the default driver for an empty answer, and does not ask for what an option sets', async () => {
    const first = await init({}, { answers: ['authjs', 'mysql', ''] })
    expect(await first.text('db.ts')).toContain("from 'drizzle-orm/mysql2'")
    const second = await init({}, { args: ['--library', 'authjs', '--driver', 'pg'], answers: [] })
    expect(await second.text('db.ts')).toContain("from 'drizzle-orm/node-postgres'")
  })

  test('warns of the HTTP API of Supabase on PostgreSQL only', async () => {
    const warning = 'Enable row level security on each of them'
    expect((await init({}, { args: ['--dialect', 'postgresql'] })).stdout).toContain(warning)
    expect((await init({}, { args: ['--dialect', 'mysql'] })).stdout).not.toContain(warning)
  })

  test('--dry-run writes nothing and prints each file', async () => {
    const { stdout, written } = await init({}, { args: ['--dialect', 'mysql', '--dry-run'] })
    expect(written).toEqual([])
    expect(stdout).toContain("Would write\n  schema.ts\n\n    import { defineTables } from 'drizzle-auth-adapter/mysql'\n")
  })

  test('a second run changes nothing, and prints the same steps', async () => {
    const { folder, stdout } = await init({}, { args: ['--dialect', 'postgresql'] })
    const texts = async () => Promise.all((await filesIn(folder)).map((file) => read(folder, file)))
    const before = await texts()
    const again = await run(['init'], { cwd: folder })
    expect(again).toMatchObject({ code: 0, stderr: '' })
    expect(await texts()).toEqual(before)
    expect(again.stdout).toContain('schema.ts has the tables\n')
    expect(again.stdout).toContain('auth.ts has the adapter\n')
    expect(again.stdout.slice(again.stdout.indexOf('\nNext\n'))).toBe(stdout.slice(stdout.indexOf('\nNext\n')))
  })
})

const route = 'app/api/auth/[...nextauth]/route.ts'

describe('an app of', () => {
  test.each([
    {
      framework: 'next',
      files: ['auth.ts', 'db.ts', route, 'schema.ts'],
      auth: 'export const { auth, handlers, signIn, signOut } = NextAuth(config)',
      steps: ['npm install drizzle-auth-adapter next-auth@beta drizzle-orm'],
      page: 'http://localhost:3000/api/auth/signin',
    },
    {
      framework: '@sveltejs/kit',
      files: ['src/auth.ts', 'src/db.ts', 'src/hooks.server.ts', 'src/schema.ts'],
      auth: 'export const { handle, signIn, signOut } = SvelteKitAuth({',
      steps: ['npm install drizzle-auth-adapter @auth/sveltekit @auth/core drizzle-orm'],
      page: 'http://localhost:5173/auth/signin',
    },
    {
      framework: 'hono',
      files: ['auth.ts', 'db.ts', 'schema.ts'],
      auth: 'export const authConfig: AuthConfig = {',
      steps: ['npm install drizzle-auth-adapter @hono/auth-js @auth/core drizzle-orm', "app.use('/auth/*', authHandler())"],
      page: 'http://localhost:3000/auth/signin',
    },
    {
      framework: 'express',
      files: ['auth.ts', 'db.ts', 'schema.ts'],
      auth: 'export const authConfig: ExpressAuthConfig = {',
      steps: ['npm install drizzle-auth-adapter @auth/express drizzle-orm', "app.use('/auth', ExpressAuth(authConfig))"],
      page: 'http://localhost:3000/auth/signin',
    },
    {
      framework: 'fastify',
      files: ['auth.ts', 'db.ts', 'schema.ts'],
      auth: 'export const handleAuth = (request: Request) => Auth(request, authConfig)',
      steps: ['npm install drizzle-auth-adapter @auth/core drizzle-orm', 'const response = await handleAuth(request)'],
      page: 'http://localhost:3000/auth/signin',
    },
  ])('$framework gets its files and steps', async ({ framework, files, auth, steps, page }) => {
    const { written, text, stdout } = await init({ 'package.json': packageWith([framework, 'mysql2', 'typescript']) })
    expect(written).toEqual([...files, 'drizzle.config.ts'].sort())
    const file = files.find((name) => name.endsWith('auth.ts')) ?? ''
    expect(await text(file)).toContain(auth)
    expect(await text(file)).toMatch(/\/\/ Links begin with the host of the request: the proxy in front must check it.*\n *trustHost: true/)
    expect(await text(file)).toContain('export const adapter = DrizzleAdapter(db, tables)\n')
    const variable = framework === '@sveltejs/kit' ? 'env.DATABASE_URL' : 'process.env.DATABASE_URL'
    const db = await text(file.replace('auth.ts', 'db.ts'))
    expect(db).toContain(`const url = ${variable}\nif (!url) throw new Error('DATABASE_URL is not set')`)
    expectLines(stdout, steps)
    expect(stdout).toContain(page)
  })

  test.each([
    [['src/app/page.tsx'], `src/${route}`, 'src/auth.ts'],
    [['app/page.tsx', 'src/lib.ts'], route, 'auth.ts'],
    [['src/pages/index.tsx'], `src/${route}`, 'src/auth.ts'],
  ])('Next.js with %j', async (pages, route, auth) => {
    const files = { 'package.json': packageWith(['next', 'pg', 'typescript']), ...Object.fromEntries(pages.map((page) => [page, ''])) }
    const { written, text } = await init(files)
    expect(written).toEqual(expect.arrayContaining([route, auth]))
    expect(await text(route)).toContain("import { handlers } from '../../../../auth'\n")
  })

  test('Hono with D1 opens the database in each request, and Wrangler applies the migrations', async () => {
    const wrangler = '{ "d1_databases": [{ "binding": "DB" }] }'
    const { stdout, text } = await init({ 'package.json': packageWith(['hono', 'typescript']), 'wrangler.jsonc': wrangler })
    expect(await text('auth.ts')).toContain('DrizzleAdapter(drizzle(env.DB), tables)')
    expect(await text('drizzle.config.ts')).not.toContain('dbCredentials')
    expectLines(stdout, [
      'app.use(initAuthConfig((c) => authConfig(c.env)))',
      'npm install --save-dev drizzle-kit wrangler',
      'npx wrangler d1 migrations apply DB --local',
    ])
    expect(stdout).toContain('.dev.vars')
  })

  test('CommonJS in JavaScript gets JavaScript, and is told to become an ES module if it has no bundler', async () => {
    const { stdout, written, text } = await init({ 'package.json': packageWith(['express', 'pg'], { type: 'commonjs' }) })
    expect(written).toEqual(['auth.js', 'db.js', 'drizzle.config.js', 'schema.js'])
    expect(await text('auth.js')).not.toMatch(/\btype\b.*from|: \w+Config/)
    expectLines(stdout, ['npm pkg set type=module'])
    expect((await init({ 'package.json': packageWith(['next', 'pg'], { type: 'commonjs' }) })).stdout).not.toContain('pkg set')
  })

  test('next-auth 4 gets the tables, and a line for its options', async () => {
    const old = JSON.stringify({ dependencies: { next: '^15.0.0', 'next-auth': '^4.24.0', pg: '^8.0.0' } })
    const { stdout, written } = await init({ 'package.json': old })
    expect(written).toEqual(['db.js', 'drizzle.config.js', 'schema.js'])
    expect(stdout).toContain('next-auth 4 is installed. Add to the file with its options:')
    expect(stdout).not.toContain('next-auth@beta')
  })

  test.each([
    ['1.0.0-rc.5', 'drizzle-kit@1.0.0-rc.5\n'],
    ['^1.0.0', "'drizzle-kit@^1.0.0'\n"],
  ])('Drizzle %s needs %j', async (version, needed) => {
    const devDependencies = { 'drizzle-orm': version }
    expect((await init({ 'package.json': packageWith(['next', 'pg'], { devDependencies }) })).stdout).toContain(needed)
  })
})

describe('an app with the driver', () => {
  const throws = "if (!url) throw new Error('DATABASE_URL is not set')"

  test.each([
    ['postgres', 'pg', 'postgres-js', "dialect: 'postgresql'"],
    ['pg', 'pg', 'node-postgres', "dialect: 'postgresql'"],
    ['@neondatabase/serverless', 'pg', 'neon-http', "dialect: 'postgresql'"],
    ['@electric-sql/pglite', 'pg', 'pglite', "driver: 'pglite'"],
    ['mysql2', 'mysql', 'mysql2', "dialect: 'mysql'"],
    ['@planetscale/database', 'mysql', 'planetscale-serverless', "dialect: 'mysql'"],
    ['better-sqlite3', 'sqlite', 'better-sqlite3', "dialect: 'sqlite'"],
    ['@libsql/client', 'sqlite', 'libsql', '{ url, authToken: process.env.DATABASE_AUTH_TOKEN }'],
  ])('%s', async (driver, dialect, module, setting) => {
    const { text, stdout } = await init({ 'package.json': packageWith(['express', 'typescript', driver]) })
    expect(stdout).toContain(`${driver} (package.json)`)
    const options = driver === '@planetscale/database' ? '{ foreignKeys: false }' : ''
    expect(await text('schema.ts')).toMatch(`from 'drizzle-auth-adapter/${dialect}'`)
    expect(await text('schema.ts')).toContain(`defineTables(${options})`)
    expect(await text('db.ts')).toContain(`from 'drizzle-orm/${module}'`)
    expect(await text('drizzle.config.ts')).toContain(setting)
    expect(await text('drizzle.config.ts')).toContain(throws)
  })

  test('of two dialects: --dialect or drizzle.config.ts must choose one', async () => {
    const files = { 'package.json': packageWith(['express', 'pg', 'mysql2']) }
    expect(await run(['init'], { cwd: await folderWith(files) })).toMatchObject({ code: 2, stderr: expect.stringContaining('--dialect') })
    expect((await init(files, { args: ['--dialect', 'mysql'] })).stdout).toContain('mysql2 (package.json)')
    const config = `export default { dialect: 'postgresql' }`
    expect((await init({ ...files, 'drizzle.config.js': config })).stdout).toContain('pg (package.json)')
  })

  test('and another one of the same dialect: init asks, or takes the first and says so', async () => {
    const files = { 'package.json': packageWith(['express', '@auth/express', 'pg', 'postgres']) }
    expect((await init(files, { answers: ['pg'] })).stdout).toMatch(/Which driver\? \[postgres\], pg: [\s\S]* pg \(your answer\)/)
    expect((await init(files)).stdout).toContain('postgres (package.json has several; use --driver to choose another)')
  })

  test('of Turso or D1, known by drizzle.config.ts', async () => {
    const inApp = (config: string) => init({ 'package.json': packageWith(['hono', 'better-sqlite3']), 'drizzle.config.js': config })
    expect((await inApp(`export default { dialect: 'turso' }`)).stdout).toContain('@libsql/client (drizzle.config.js)')
    const d1 = await init({ 'package.json': packageWith(['hono']), 'drizzle.config.js': `{ dialect: 'sqlite', driver: 'd1-http' }` })
    expect(d1.stdout).toContain('d1 (drizzle.config.js)')
  })

  test('of a dialect without tables is rejected', async () => {
    const cwd = await folderWith({ 'package.json': packageWith(['pg']), 'drizzle.config.ts': `{ dialect: 'singlestore' }` })
    expect(await run(['init'], { cwd })).toMatchObject({ code: 2, stderr: expect.stringContaining('drizzle.config.ts is not supported') })
  })
})

describe('an existing file', () => {
  const next = packageWith(['next', 'drizzle-orm', 'postgres', 'typescript', 'drizzle-kit'])
  const db = `import { drizzle } from 'drizzle-orm/postgres-js'\nexport const db = drizzle('')\n`

  test('is imported if it exports the db of the app, and its configuration must read the tables', async () => {
    const config = `export default { dialect: 'postgresql', schema: './db/schema.ts' }`
    const posts = `import { pgTable } from 'drizzle-orm/pg-core'\nexport const posts = pgTable('posts', {})\n`
    const files = { 'package.json': next, 'drizzle.config.ts': config, 'db/schema.ts': posts, 'db/index.ts': db }
    const { stdout, written, text } = await init(files)
    expect(written).toEqual([route, 'auth.ts', 'db/auth-schema.ts'])
    expect(await text('auth.ts')).toContain("import { db } from './db'\nimport * as tables from './db/auth-schema'\n")
    expect(stdout).toContain("set in drizzle.config.ts:\n\n     schema: ['./db/schema.ts', './db/auth-schema.ts'],\n")
    expect(stdout).toContain('drizzle.config.ts exists')
    expect(stdout).not.toContain('--save-dev')
  })

  test('is not imported if its db is not one of Drizzle', async () => {
    const { text } = await init({ 'package.json': next, 'lib/db.ts': 'export const db = new PrismaClient()\n' })
    expect(await text('auth.ts')).toContain("from './db'")
  })

  test('that configures Auth.js is listed with the lines to add', async () => {
    const auth = `import NextAuth from 'next-auth'\nexport const { handlers } = NextAuth({ providers: [] })\n`
    const files = { 'package.json': next, 'lib/auth.ts': auth, [route]: `export { GET, POST } from '@/lib/auth'\n` }
    const { stdout, written } = await init(files)
    expect(written).toEqual(['db.ts', 'drizzle.config.ts', 'schema.ts'])
    expect(stdout).toMatch(
      /Add to lib\/auth\.ts:\n\n {5}import \{ DrizzleAdapter \}[\s\S]*from '\.\.\/schema'[\s\S]*adapter = DrizzleAdapter\(db/,
    )
  })

  test('auth.ts of another library stays, and no file imports from it', async () => {
    const { stdout, written } = await init({ 'package.json': next, 'auth.ts': 'export const lucia = 1\n' })
    expect(written).toEqual(['db.ts', 'drizzle.config.ts', 'schema.ts'])
    expect(stdout).toContain(`Mount the handler of Auth.js, for example in ${route}:`)
  })

  test('hooks.server.ts is listed with the lines to add', async () => {
    const own = 'export const handle = ({ event, resolve }) => resolve(event)\n'
    const { stdout } = await init({ 'package.json': packageWith(['@sveltejs/kit', 'pg', 'typescript']), 'src/hooks.server.ts': own })
    expect(stdout).toContain("Add to src/hooks.server.ts:\n\n     export { handle } from './auth'\n")
  })

  test('with a users table: Auth.js uses it, and the steps say what it needs', async () => {
    const own = `import { pgTable } from 'drizzle-orm/pg-core'\nexport const users = pgTable('users', { id: uuid(), email: text() })\n`
    const { stdout, text } = await init({ 'package.json': packageWith(['express', 'pg', 'typescript']), 'src/db/schema.ts': own })
    expect(await text('drizzle.config.ts')).toContain("schema: ['./src/db/schema.ts', './src/db/auth-schema.ts'],")
    expect(await text('src/db/auth-schema.ts')).toMatch(/^export const \{ accountsTable, .* = defineTables\(\{ usersTable: users \}\)$/m)
    expect(await text('src/auth.ts')).toContain('DrizzleAdapter(db, { ...tables, usersTable: users })')
    expect(stdout).toContain('Auth.js will use users in src/db/schema.ts. Add this column to it:')
    expectLines(stdout, ["import { timestamp } from 'drizzle-orm/pg-core'", "emailVerified: timestamp({ mode: 'date', precision: 3 }),"])
    expect(stdout).toContain('Every other column must be nullable or have a default.')
  })

  test('.env with all variables needs no step, and none of its values is printed', async () => {
    const env = 'DATABASE_URL=mysql://root:TopSecret@localhost/app\nexport AUTH_SECRET=TopSecret'
    const { stdout } = await init({ 'package.json': packageWith(['express', 'mysql2']), '.env': env })
    expect(stdout).not.toMatch(/TopSecret|DATABASE_URL=|AUTH_SECRET=/)
  })
})

test('--dir names the folder of auth.ts and the tables', async () => {
  const { written, text } = await init(
    { 'package.json': packageWith(['express', 'pg', 'typescript']) },
    { args: ['--dir', './src/server'] },
  )
  expect(written).toEqual(['drizzle.config.ts', 'src/server/auth.ts', 'src/server/db.ts', 'src/server/schema.ts'])
  expect(await text('drizzle.config.ts')).toContain("schema: './src/server/schema.ts'")
})

const folders = ["o'brien", 'a"b`$c', "app/(auth) 'x'"]

test.each(['next', 'sveltekit', 'hono', 'express', 'none'])('quotes the names of folders in every file for %s', async (framework) => {
  for (const dir of folders) {
    const own = `import { pgTable } from 'drizzle-orm/pg-core'\nexport const users = pgTable('users', { id: uuid(), email: text() })\n`
    const files = framework === 'none' ? {} : { 'package.json': packageWith(['pg', 'typescript']), 'db/schema.ts': own }
    const { folder, stdout, written } = await init(files, { args: ['--dialect', 'postgresql', '--framework', framework, '--dir', dir] })
    const entryPoints = written.filter((file) => file.endsWith('.ts')).map((file) => join(folder, file))
    expect(entryPoints.length).toBeGreaterThan(3)
    // Every file that is imported is there.
    await build({ entryPoints, bundle: true, packages: 'external', platform: 'node', format: 'esm', write: false, outdir: folder })
    if (framework === 'none' && dir === "o'brien") expectLines(stdout, [String.raw`npx tsx --env-file=.env 'o'\''brien/server.ts'`])
  }
})

test.each(['a?b', 'a#b', 'a%20b', 'a\nb'])('%j cannot be imported, and is refused', async (dir) => {
  const cwd = await folderWith({})
  expect(await run(['init', '--dialect', 'mysql', '--dir', dir], { cwd })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--dir must be'),
  })
})

test('casing of drizzle.config.ts holds for the tables and for db', async () => {
  const { stdout, text } = await init({
    'package.json': packageWith(['express', 'pg', 'typescript']),
    'src/db/schema.ts': "export const users = pgTable('users', { id: text(), email: text(), createdAt: timestamp() })\n",
    'drizzle.config.ts': "export default { casing: 'snake_case', schema: './src/db/schema.ts' }",
  })
  expect(stdout).toContain('emailVerified: timestamp({')
  expect(await text('src/db/auth-schema.ts')).toContain("defineTables({ usersTable: users, casing: 'snake_case' })")
  expect(await text('src/db.ts')).toContain("drizzle({ connection: url, casing: 'snake_case' })")
})

test('doctor and sweep say that DATABASE_URL is not set if the configuration needs it', async () => {
  const cwd = await appWith({})
  expect(await run(['init', '--dialect', 'postgresql'], { cwd })).toMatchObject({ code: 0 })
  for (const command of ['doctor', 'sweep'])
    expect(await run([command], { cwd })).toMatchObject({
      stderr: expect.stringMatching(/^drizzle-auth-kit: DATABASE_URL is not set, .*pass --url/),
    })
})

test.each([
  ['npm', 'npm install', 'npx'],
  ['pnpm', 'pnpm add', 'pnpm exec'],
  ['yarn', 'yarn add', 'yarn'],
  ['bun', 'bun add', 'bunx'],
])('the steps use %s if it runs the command', async (manager, add, exec) => {
  const options = { args: ['--dialect', 'mysql'], env: { npm_config_user_agent: `${manager}/9.0.0` } }
  const { stdout } = await init({ 'package.json': packageWith(['express']) }, options)
  expect(stdout).toContain(`     ${add} drizzle-auth-adapter `)
  expectLines(stdout, [`${exec} drizzle-kit migrate`])
})

describe('fails', () => {
  test.each([
    ['@auth/drizzle-adapter', {}, "import { DrizzleAdapter } from 'drizzle-auth-adapter'", 'docs/moving.md'],
    [
      '@better-auth/drizzle-adapter',
      { 'lib/auth.ts': "import { betterAuth } from 'better-auth'" },
      "import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'",
      'docs/better-auth-moving.md',
    ],
    [
      'better-auth',
      { 'lib/auth.ts': "import { drizzleAdapter } from 'better-auth/adapters/drizzle'" },
      "import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'",
      'docs/better-auth-moving.md',
    ],
  ])('in an app that uses %s, and says what to do instead', async (name, files, line, page) => {
    const app = { 'package.json': packageWith(['next', 'pg', name], { packageManager: 'pnpm@10.0.0' }), ...files }
    const cwd = await folderWith(app)
    const { code, stdout, stderr } = await run(['init'], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const step of ['pnpm add drizzle-auth-adapter', line]) expect(stderr).toContain(`\n  ${step}`)
    expect(stderr).toContain(`All steps: https://github.com/OWNER/drizzle-auth-adapter/blob/main/${page}\n`)
    if (page.includes('better-auth'))
      expect(stderr).toMatch(/remove provider\. schema is required:\n\n {2}database: drizzleAdapter\(db, { schema }\)/)
    expect(await filesIn(cwd)).toEqual(Object.keys(app).sort())
  })

  test('if package.json is not valid', async () => {
    const cwd = await folderWith({ 'package.json': '{' })
    expect(await run(['init', '--dialect', 'mysql'], { cwd })).toMatchObject({
      code: 2,
      stderr: 'drizzle-auth-kit: package.json is not valid JSON.\n',
    })
  })

  test('if a file cannot be written, and names it', async () => {
    // There is a file in place of the folder. Unlike missing permissions, this also stops root.
    const cwd = await folderWith({ 'package.json': packageWith(['next', 'pg']), 'app/api': 'not a folder' })
    const { code, stderr } = await run(['init'], { cwd })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^drizzle-auth-kit: app\/api\/auth\/\[\.\.\.nextauth\]\/route\.js cannot be written \[ENOTDIR\]\.\n$/)
  })

  test('rather than overwrite a file that it cannot read', async () => {
    const cwd = await folderWith({ 'package.json': packageWith(['express', 'pg']) })
    await symlink(join(cwd, 'elsewhere.js'), join(cwd, 'auth.js'))
    expect(await run(['init'], { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('auth.js cannot be written [EEXIST]') })
    expect(await readdir(cwd)).not.toContain('elsewhere.js')
  })
})
