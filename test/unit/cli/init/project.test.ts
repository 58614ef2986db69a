import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../../../src/cli/command.js'
import { readProject, readText } from '../../../../src/cli/init/project.js'
import { failureOf, folderWith } from '../files.js'

// What init reads of a folder before it writes anything.

type Files = Record<string, string>

const read = async (files: Files, env: Record<string, string> = {}) => readProject({ cwd: await folderWith(files), env })
const readPackage = (settings: object, files: Files = {}) => read({ 'package.json': JSON.stringify(settings), ...files })

describe('package.json', () => {
  test('is missing in a new project, which is an ES module in TypeScript', async () => {
    const cwd = await folderWith({})
    const project = { cwd, isEmpty: true, packages: {}, isModule: true, usesTypeScript: true, manager: 'npm' }
    expect(await readProject({ cwd, env: {} })).toEqual({ ...project, config: undefined, d1: undefined })
  })

  test.each([
    [{ type: 'module' }, true],
    [{ type: 'commonjs' }, false],
    [{}, false],
  ])('%j: whether it is an ES module: %s', async (settings, isModule) => {
    expect(await readPackage(settings)).toMatchObject({ isEmpty: false, isModule })
  })

  test('names packages in several places, of which the dependencies count first', async () => {
    const { packages } = await readPackage({
      dependencies: { next: '3', pg: '8' },
      devDependencies: { next: '2', 'drizzle-orm': '2' },
      peerDependencies: { next: '1', 'drizzle-orm': '1', react: '1' },
    })
    expect(packages).toEqual({ next: '3', pg: '8', 'drizzle-orm': '2', react: '1' })
  })

  test('or tsconfig.json says that the app is TypeScript', async () => {
    expect(await readPackage({ devDependencies: { typescript: '*' } })).toMatchObject({ usesTypeScript: true })
    expect(await readPackage({}, { 'tsconfig.json': '{}' })).toMatchObject({ usesTypeScript: true })
    expect(await readPackage({ dependencies: { next: '*' } })).toMatchObject({ usesTypeScript: false })
  })

  test('has to be valid, and is not shown where it is not', async () => {
    const failure = (await failureOf(() => read({ 'package.json': '{ "token": TopSecret }' }))) as Problem
    expect(failure).toBeInstanceOf(Problem)
    expect(failure.exitCode).toBe(2)
    expect(failure.message).toContain('package.json')
    expect(failure.message).not.toContain('TopSecret')
  })
})

describe('the package manager', () => {
  test.each([
    ['package-lock.json', 'npm'],
    ['npm-shrinkwrap.json', 'npm'],
    ['pnpm-lock.yaml', 'pnpm'],
    ['yarn.lock', 'yarn'],
    ['bun.lock', 'bun'],
    ['bun.lockb', 'bun'],
  ])('is the one that wrote the lockfile %s, even if another one runs the command', async (file, manager) => {
    const env = { npm_config_user_agent: manager === 'npm' ? 'pnpm/9.1.0' : 'npm/10.8.0 node/v20' }
    expect(await read({ 'package.json': '{}', [file]: '' }, env)).toMatchObject({ manager })
  })

  test('is found by the lockfile of a workspace, which is in a folder above', async () => {
    const workspace = await folderWith({ 'pnpm-lock.yaml': '' })
    const cwd = join(workspace, 'packages', 'app')
    await mkdir(cwd, { recursive: true })
    expect(await readProject({ cwd, env: {} })).toMatchObject({ manager: 'pnpm' })
  })

  test('is the one that package.json names, whatever lockfile there is', async () => {
    expect(await readPackage({ packageManager: 'yarn@4.5.0' }, { 'package-lock.json': '' })).toMatchObject({ manager: 'yarn' })
  })

  test.each([
    ['pnpm/9.0.0 npm/? node/v20', 'pnpm'],
    ['yarn/1.22.0', 'yarn'],
    ['bun/1.1.0', 'bun'],
    ['cnpm/9.0.0', 'npm'],
    ['deno/2.0.0 bun/1.1.0', 'npm'],
    ['bundler', 'npm'],
  ])('is the one that runs the command where there is no lockfile: %s', async (agent, manager) => {
    expect(await read({}, { npm_config_user_agent: agent })).toMatchObject({ manager })
  })
})

describe('the configuration of drizzle-kit', () => {
  const settingsOf = async (text: string, file = 'drizzle.config.ts') => (await read({ [file]: text })).config

  test.each(['ts', 'js', 'mjs', 'cjs', 'mts', 'json'])('is a file that ends with .%s', async (end) => {
    const file = `drizzle.config.${end}`
    const config = { file, dialect: 'mysql', driver: undefined, schema: undefined }
    expect(await settingsOf(`{ "dialect": "mysql" }`, file)).toEqual(config)
  })

  test('may be missing, empty, or without these settings', async () => {
    expect((await read({})).config).toBeUndefined()
    expect(await settingsOf('')).toEqual({ file: 'drizzle.config.ts' })
    expect(await settingsOf('export default config')).toEqual({ file: 'drizzle.config.ts' })
  })

  test.each([
    `dialect: 'sqlite', driver: 'd1-http', schema: './db.ts'`,
    `"dialect":"sqlite","driver":"d1-http","schema":"./db.ts"`,
    `'dialect' : 'sqlite', 'driver'  :  'd1-http', 'schema' : './db.ts'`,
    'dialect: `sqlite`, driver:\n    `d1-http`, schema: `./db.ts`',
    `schema: ['./db.ts', './more.ts'],\n  driver: 'd1-http',\n  dialect: 'sqlite'`,
    `schema: [\n    "./db.ts",\n    "./more.ts"\n  ], driver: 'd1-http', dialect: 'sqlite'`,
    `schema:["./db.ts"],driver:'d1-http',dialect:'sqlite'`,
    `schema: [\n    // what is ours\n    './db.ts',\n  ],\n  driver:\n    /* over HTTP */ 'd1-http', dialect: 'sqlite'`,
  ])('is read as text: %s', async (settings) => {
    expect(await settingsOf(`export default defineConfig({ ${settings} })`)).toEqual({
      file: 'drizzle.config.ts',
      dialect: 'sqlite',
      driver: 'd1-http',
      schema: './db.ts',
    })
  })

  test.each([
    `// dialect: 'gel',\n// schema: './old.ts',`,
    `  // dialect: 'gel', schema: './old.ts',`,
    `/* dialect: 'gel', */\n/* schema: './old.ts', */`,
    `  /*\n   * dialect: 'gel',\n   * schema: './old.ts',\n   */`,
    `const was = isOld ? old.dialect : 'gel', from = isOld ? old.schema : './old.ts'`,
    `const my = { old_dialect: 'gel', $schema: './old.ts' }`,
    `migrations: { schema: 'old' },`,
    `migrations: {\n    table: 'done',\n    schema: 'old',\n  },`,
    `"migrations" : { "schema": "old" },`,
    `'migrations':{ 'schema': 'old' },`,
  ])('has its settings after what is none: %s', async (other) => {
    const config = await settingsOf(`${other}\nexport default { dialect: 'mysql',\n  /* ours */ schema: './db.ts' }\n/* the end */`)
    expect(config).toMatchObject({ dialect: 'mysql', schema: './db.ts' })
  })

  test('has no comment after the // of a URL', async () => {
    const text = `export default { dbCredentials: { url: 'mysql://localhost/app' }, dialect: 'mysql', schema: './db.ts' }`
    expect(await settingsOf(text)).toMatchObject({ dialect: 'mysql', schema: './db.ts' })
  })
})

describe('the configuration of Wrangler', () => {
  test.each([
    ['wrangler.jsonc', '{ "d1_databases": [{ "binding": "DB" }] }'],
    ['wrangler.json', '{ "d1_databases": [] }'],
    ['wrangler.toml', '[[d1_databases]]\nbinding = "DB"\n'],
  ])('%s names a D1 database', async (file, text) => {
    expect(await read({ [file]: text })).toMatchObject({ d1: file })
  })

  test('may name none', async () => {
    expect((await read({ 'wrangler.toml': 'name = "app"\n', 'wrangler.json': '{}' })).d1).toBeUndefined()
  })
})

test('a file that is not there has no text', async () => {
  const cwd = await folderWith({ '.env': 'A=1\n' })
  expect(await readText(cwd, '.env')).toBe('A=1\n')
  expect(await readText(cwd, '.dev.vars')).toBeUndefined()
})
