import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { root } from '../support/root.js'

const dialects = ['pg', 'mysql', 'sqlite'] as const

/** Bytes, minified and gzipped, without Drizzle. */
const budgets = { dialect: { pg: 19_000, mysql: 20_500, sqlite: 19_000 }, root: 22_100 }

interface Bundle {
  text: string
  modules: string[]
  imports: string[]
}

/** What an app loads of the built package when it starts. Drizzle is not counted. */
async function bundle(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, sourcefile: 'app.js' },
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    outdir: '.',
    minify: true,
    format: 'esm',
    // For no platform, so that a built-in module of Node.js cannot be resolved.
    platform: 'neutral',
    external: ['drizzle-orm', 'drizzle-orm/*', '@better-auth/core', '@better-auth/core/*'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const files = new Set(['stdin.js'])
  const imports = new Set<string>()
  // The loop also visits the files that it adds.
  for (const file of files)
    for (const { path, kind, external } of metafile.outputs[file]?.imports ?? [])
      if (kind === 'import-statement') (external ? imports : files).add(path)
  return {
    text: outputFiles.flatMap(({ path, text }) => (files.has(relative(root, path)) ? [text] : [])).join(''),
    modules: [...files].flatMap((file) => Object.keys(metafile.outputs[file]?.inputs ?? {})),
    imports: [...imports].sort(),
  }
}

describe.each(dialects)('a bundle of drizzle-auth-adapter/%s', (dialect) => {
  const others = dialects.filter((name) => name !== dialect)
  const contents = `export { DrizzleAdapter, defineTables } from 'drizzle-auth-adapter/${dialect}'`

  test("is small, and has no other dialect's code and nothing of Node.js", async () => {
    const { text, modules, imports } = await bundle(contents)
    expect(gzipSync(text).length).toBeLessThan(budgets.dialect[dialect])
    expect(modules).toContain(`dist/${dialect}/tables.js`)
    expect(modules.filter((module) => others.some((other) => module.includes(`/${other}/`)))).toEqual([])
    expect(imports).toEqual(['drizzle-orm', `drizzle-orm/${dialect}-core`])
  })
})

describe('secrets at rest', () => {
  const app = `
    export { DrizzleAdapter, defineTables } from 'drizzle-auth-adapter/pg'
    export { secretsAtRest } from 'drizzle-auth-adapter/secrets'`

  test('are in no bundle of an app that does not import them', async () => {
    for (const entry of ['drizzle-auth-adapter', ...dialects.map((name) => `drizzle-auth-adapter/${name}`)]) {
      const { text, modules } = await bundle(`export * from '${entry}'`)
      expect(modules.filter((module) => module.includes('/secrets/'))).toEqual([])
      expect(text).not.toMatch(/AES-GCM|HKDF/)
    }
  })

  test('add only WebCrypto: no other dialect, and no migration of a live database', async () => {
    const { modules, imports, text } = await bundle(app)
    expect(text).toContain('AES-GCM')
    expect(text).not.toContain('protectSecrets')
    expect(imports).toEqual(['drizzle-orm', 'drizzle-orm/pg-core'])
    expect(modules.filter((module) => /\/(mysql|sqlite)\//.test(module))).toEqual([])
  })
})

test('a bundle of the root is small, and has neither tables nor what the app does not use', async () => {
  const { text, modules, imports } = await bundle(`export { DrizzleAdapter } from 'drizzle-auth-adapter'`)
  expect(gzipSync(text).length).toBeLessThan(budgets.root)
  expect(imports).toEqual(['drizzle-orm'])
  expect(modules.filter((module) => /tables|expired/.test(module))).toEqual([])
})

test('a bundle for Better Auth is as small as that of the root, and only that one imports its packages', async () => {
  const { text, modules, imports } = await bundle(`export { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'`)
  expect(gzipSync(text).length).toBeLessThan(budgets.root)
  expect(imports).toEqual(['@better-auth/core/db/adapter', '@better-auth/core/db/internal', 'drizzle-orm'])
  expect(modules.filter((module) => /tables\.js|adapter\.js|models/.test(module))).toEqual([
    'dist/better-auth/tables.js',
    'dist/better-auth/adapter.js',
  ])
})

test('an app without the kit can be bundled, and one with it contains nothing of it', async () => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'`, resolveDir: root },
    ...{ absWorkingDir: root, bundle: true, format: 'esm', platform: 'node', write: false, metafile: true },
    external: ['drizzle-orm', 'drizzle-orm/*', '@better-auth/core', '@better-auth/core/*'],
  })
  expect(outputFiles.map(({ text }) => text).join('')).toContain('drizzle-auth-kit')
  expect(Object.keys(metafile.inputs).filter((module) => /^kit|babel|magic-string|jiti/.test(module))).toEqual([])
})

test('a bundle of the check for middleware has nothing of Drizzle and Better Auth', async () => {
  const { modules, imports } = await bundle(`export { hasSessionCookie } from 'drizzle-auth-adapter/better-auth/cookie'`)
  expect(imports).toEqual([])
  expect(modules.filter((module) => module.startsWith('dist/'))).toEqual([
    'dist/better-auth/bridge/cookies.js',
    'dist/better-auth/cookie.js',
  ])
})

test.each(['drizzle-auth-adapter', 'drizzle-auth-adapter/sqlite'])(
  'a bundle of %s for no platform works, and checks tables as in Node.js',
  async (entry) => {
    const { text } = await bundle(`
    import { DrizzleAdapter } from '${entry}'
    import { drizzle } from 'drizzle-orm/sqlite-proxy'
    import * as tables from './test/slow/typing/project/written/sqlite.js'
    // Drizzle 0.45 calls what it is given, 1.0 a method of it.
    const db = drizzle(Object.assign(async () => ({ rows: [] }), { all: async () => [] }))
    export const user = DrizzleAdapter(db, tables).getUser('x')
    export const misuse = () => DrizzleAdapter(db, { ...tables, accountsTable: tables.usersTable })`)
    await mkdir(join(root, '.tmp'), { recursive: true })
    const file = join(root, '.tmp', `${randomUUID()}.mjs`)
    onTestFinished(() => rm(file))
    await writeFile(file, text)
    const { user, misuse } = await import(pathToFileURL(file).href)
    expect(await user).toBeNull()
    expect(misuse).toThrow('DrizzleAdapter: accountsTable has no column userId. It looks like your usersTable. Pass it under that name.')
  },
)
