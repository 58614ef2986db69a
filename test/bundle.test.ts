import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const dialects = ['pg', 'mysql', 'sqlite'] as const

// Bytes, minified and gzipped.
const limit = 8_000

interface Bundle {
  text: string
  modules: string[]
  imports: string[]
}

/** What an app bundles of the built package, in one file. Drizzle is not counted. */
async function bundle(contents: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, sourcefile: 'app.js' },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    format: 'esm',
    // Of no platform, so that a built-in module of Node's cannot be resolved.
    platform: 'neutral',
    external: ['drizzle-orm', 'drizzle-orm/*'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const outputs = Object.values(metafile.outputs)
  return {
    text: outputFiles.map(({ text }) => text).join(''),
    modules: outputs.flatMap(({ inputs }) => Object.keys(inputs)),
    imports: [...new Set(outputs.flatMap(({ imports }) => imports.map(({ path }) => path)))].sort(),
  }
}

describe.each(dialects)('a bundle of the root and the tables of %s', (dialect) => {
  const others = dialects.filter((name) => name !== dialect)
  const contents = `export { DrizzleAdapter } from 'drizzle-auth-adapter'; export { defineTables } from 'drizzle-auth-adapter/${dialect}'`

  test('is small', async () => {
    const { text } = await bundle(contents)
    expect(gzipSync(text).length).toBeLessThan(limit)
  })

  test("has no other dialect's code", async () => {
    const { modules } = await bundle(contents)
    expect(modules).toContain(`dist/${dialect}/dialect.js`)
    expect(modules).toContain(`dist/${dialect}/tables.js`)
    expect(modules.filter((module) => others.some((other) => module.includes(`/${other}/`)))).toEqual([])
  })

  test("imports Drizzle and this dialect's core, nothing else and nothing of Node", async () => {
    const { imports } = await bundle(contents)
    expect(imports).toEqual(['drizzle-orm', `drizzle-orm/${dialect}-core`])
  })
})

describe('tables written by hand', () => {
  const written = `
    import { DrizzleAdapter } from 'drizzle-auth-adapter'
    import { drizzle } from 'drizzle-orm/sqlite-proxy'
    import * as tables from './test/typing/project/written/sqlite.js'
    // Drizzle 0.45 calls what it is given, 1.0 a method of it.
    const db = drizzle(Object.assign(async () => ({ rows: [] }), { all: async () => [] }))`

  /** Runs what was bundled, as a new process has it. */
  async function run(contents: string): Promise<unknown> {
    const { text } = await bundle(contents)
    await mkdir(join(root, '.tmp'), { recursive: true })
    const file = join(root, '.tmp', `${randomUUID()}.mjs`)
    onTestFinished(() => rm(file))
    await writeFile(file, text)
    const { found } = await import(pathToFileURL(file).href)
    return found
  }

  const missing = 'DrizzleAdapter: tables written by hand need the option dialect, from drizzle-auth-adapter/pg, /mysql or /sqlite.'

  test('are told at once what to import where the bundle is for no server', async () => {
    const found = await run(`${written}
      export const found = (() => { try { DrizzleAdapter(db, tables) } catch (error) { return error.message } })()`)
    expect(found).toBe(missing)
  })

  test('work there with the dialect that they are given', async () => {
    const found = await run(`${written}
      import { dialect } from 'drizzle-auth-adapter/sqlite'
      export const found = DrizzleAdapter(db, tables, { dialect }).getUser('x')`)
    expect(await found).toBeNull()
  })

  test('are asked for in the same words where there are none', async () => {
    const found = await run(`${written}
      export const found = (() => { try { DrizzleAdapter(db) } catch (error) { return error.message } })()`)
    expect(found).toBe(missing)
  })

  test('are not blamed where deleteExpired is given none to tidy', async () => {
    const found = await run(`${written}
      import { deleteExpired } from 'drizzle-auth-adapter'
      export const found = deleteExpired(db, {}).catch((error) => error.message)`)
    expect(await found).toMatch(/neither sessionsTable nor verificationTokensTable is given/)
  })

  test('are looked at there as on a server', async () => {
    const found = await run(`${written}
      import { dialect } from 'drizzle-auth-adapter/sqlite'
      export const found = (() => { try { DrizzleAdapter(db, { ...tables, accountsTable: tables.usersTable }, { dialect }) } catch (error) { return error.message } })()`)
    expect(found).toBe('DrizzleAdapter: accountsTable has no column userId. Add one that holds a string, number or bigint.')
  })

  test('need none beside tables of defineTables', async () => {
    const found = await run(`${written}
      import { defineTables } from 'drizzle-auth-adapter/sqlite'
      const { usersTable } = tables
      export const found = [
        DrizzleAdapter(db, { ...defineTables(), usersTable }).getUser('x'),
        DrizzleAdapter(db, defineTables({ usersTable })).getUser('x'),
      ]`)
    expect(await Promise.all(found as unknown[])).toEqual([null, null])
  })

  test('take no dialect but that of the database', async () => {
    const found = await run(`${written}
      import { dialect } from 'drizzle-auth-adapter/pg'
      export const found = (() => { try { DrizzleAdapter(db, tables, { dialect }) } catch (error) { return error.name } })()`)
    expect(found).toBe('AdapterConfigError')
  })
})
