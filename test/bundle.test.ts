import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const dialects = ['pg', 'mysql', 'sqlite'] as const

// Gzipped bytes.
const limits = { pg: 9_800, mysql: 9_900, sqlite: 9_700 }

/** What an app bundles of the built package when it has the tables of one dialect. Drizzle is not counted. */
async function bundle(dialect: string): Promise<{ text: string; modules: string[]; imports: string[] }> {
  const contents = `export { DrizzleAdapter } from 'drizzle-auth-adapter'; export { defineTables } from 'drizzle-auth-adapter/${dialect}'`
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root },
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
  const [output] = Object.values(metafile.outputs) as [Metafile['outputs'][string]]
  return {
    text: outputFiles[0]?.text ?? '',
    modules: Object.keys(output.inputs),
    imports: [...new Set(output.imports.map(({ path }) => path))].sort(),
  }
}

describe.each(dialects)('a bundle of the root and the tables of %s', (dialect) => {
  const others = dialects.filter((name) => name !== dialect)

  test('is small', async () => {
    const { text } = await bundle(dialect)
    expect(gzipSync(text).length).toBeLessThan(limits[dialect])
  })

  test("imports Drizzle and this dialect's core, nothing else and nothing of Node", async () => {
    const { imports } = await bundle(dialect)
    expect(imports).toEqual(['drizzle-orm', `drizzle-orm/${dialect}-core`])
  })

  test("has no other dialect's tables", async () => {
    const { modules } = await bundle(dialect)
    expect(modules).toContain(`dist/${dialect}/tables.js`)
    expect(modules.filter((module) => others.some((other) => module.includes(`/${other}/tables`)))).toEqual([])
  })
})
