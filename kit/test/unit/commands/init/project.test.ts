import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readProject } from '../../../../src/commands/init/project.js'
import { folderWith } from '../../../support/commands/app.js'

// What init reads in a folder before it writes anything.

type Files = Record<string, string>

const read = async (files: Files, env: Record<string, string> = {}) => readProject({ cwd: await folderWith(files), env })
const readPackage = (settings: object, files: Files = {}) => read({ 'package.json': JSON.stringify(settings), ...files })

describe('package.json', () => {
  test('names packages in several places, and dependencies come first', async () => {
    const { packages } = await readPackage({
      dependencies: { next: '3', pg: '8' },
      devDependencies: { next: '2', 'drizzle-orm': '2' },
      peerDependencies: { next: '1', 'drizzle-orm': '1', react: '1' },
    })
    expect(packages).toEqual({ next: '3', pg: '8', 'drizzle-orm': '2', react: '1' })
  })

  test('or tsconfig.json says that the app uses TypeScript', async () => {
    expect(await readPackage({ devDependencies: { typescript: '*' } })).toMatchObject({ usesTypeScript: true })
    expect(await readPackage({}, { 'tsconfig.json': '{}' })).toMatchObject({ usesTypeScript: true })
    expect(await readPackage({ dependencies: { next: '*' } })).toMatchObject({ usesTypeScript: false })
  })
})

describe('the package manager', () => {
  test.each([
    ['package-lock.json', 'npm'],
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
    ['bun.lockb', 'bun'],
  ])('is known by the lockfile %s, even if another one runs the command', async (file, manager) => {
    const env = { npm_config_user_agent: manager === 'npm' ? 'pnpm/9.1.0' : 'npm/10.8.0 node/v20' }
    expect(await read({ 'package.json': '{}', [file]: '' }, env)).toMatchObject({ manager })
  })

  test('is known by the lockfile of a workspace, in a folder above', async () => {
    const cwd = join(await folderWith({ 'pnpm-lock.yaml': '' }), 'packages', 'app')
    await mkdir(cwd, { recursive: true })
    expect(await readProject({ cwd, env: {} })).toMatchObject({ manager: 'pnpm' })
  })

  test('is the one that package.json names, or else the one that runs the command', async () => {
    expect(await readPackage({ packageManager: 'yarn@4.5.0' }, { 'package-lock.json': '' })).toMatchObject({ manager: 'yarn' })
    expect(await read({}, { npm_config_user_agent: 'bun/1.1.0' })).toMatchObject({ manager: 'bun' })
    expect(await read({}, { npm_config_user_agent: 'cnpm/9.0.0' })).toMatchObject({ manager: 'npm' })
  })
})

describe('the configuration of drizzle-kit', () => {
  const settingsOf = async (text: string, file = 'drizzle.config.ts') => (await read({ [file]: text })).config

  test('may be missing or without these settings', async () => {
    expect((await read({})).config).toBeUndefined()
    expect(await settingsOf('export default config')).toEqual({ file: 'drizzle.config.ts' })
  })

  test.each([
    `dialect: 'sqlite', driver: 'd1-http', schema: './db.ts'`,
    `"dialect":"sqlite","driver":"d1-http","schema":"./db.ts"`,
    'dialect: `sqlite`, driver:\n    `d1-http`, schema: `./db.ts`',
    `schema: [\n    // ours\n    "./db.ts",\n    "./more.ts"\n  ], driver:\n    /* over HTTP */ 'd1-http', dialect: 'sqlite'`,
    `dbCredentials: { url: 'https://localhost/app' }, dialect: 'sqlite', driver: 'd1-http', schema: './db.ts'`,
  ])('is read as text: %s', async (settings) => {
    const schema = settings.includes('more.ts') ? ['./db.ts', './more.ts'] : ['./db.ts']
    const found = { dialect: 'sqlite', driver: 'd1-http', schema }
    for (const file of ['drizzle.config.ts', 'drizzle.config.json'])
      expect(await settingsOf(`export default defineConfig({ ${settings} })`, file)).toEqual({ file, ...found })
  })

  test.each([
    `// dialect: 'gel',\n  // schema: './old.ts',`,
    `  /*\n   * dialect: 'gel',\n   * schema: './old.ts',\n   */`,
    `const was = isOld ? old.dialect : 'gel', from = isOld ? old.schema : './old.ts'`,
    `const my = { old_dialect: 'gel', $schema: './old.ts' }`,
    `migrations: {\n    table: 'done',\n    schema: 'old',\n  },`,
    `"migrations" : { "schema": "old" },`,
  ])('ignores what only looks like a setting: %s', async (other) => {
    const config = await settingsOf(`${other}\nexport default { dialect: 'mysql',\n  /* ours */ schema: './db.ts' }\n/* the end */`)
    expect(config).toMatchObject({ dialect: 'mysql', schema: ['./db.ts'] })
  })
})

test.each([
  ['wrangler.jsonc', '{ "d1_databases": [{ "binding": "DB" }] }', 'wrangler.jsonc'],
  ['wrangler.toml', '[[d1_databases]]\nbinding = "DB"\n', 'wrangler.toml'],
  ['wrangler.toml', 'name = "app"\n', undefined],
])('%s with %j names a D1 database: %s', async (file, text, d1) => {
  expect((await read({ [file]: text })).d1).toBe(d1)
})
