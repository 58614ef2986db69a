import { describe, expect, test } from 'vitest'
import { drivers } from '../../../../src/cli/init/drivers.js'
import { frameworks } from '../../../../src/cli/init/frameworks.js'
import { isOldNextAuth, planFiles } from '../../../../src/cli/init/plan.js'
import type { Project } from '../../../../src/cli/init/project.js'
import { folderWith } from '../files.js'

// Which files init writes, which it leaves alone, and what it asks the reader to add.

type Files = Record<string, string>

interface Choice extends Partial<Omit<Project, 'packages'>> {
  framework?: string
  driver?: string
  dir?: string
  packages?: Record<string, string>
}

async function plan(files: Files, { framework = 'none', driver = 'pg', dir, ...more }: Choice = {}) {
  const cwd = await folderWith(files)
  const project: Project = { cwd, isEmpty: false, packages: {}, isModule: true, usesTypeScript: true, manager: 'npm', ...more }
  const { files: written, ...others } = await planFiles(project, {
    driver: drivers.find(({ name }) => name === driver) ?? expect.fail(`no driver ${driver}`),
    framework: frameworks.find(({ name }) => name === framework) ?? expect.fail(`no framework ${framework}`),
    dir,
  })
  const texts: Files = Object.fromEntries(written.map(({ path, text }) => [path, text]))
  return { ...others, written: Object.keys(texts), text: (path: string) => texts[path] ?? expect.fail(`${path} is not written`) }
}

const titles = ({ advice }: { advice: { title: string }[] }) => advice.map(({ title }) => title)

describe('the tables', () => {
  test.each([
    ['pg', 'pg', 'defineTables()'],
    ['mysql2', 'mysql', 'defineTables()'],
    ['@libsql/client', 'sqlite', 'defineTables()'],
    ['@planetscale/database', 'mysql', 'defineTables({ foreignKeys: false })'],
  ])('for %s are those of %s', async (driver, dialect, call) => {
    const text = (await plan({}, { driver })).text('schema.ts')
    expect(text).toContain(`import { defineTables } from 'drizzle-auth-adapter/${dialect}'\n`)
    expect(text).toContain(` = ${call}\n`)
  })

  test('are left alone if they are there', async () => {
    const { written, kept } = await plan({ 'schema.ts': `import {} from 'drizzle-auth-adapter/pg'` })
    expect(written).not.toContain('schema.ts')
    expect(kept).toEqual([{ path: 'schema.ts', why: 'has the tables' }])
  })

  test('come with what has to be done by hand', async () => {
    const config = { file: 'drizzle.config.ts', schema: './db.ts' }
    const found = await plan({ 'db.ts': `pgTable('users', {})` }, { config })
    expect(titles(found).slice(0, 2)).toEqual(['Add to db.ts', expect.stringContaining('db.ts has a table of users')])
  })
})

describe('the configuration of drizzle-kit', () => {
  const configFor = async (driver: string) => (await plan({}, { driver, framework: 'hono' })).text('drizzle.config.ts').split('\n').slice(2)
  const url = "url: process.env.DATABASE_URL ?? ''"

  test.each([
    ['pg', [`dialect: 'postgresql',`, `schema: './schema.ts',`, `out: './drizzle',`, `dbCredentials: { ${url} },`]],
    ['mysql2', [`dialect: 'mysql',`, `schema: './schema.ts',`, `out: './drizzle',`, `dbCredentials: { ${url} },`]],
    [
      '@electric-sql/pglite',
      [`dialect: 'postgresql',`, `driver: 'pglite',`, `schema: './schema.ts',`, `out: './drizzle',`, `dbCredentials: { ${url} },`],
    ],
    [
      '@libsql/client',
      [
        `dialect: 'turso',`,
        `schema: './schema.ts',`,
        `out: './drizzle',`,
        `dbCredentials: { ${url}, authToken: process.env.DATABASE_AUTH_TOKEN },`,
      ],
    ],
    // Wrangler applies the migrations of D1, and needs no address.
    ['d1', [`dialect: 'sqlite',`, `schema: './schema.ts',`, `out: './migrations',`]],
  ])('for %s', async (driver, settings) => {
    expect(await configFor(driver)).toEqual(['export default defineConfig({', ...settings.map((line) => `  ${line}`), '})', ''])
  })

  test('imports drizzle-kit, and is JavaScript where the app is', async () => {
    const { text } = await plan({}, { usesTypeScript: false })
    expect(text('drizzle.config.js')).toMatch(
      /^import \{ defineConfig \} from 'drizzle-kit'\n\nexport default [\s\S]*schema: '\.\/schema\.js',/,
    )
  })

  test('is left alone if it is there', async () => {
    const { written, kept } = await plan({}, { config: { file: 'drizzle.config.mjs' } })
    expect(written.filter((path) => path.startsWith('drizzle.config'))).toEqual([])
    expect(kept).toEqual([{ path: 'drizzle.config.mjs', why: 'is there' }])
  })
})

describe('auth.ts', () => {
  test.each(['db', 'db/client', 'lib/db', 'lib/server/db', 'server/db/index'])(
    'imports the tables and the db of the app: %s',
    async (name) => {
      const db = `import { drizzle } from 'drizzle-orm/node-postgres'\nexport const db = drizzle('')\n`
      for (const [folder, path] of [
        ['', '../'],
        ['src/', './'],
      ]) {
        const { text } = await plan({ [`${folder}${name}.ts`]: db }, { framework: 'express', dir: 'src' })
        expect(text('src/auth.ts')).toContain(`import { db } from '${path}${name}.js'\nimport * as tables from './schema.js'\n`)
      }
    },
  )

  test.each([
    ['export const db = new PrismaClient()', false],
    [`import { drizzle } from 'drizzle-orm/pglite'\nexport const database = drizzle()`, false],
    [`import { drizzle } from 'drizzle-orm/pglite'\nexport const dbs = [drizzle()]`, false],
    [`import { drizzle } from 'drizzle-orm/pglite'\nexport let db = drizzle()`, true],
  ])('imports %j as a db of Drizzle: %s', async (text, isImported) => {
    expect((await plan({ 'db.ts': text }, { framework: 'express' })).text('auth.ts').includes('./db.js')).toBe(isImported)
  })

  test('opens D1 in each request, although the app has a db', async () => {
    const { text } = await plan({ 'db.ts': `export const db = drizzle('')` }, { framework: 'hono', driver: 'd1' })
    expect(text('auth.ts')).not.toContain('./db.js')
  })

  test.each([
    ['auth', '@auth/express'],
    ['lib/auth', 'next-auth'],
    ['server/auth', '@hono/auth-js'],
    ['lib/server/auth', '@auth/sveltekit'],
  ])('is left alone if the app has one: %s with %s', async (name, library) => {
    for (const file of [`${name}.ts`, `src/${name}.ts`]) {
      const found = await plan({ [file]: `from '${library}'` }, { framework: 'express', dir: 'app' })
      expect(found.written).toEqual(['app/schema.ts', 'drizzle.config.ts'])
      expect(found.kept).toEqual([{ path: file, why: 'is there' }])
      expect(found.advice[0]).toEqual({ title: `Add to ${file}`, text: expect.stringContaining('adapter: DrizzleAdapter(db, tables)') })
    }
  })

  test('is left alone if it has the adapter, and nothing has to be added to it', async () => {
    const found = await plan({ 'lib/auth.ts': `from 'next-auth' from 'drizzle-auth-adapter'` }, { framework: 'express' })
    expect(found.kept).toEqual([{ path: 'lib/auth.ts', why: 'has the adapter' }])
    expect(titles(found)).toEqual([expect.stringContaining('where it answers requests')])
  })

  test('is not written over one of another library, but is written beside one that is elsewhere', async () => {
    expect((await plan({ 'auth.ts': 'lucia' })).kept).toEqual([{ path: 'auth.ts', why: 'is there' }])
    expect((await plan({ 'lib/auth.ts': 'lucia' })).written).toContain('auth.ts')
    expect((await plan({ 'server/auth.ts': 'lucia' }, { dir: 'server' })).written).not.toContain('server/auth.ts')
  })
})

describe('next-auth 4', () => {
  test.each(['4', '^4.24.0', '~4.1.0', '4.24.11'])('is installed: %s', async (version) => {
    const packages = { 'next-auth': version }
    const found = await plan({}, { framework: 'next', packages })
    expect(found.written).toEqual(['schema.ts', 'drizzle.config.ts'])
    expect(found.advice).toEqual([
      { title: expect.stringContaining('next-auth 4'), text: expect.stringContaining(`import * as tables from './schema'`) },
    ])
  })

  test('keeps its route, also if its options are where those of Auth.js would be', async () => {
    const files = { 'lib/auth.ts': `import type {} from 'next-auth'`, 'pages/api/auth/[...nextauth].ts': '' }
    const found = await plan(files, { framework: 'next', packages: { 'next-auth': '^4.24.0' } })
    expect(found.written).toEqual(['schema.ts', 'drizzle.config.ts'])
    expect(titles(found)).toEqual(['Add to lib/auth.ts'])
  })

  test.each(['^5.0.0-beta.25', 'beta', '40.0.0', '5.4.0', 'workspace:4'])('is not installed: %s', (version) => {
    expect(isOldNextAuth({ packages: { 'next-auth': version } } as unknown as Project)).toBe(false)
  })

  test('is not installed in an app without it', () => {
    expect(isOldNextAuth({ packages: {} } as Project)).toBe(false)
  })
})

describe('the handler', () => {
  const route = 'app/api/auth/[...nextauth]/route.ts'

  test.each([
    ['next', {}, route, `import { handlers } from '../../../../auth'\n\nexport const { GET, POST } = handlers\n`],
    [
      'next',
      { 'src/app/page.tsx': '' },
      `src/${route}`,
      `import { handlers } from '../../../../auth'\n\nexport const { GET, POST } = handlers\n`,
    ],
    ['sveltekit', {}, 'src/hooks.server.ts', `export { handle } from './auth'\n`],
  ])('of %s with %j has a file of its own', async (framework, files, path, text) => {
    const found = await plan(files, { framework })
    expect(found.text(path)).toBe(text)
    expect([found.advice, found.kept, found.server]).toEqual([[], [], undefined])
  })

  test('is added to an auth.ts that exports what the file needs', async () => {
    const auth = `export const { handlers } = NextAuth({}) // next-auth`
    expect((await plan({ 'auth.ts': auth }, { framework: 'next' })).text(route)).toContain('handlers')
    const other = await plan({ 'auth.ts': 'export const lucia = 1' }, { framework: 'next' })
    expect(other.written).not.toContain(route)
    expect(other.advice[1]).toEqual({
      title: expect.stringContaining(`a file ${route}`),
      text: `import { handlers } from '../../../../auth'\n\nexport const { GET, POST } = handlers`,
    })
  })

  test('is left alone where its file is there, and is added if that has nothing to do with Auth.js', async () => {
    const file = 'src/hooks.server.js'
    const mounted = await plan({ [file]: `export { handle } from '$lib/Auth'` }, { framework: 'sveltekit' })
    expect([mounted.kept, mounted.advice]).toEqual([[{ path: file, why: 'is there' }], []])
    const other = await plan({ [file]: 'export const handle = 1' }, { framework: 'sveltekit' })
    expect(other.kept).toEqual([{ path: file, why: 'is there' }])
    expect(other.advice).toEqual([{ title: `Add to ${file}`, text: `export { handle } from './auth'` }])
    expect(other.written).not.toContain('src/hooks.server.ts')
    const { advice } = await plan({ [route]: 'export const GET = 1' }, { framework: 'next' })
    const lines = `import { handlers } from '../../../../auth'\n\nexport const { GET, POST } = handlers`
    expect(advice).toEqual([{ title: `Add to ${route}`, text: lines }])
  })

  test.each([
    ['hono', 'pg'],
    ['express', 'pg'],
    ['hono', 'd1'],
    ['none', 'd1'],
  ])('of %s with %s is added where the app answers requests', async (framework, driver) => {
    const found = await plan({ 'src/app.ts': '' }, { framework, driver })
    expect(found.written).toEqual(['src/schema.ts', 'drizzle.config.ts', 'src/auth.ts'])
    expect(found.advice).toEqual([
      { title: expect.stringContaining('where it answers requests'), text: expect.stringMatching(/from '\.\/auth\.js'\n\n/) },
    ])
  })
})

describe('a server to try it with', () => {
  const own = ['typescript', 'tsx', 'dotenv', '@types/node', 'drizzle-orm', 'drizzle-kit', 'drizzle-auth-adapter', '@auth/core']
  const databases = drivers.map(({ name }) => name)
  const versions = (names: string[]) => Object.fromEntries(names.map((name) => [name, '*']))

  test('is written where no package could be an app', async () => {
    const { written, server, text, advice } = await plan({}, { packages: versions([...own, ...databases]) })
    expect(written).toEqual(['schema.ts', 'drizzle.config.ts', 'auth.ts', 'server.ts'])
    expect(server).toBe('server.ts')
    expect(text('server.ts')).toContain(`from './auth.js'`)
    expect(text('server.ts')).toContain('request: Request')
    expect(advice).toEqual([])
  })

  test.each(['fastify', 'my-drizzle-app', 'postgres-things', '@my/types', 'pgx', '@auth/core-extra'])(
    'is not written beside %s',
    async (name) => {
      const { server, written, advice } = await plan({}, { packages: versions([...own, name]) })
      expect([server, written.includes('server.ts'), advice.length]).toEqual([undefined, false, 1])
    },
  )

  test('comes with package.json and tsconfig.json in an empty folder', async () => {
    const typed = await plan({}, { isEmpty: true })
    expect(typed.written).toEqual(['schema.ts', 'drizzle.config.ts', 'auth.ts', 'server.ts', 'package.json', 'tsconfig.json'])
    expect(JSON.parse(typed.text('package.json'))).toEqual({ private: true, type: 'module' })
    const plain = await plan({}, { isEmpty: true, usesTypeScript: false })
    expect(plain.written).toEqual(['schema.js', 'drizzle.config.js', 'auth.js', 'server.js', 'package.json'])
  })

  test('is left alone if it is there', async () => {
    const { server, kept, written } = await plan({ 'src/server.ts': '' })
    expect(server).toBe('src/server.ts')
    expect(kept).toEqual([{ path: 'src/server.ts', why: 'is there' }])
    expect(written).not.toContain('src/server.ts')
    expect(await plan({ 'server.js': '' })).toMatchObject({ server: 'server.js', kept: [{ path: 'server.js', why: 'is there' }] })
  })
})
