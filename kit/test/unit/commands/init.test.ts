import { readdir, readFile, stat, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { appWith, folderWith, run } from '../../support/commands/app.js'

// The whole command in a folder. kit/test/slow/commands/init.test.ts follows the steps that it prints.

const packageWith = (dependencies: string[], more: object = {}) =>
  JSON.stringify({ type: 'module', dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])), ...more })

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
  const text = (file: string) => readFile(join(folder, file), 'utf8')
  const { code, stdout, stderr } = await run(['init', ...args], { cwd: folder, ...options })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  for (const [file, before] of Object.entries(files)) expect(await text(file), `${file} is untouched`).toBe(before)
  const written = (await filesIn(folder)).filter((file) => !(file in files))
  return { folder, stdout, written, text, all: (await Promise.all(written.map(text))).join('\n') + stdout }
}

const expectLines = (stdout: string, lines: string[]) => {
  for (const line of lines) expect(stdout).toContain(`\n     ${line}\n`)
}

const common = ['auth.ts', 'db.ts', 'drizzle.config.ts']

describe('in an empty folder', () => {
  test.each([
    {
      library: 'authjs',
      tables: 'schema.ts',
      env: /^DATABASE_URL=app\.db\nAUTH_SECRET=[0-9a-f]{64}\n$/,
      steps: [
        'npm install drizzle-auth-adapter @auth/core drizzle-orm better-sqlite3',
        'npm install --save-dev drizzle-kit @types/better-sqlite3 tsx typescript @types/node',
      ],
    },
    {
      library: 'better-auth',
      tables: 'auth-schema.ts',
      env: /^DATABASE_URL=app\.db\nBETTER_AUTH_SECRET=[0-9a-f]{64}\nBETTER_AUTH_URL=http:\/\/localhost:3000\n$/,
      steps: [
        'npm install drizzle-auth-adapter better-auth @better-auth/core drizzle-orm better-sqlite3',
        'npm install --save-dev drizzle-kit auth drizzle-auth-kit @types/better-sqlite3 tsx typescript @types/node',
        'npx auth generate --config auth.ts --output auth-schema.ts --yes',
      ],
    },
  ])('writes an app of $library that can be started, and prints each step. A second run changes nothing', async (expected) => {
    const { folder, stdout, written, text } = await init({}, { args: ['--library', expected.library, '--dialect', 'sqlite'] })
    expect(written.sort()).toEqual(['.env', '.gitignore', 'package.json', 'server.ts', 'tsconfig.json', expected.tables, ...common].sort())
    expect(await text('.env')).toMatch(expected.env)
    expect((await stat(join(folder, '.env'))).mode & 0o777).toBe(0o600)
    expect(await text('.gitignore')).toBe('node_modules\n.env\napp.db*\n')
    expect(JSON.parse(await text('package.json'))).toEqual({ private: true, type: 'module' })
    expect(await text('drizzle.config.ts')).toContain(`schema: './${expected.tables}'`)
    // The example has plugins and a password for all users.
    expect(await text('auth.ts')).not.toMatch(/plugins|password:|OIDC/)
    expectLines(stdout, [...expected.steps, 'npx drizzle-kit generate', 'npx drizzle-kit migrate', 'npx tsx --env-file=.env server.ts'])
    expect(stdout).not.toMatch(/[0-9a-f]{64}|git does not ignore/)
    const texts = () => Promise.all(written.map(text))
    const before = await texts()
    const again = await run(['init'], { cwd: folder })
    expect(again).toMatchObject({ code: 0, stderr: '', stdout: expect.not.stringContaining('Written') })
    expect([await texts(), await filesIn(folder)]).toEqual([before, written])
    expect(again.stdout.slice(again.stdout.indexOf('\nNext\n'))).toBe(stdout.slice(stdout.indexOf('\nNext\n')))
  })

  test.each([
    ['dist\n', false],
    ['.env.*\n#.env\n.envrc\n', false],
    ['dist\r\n/.env  \r\n', true],
    ['.env*\n!.env.example\n', true],
  ])('with the .gitignore %j, says first that .env must be ignored, unless it is', async (ignored, isIgnored) => {
    const { stdout } = await init({ '.gitignore': ignored }, { args: ['--dialect', 'sqlite'] })
    expect(stdout.startsWith('.env contains a secret, and git does not ignore it. Add this line to .gitignore')).toBe(!isIgnored)
  })

  test('keeps an existing .env, and prints what it lacks', async () => {
    const { stdout } = await init({ '.env': 'PORT=1\n', '.gitignore': 'dist\n' }, { args: ['--dialect', 'mysql'] })
    for (const step of ['Add the address of your database to .env:', 'Add a secret for Auth.js to .env:', 'Add .env to .gitignore'])
      expect(stdout).toContain(step)
  })

  test('asks for the library and the driver, unless options name them', async () => {
    const answers = ['better-auth', 'pg']
    const { stdout, text } = await init({}, { answers })
    expect(answers).toEqual([])
    expect(stdout).toMatch(/^Which library\? authjs, better-auth\nWhich driver\? postgres, pg, .*, mysql2, .*, d1\n/)
    expect(await text('db.ts')).toContain("from 'drizzle-orm/node-postgres'")
    await init({}, { args: ['--library', 'authjs', '--driver', 'pg'], answers: [] })
  })

  test('warns of the HTTP API of Supabase on PostgreSQL only, and --dry-run writes nothing and prints each file', async () => {
    const of = (dialect: string) => init({}, { args: ['--dialect', dialect, '--dry-run'] })
    expect(await of('postgresql')).toMatchObject({
      written: [],
      stdout: expect.stringMatching(/Would write\n {2}schema\.ts\n\n {4}import .*adapter\/pg'\n[\s\S]*Enable row level security on each/),
    })
    expect((await of('mysql')).stdout).not.toContain('row level security')
  })
})

const route = 'app/api/auth/[...nextauth]/route.ts'

describe('an app of', () => {
  // [library, framework, the file that mounts the handler, what it needs, a part of the handler]
  test.each([
    ['authjs', 'next', route, 'next-auth@beta', 'NextAuth(config)'],
    ['authjs', '@sveltejs/kit', 'src/hooks.server.ts', '@auth/sveltekit @auth/core', 'SvelteKitAuth({'],
    ['authjs', 'hono', '', '@hono/auth-js @auth/core', "app.use('/auth/*', authHandler())"],
    ['authjs', 'express', '', '@auth/express', "app.use('/auth', ExpressAuth(authConfig))"],
    ['authjs', 'fastify', '', '@auth/core', 'handleAuth(request)'],
    ['better-auth', 'next', 'app/api/auth/[...all]/route.ts', '@better-auth/core', 'toNextJsHandler(auth)'],
    ['better-auth', '@sveltejs/kit', 'src/hooks.server.ts', '@better-auth/core', 'svelteKitHandler({'],
    ['better-auth', 'hono', '', '@better-auth/core', "'/api/auth/*', (c) => auth.handler(c.req.raw))"],
    ['better-auth', 'express', '', '@better-auth/core', "app.all('/api/auth/{*path}', (request, response, next) =>"],
    ['better-auth', 'fastify', '', '@better-auth/core', 'toNodeHandler(auth)'],
  ])('%s and %s gets its files and its handler', async (library, framework, mount, packages, handler) => {
    const folder = framework === '@sveltejs/kit' ? 'src/' : ''
    const schema = library === 'authjs' ? 'schema.ts' : 'auth-schema.ts'
    const files = [...['auth.ts', 'db.ts', schema].map((name) => folder + name), ...(mount ? [mount] : [])]
    const installed = [framework, 'mysql2', 'typescript', ...(library === 'authjs' ? [] : ['better-auth'])]
    const { written, text, stdout, all } = await init({ 'package.json': packageWith(installed) })
    expect(written).toEqual([...files, 'drizzle.config.ts'].sort())
    expect(stdout).toContain(`npm install drizzle-auth-adapter ${packages} drizzle-orm\n`)
    expect(all).toContain(handler)
    const isSvelte = framework === '@sveltejs/kit'
    const origin = `http://localhost:${isSvelte ? 5173 : 3000}`
    const db = await text(files.find((file) => file.endsWith('db.ts')) ?? '')
    expect(db).toContain(
      `const url = ${isSvelte ? 'env' : 'process.env'}.DATABASE_URL\nif (!url) throw new Error('DATABASE_URL is not set')`,
    )
    if (library === 'authjs') {
      expect(all).toMatch(/\/\/ Links begin with the host of the request: the proxy in front must check it.*\n *trustHost: true/)
      expect(stdout).toContain(`${origin}${framework === 'next' ? '/api' : ''}/auth/signin`)
    } else {
      expect(stdout).toContain(`BETTER_AUTH_URL=${origin}`)
      expect(all).not.toMatch(/Auth\.js|@auth\/|next-auth|\bAUTH_SECRET/)
    }
  })

  test.each([
    [['src/app/page.tsx'], `src/${route}`, 'src/auth.ts'],
    [['app/page.tsx', 'src/lib.ts'], route, 'auth.ts'],
    [['src/pages/index.tsx'], `src/${route}`, 'src/auth.ts'],
  ])('Next.js with %j', async (pages, path, auth) => {
    const files = { 'package.json': packageWith(['next', 'pg', 'typescript']), ...Object.fromEntries(pages.map((page) => [page, ''])) }
    const { written, text } = await init(files)
    expect(written).toEqual(expect.arrayContaining([path, auth]))
    expect(await text(path)).toContain("import { handlers } from '../../../../auth'\n")
  })

  test.each([
    { 'wrangler.jsonc': '{ "d1_databases": [{ "binding": "DB" }] }' },
    { 'wrangler.toml': '[[d1_databases]]\nbinding = "DB"\n' },
    { 'drizzle.config.ts': "export default { dialect: 'sqlite', driver: 'd1-http' }" },
  ])('Hono with %j opens D1 in each request, and Wrangler applies the migrations', async (config) => {
    const { stdout, text } = await init({ 'package.json': packageWith(['hono', 'typescript']), ...(config as Record<string, string>) })
    expect(await text('auth.ts')).toContain('DrizzleAdapter(drizzle(env.DB), tables)')
    expectLines(stdout, ['npm install --save-dev drizzle-kit wrangler', 'npx wrangler d1 migrations apply DB --local'])
    for (const text of ['return Auth(request, config)', '.dev.vars']) expect(stdout).toContain(text)
  })

  test('CommonJS in JavaScript gets JavaScript, and is told to become an ES module if it has no bundler', async () => {
    const { stdout, written, text } = await init({ 'package.json': packageWith(['express', 'pg'], { type: 'commonjs' }) })
    expect(written).toEqual(['auth.js', 'db.js', 'drizzle.config.js', 'schema.js'])
    expect(await text('auth.js')).not.toMatch(/\btype\b.*from|: \w+Config/)
    expectLines(stdout, ['npm pkg set type=module'])
    expect((await init({ 'package.json': packageWith(['next', 'pg'], { type: 'commonjs' }) })).stdout).not.toContain('pkg set')
  })

  test('next-auth 4 gets the tables, and the adapter for its options', async () => {
    const old = JSON.stringify({ dependencies: { next: '^15.0.0', 'next-auth': '^4.24.0', pg: '^8.0.0' } })
    const { stdout, written } = await init({ 'package.json': old })
    expect(written).toEqual(['db.js', 'drizzle.config.js', 'schema.js'])
    expect(stdout).toContain('next-auth 4 is installed. Add the adapter to the file with its options, as here:')
    expect(stdout).not.toContain('next-auth@beta')
  })

  test.each([
    ['^1.0.0-rc.5', 'npm install --save-dev --save-exact drizzle-kit@1.0.0-rc.5\n'],
    ['^1.0.0', "npm install --save-dev 'drizzle-kit@^1.0.0'\n"],
    ['^0.45.0', 'npm install --save-dev drizzle-kit\n'],
  ])('Drizzle %s needs %j', async (version, needed) => {
    const devDependencies = { 'drizzle-orm': version }
    expect((await init({ 'package.json': packageWith(['next', 'pg'], { devDependencies }) })).stdout).toContain(needed)
  })
})

test.each([
  ['postgres', 'pg', 'postgres-js', "dialect: 'postgresql'"],
  ['pg', 'pg', 'node-postgres', "dialect: 'postgresql'"],
  ['@neondatabase/serverless', 'pg', 'neon-http', "dialect: 'postgresql'"],
  ['@electric-sql/pglite', 'pg', 'pglite', "driver: 'pglite'"],
  ['mysql2', 'mysql', 'mysql2', "dialect: 'mysql'"],
  ['@planetscale/database', 'mysql', 'planetscale-serverless', "dialect: 'mysql'"],
  ['better-sqlite3', 'sqlite', 'better-sqlite3', "dialect: 'sqlite'"],
  ['@libsql/client', 'sqlite', 'libsql', '{ url, authToken: process.env.DATABASE_AUTH_TOKEN }'],
])('the driver %s', async (driver, dialect, module, setting) => {
  const { text } = await init({ 'package.json': packageWith(['express', 'typescript', driver]) })
  const options = driver === '@planetscale/database' ? '{ foreignKeys: false }' : ''
  expect(await text('schema.ts')).toMatch(`from 'drizzle-auth-adapter/${dialect}'`)
  expect(await text('schema.ts')).toContain(`defineTables(${options})`)
  expect(await text('db.ts')).toContain(`from 'drizzle-orm/${module}'`)
  expect(await text('drizzle.config.ts')).toContain(setting)
})

// [packages, drizzle.config.ts, --dialect, the driver]
test.each([
  [['pg', 'mysql2'], '', 'mysql', 'mysql2'],
  [['pg', 'mysql2'], "export default { dialect: 'postgresql' }", '', 'pg'],
  [['pg', 'postgres'], '', '', 'postgres'],
  [['better-sqlite3'], "export default { dialect: 'turso' }", '', '@libsql/client'],
  [
    ['better-sqlite3', '@libsql/client'],
    "// dialect: 'mysql'\nexport default defineConfig({ \"dialect\":\n'turso' })",
    '',
    '@libsql/client',
  ],
  [['@libsql/client'], '', 'sqlite', '@libsql/client'],
])('of the packages %j with the configuration %j and the dialect %j, %s is the driver', async (packages, config, dialect, driver) => {
  const files = { 'package.json': packageWith(packages), ...(config && { 'drizzle.config.ts': config }) }
  expect((await init(files, { args: dialect ? ['--dialect', dialect] : [] })).stdout).toContain(` with ${driver}, `)
})

const next = packageWith(['next', 'drizzle-orm', 'postgres', 'typescript', 'drizzle-kit'])
const posts = `import { pgTable } from 'drizzle-orm/pg-core'\nexport const posts = pgTable('posts', {})\n`

describe('the tables', () => {
  // [schema of drizzle.config.ts, files of the app, the file for the tables, whether the setting must change]
  test.each([
    ['./db/schema.ts', { 'db/schema.ts': posts }, 'db/auth-schema.ts', true],
    ['./db/tables.ts', {}, 'db/tables.ts', false],
    ['./db/tables', {}, 'db/tables/auth-schema.ts', false],
    ['./db/*.ts', { 'db/posts.ts': posts }, 'db/auth-schema.ts', false],
    ['./src/**/*.ts', { 'src/posts/schema.ts': posts }, 'src/auth-schema.ts', false],
    ['./src/**/schema.ts', { 'src/posts/schema.ts': posts }, 'src/auth-schema.ts', true],
  ])('are beside those of the app: %s with %j', async (schema, files, file, changes) => {
    const config = `export default {\n  // schema: './old.ts',\n  migrations: { schema: 'old' }, schema: '${schema}', dialect: 'postgresql' }`
    const { written, stdout } = await init({ 'package.json': next, 'drizzle.config.ts': config, ...(files as Record<string, string>) })
    expect(written).toContain(file)
    const step = `So that drizzle-kit reads ${file}, set in drizzle.config.ts:\n\n     schema: ['${schema}', './${file}'],\n`
    expect(stdout.includes(step)).toBe(changes)
  })

  test('have a file of their own if the app has another schema.ts, and stay if they are there', async () => {
    expect((await init({ 'package.json': next, 'schema.ts': 'export const typeDefs = 1' })).written).toContain('auth-schema.ts')
    const own = `import { defineTables } from 'drizzle-auth-adapter/pg'\n`
    const { stdout, text } = await init({ 'package.json': next, 'drizzle.config.ts': "{ schema: './db' }", 'db/b.ts': own })
    expect(stdout).toContain('Unchanged\n  db/b.ts\n')
    expect(await text('auth.ts')).toContain("from './db/b'")
  })

  test('have the casing of drizzle.config.ts, and a users table of the app is named', async () => {
    const config = "export default { casing: 'snake_case', schema: './src/db/schema.ts' }"
    const users = "export const users = pgTable('users', {})\n"
    const files = { 'package.json': packageWith(['express', 'pg', 'typescript']), 'src/db/schema.ts': users, 'drizzle.config.ts': config }
    const { stdout, text } = await init(files)
    expect(await text('src/db/auth-schema.ts')).toContain("defineTables({ casing: 'snake_case' })")
    expect(await text('src/db.ts')).toContain("drizzle({ connection: url, casing: 'snake_case' })")
    expect(stdout).toContain('If Auth.js should use your own users table, pass it to defineTables in src/db/auth-schema.ts: https://')
  })
})

describe('an existing file', () => {
  const db = "import { drizzle } from 'drizzle-orm/postgres-js'\nexport const db = drizzle(url)\n"
  test.each([
    ['db/index.ts', db, "import { db } from './db'\n", false],
    ['lib/db.ts', db, "import { db } from './lib/db'\n", false],
    ['db.ts', 'export const db = new PrismaClient()\n', "import { db } from './auth-db'\n", true],
  ])('%s is imported if it exports the db of Drizzle: %j', async (file, text, line, isOther) => {
    const app = await init({ 'package.json': next, [file]: text })
    expect(await app.text('auth.ts')).toContain(line)
    expect(app.written.some((path) => path.endsWith('db.ts'))).toBe(isOther)
  })

  test.each([
    ['next', 'lib/auth.ts', `import NextAuth from 'next-auth'\n`, "import * as tables from '../schema'"],
    ['next', 'auth.ts', 'export const lucia = 1\n', 'NextAuth(config)'],
    ['@sveltejs/kit', 'src/hooks.server.ts', 'export const handle = 1\n', "export { handle } from './auth'"],
    ['better-auth', 'lib/auth.ts', `import { betterAuth } from 'better-auth'\n`, 'database: drizzleAdapter(db, { schema }),'],
  ])('of %s that configures or mounts something else, %s, stays, and the steps say what it lacks', async (name, file, text, line) => {
    const { stdout } = await init({ 'package.json': packageWith([name, 'pg', 'typescript']), [file]: text })
    expect(stdout).toMatch(new RegExp(`Add to ${file} what is missing of this:\n\n[\\s\\S]*${line.replace(/[.*(){}[\]]/g, '\\$&')}`))
  })

  test('.env with all variables needs no step, and none of its values is printed', async () => {
    const env = 'DATABASE_URL=mysql://root:TopSecret@localhost/app\nexport AUTH_SECRET=TopSecret'
    const { stdout } = await init({ 'package.json': packageWith(['express', 'mysql2']), '.env': env })
    expect(stdout).not.toMatch(/TopSecret|DATABASE_URL=|AUTH_SECRET=/)
  })
})

test.each(['next', 'sveltekit', 'hono', 'express', 'none'])(
  '--dir: the names of folders are quoted in every file for %s',
  async (framework) => {
    for (const dir of ["o'brien", 'a"b`$c', "app/(auth) 'x'"]) {
      const args = ['--dialect', 'postgresql', '--framework', framework, '--dir', dir]
      const { folder, stdout, written } = await init(framework === 'none' ? {} : { 'package.json': packageWith(['pg', 'typescript']) }, {
        args,
      })
      expect(written).toEqual(expect.arrayContaining(['schema.ts', 'db.ts', 'auth.ts'].map((name) => join(dir, name))))
      const entryPoints = written.filter((file) => file.endsWith('.ts')).map((file) => join(folder, file))
      // Every file that is imported is there.
      await build({ entryPoints, bundle: true, packages: 'external', platform: 'node', format: 'esm', write: false, outdir: folder })
      if (framework === 'none' && dir === "o'brien") expectLines(stdout, [String.raw`npx tsx --env-file=.env 'o'\''brien/server.ts'`])
    }
  },
)

test('doctor and sweep say that DATABASE_URL is not set if the configuration needs it', async () => {
  const cwd = await appWith({})
  expect(await run(['init', '--dialect', 'postgresql'], { cwd })).toMatchObject({ code: 0 })
  for (const command of ['doctor', 'sweep'])
    expect((await run([command], { cwd })).stderr).toMatch(/^drizzle-auth-kit: DATABASE_URL is not set, .*pass --url/)
})

// [a file, packageManager, what runs the command, the steps]
test.each([
  ['package-lock.json', '', 'pnpm/9.1.0', 'npm install drizzle-auth-adapter', 'npx drizzle-kit migrate'],
  ['pnpm-lock.yaml', '', 'npm/10.8.0', 'pnpm add drizzle-auth-adapter', 'pnpm exec drizzle-kit migrate'],
  ['package-lock.json', 'yarn@4.5.0', '', 'yarn add drizzle-auth-adapter', 'yarn drizzle-kit migrate'],
  ['.npmrc', '', 'bun/1.1.0', 'bun add drizzle-auth-adapter', 'bunx drizzle-kit migrate'],
  ['.npmrc', '', 'cnpm/9.0.0', 'npm install drizzle-auth-adapter', 'npx drizzle-kit migrate'],
])('the package manager of %s, %j and %j', async (file, packageManager, agent, add, migrate) => {
  const files = { 'package.json': packageWith(['mysql2'], { packageManager }), [file]: '' }
  const { stdout } = await init(files, { env: { npm_config_user_agent: agent } })
  expect(stdout).toContain(`     ${add} `)
  expectLines(stdout, [migrate])
})

describe('fails', () => {
  const betterAuth = "import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'"
  test.each([
    ['@auth/drizzle-adapter', '', "import { DrizzleAdapter } from 'drizzle-auth-adapter'", 'moving.md'],
    ['@better-auth/drizzle-adapter', "import { betterAuth } from 'better-auth'", betterAuth, 'better-auth-moving.md'],
    ['better-auth', "import { drizzleAdapter } from 'better-auth/adapters/drizzle'", betterAuth, 'better-auth-moving.md'],
  ])('in an app that uses %s, and says what to do instead', async (name, auth, line, page) => {
    const app = { 'package.json': packageWith(['next', 'pg', name], { packageManager: 'pnpm@10.0.0' }), 'lib/auth.ts': auth }
    const cwd = await folderWith(app)
    const { code, stdout, stderr } = await run(['init'], { cwd })
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    for (const step of ['pnpm add drizzle-auth-adapter', line]) expect(stderr).toContain(`\n  ${step}`)
    expect(stderr).toContain(`All steps: https://github.com/OWNER/drizzle-auth-adapter/blob/main/docs/${page}\n`)
    expect(await filesIn(cwd)).toEqual(Object.keys(app).sort())
  })

  test.each([
    [{ 'package.json': '{' }, 2, /^drizzle-auth-kit: package\.json is not valid JSON\.\n$/],
    [
      { 'package.json': packageWith(['pg']), 'drizzle.config.ts': `{ dialect: 'singlestore' }` },
      2,
      /the dialect in drizzle\.config\.ts is not/,
    ],
    [{ 'package.json': packageWith(['pg', 'mysql2']) }, 2, /no database given\. Pass --dialect/],
    // A file in place of the folder. Unlike missing permissions, this also stops root.
    [
      { 'package.json': packageWith(['next', 'pg']), 'app/api': '' },
      1,
      /: app\/api\/auth\/\[\.\.\.nextauth\]\/route\.js cannot be written \[ENOTDIR\]/,
    ],
  ])('with %j', async (files, code, message) => {
    const cwd = await folderWith(files as Record<string, string>)
    expect(await run(['init'], { cwd })).toMatchObject({ code, stderr: expect.stringMatching(message) })
  })

  test('rather than overwrite a file that it cannot read', async () => {
    const cwd = await folderWith({ 'package.json': packageWith(['express', 'pg']) })
    await symlink(join(cwd, 'elsewhere.js'), join(cwd, 'auth.js'))
    expect(await run(['init'], { cwd })).toMatchObject({ code: 1, stderr: expect.stringContaining('auth.js cannot be written [EEXIST]') })
    expect(await readdir(cwd)).not.toContain('elsewhere.js')
  })
})
