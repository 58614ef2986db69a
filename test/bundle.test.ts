import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile } from 'esbuild'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'

type Output = Metafile['outputs'][string]

const root = join(import.meta.dirname, '..')
const dialects = ['pg', 'mysql', 'sqlite'] as const

// Gzipped bytes of what an app loads at its start.
const limits = { pg: 9_600, mysql: 10_300, sqlite: 9_300 }

interface Bundle {
  text: string
  modules: string[]
  imports: string[]
}

/** What an app bundles of the built package when it has the tables of one dialect, in one file or split. Drizzle is not counted. */
async function bundle(dialect: string, splitting: boolean): Promise<Bundle> {
  const contents = `export { DrizzleAdapter } from 'drizzle-auth-adapter'; export { defineTables } from 'drizzle-auth-adapter/${dialect}'`
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: root, sourcefile: 'app.js' },
    absWorkingDir: root,
    outdir: 'out',
    bundle: true,
    splitting,
    minify: true,
    format: 'esm',
    // Of no platform, so that a built-in module of Node's cannot be resolved.
    platform: 'neutral',
    external: ['drizzle-orm', 'drizzle-orm/*'],
    metafile: true,
    write: false,
    logLevel: 'silent',
  })
  const names = atStart(metafile, Object.keys(metafile.outputs).find((name) => metafile.outputs[name]?.entryPoint === 'app.js') ?? '')
  const outputs = names.map((name) => metafile.outputs[name] as Output)
  return {
    text: outputFiles
      .filter(({ path }) => names.some((name) => path.endsWith(name)))
      .map(({ text }) => text)
      .join(''),
    modules: outputs.flatMap(({ inputs }) => Object.keys(inputs)),
    imports: [...new Set(outputs.flatMap(({ imports }) => imports.filter(({ external }) => external).map(({ path }) => path)))].sort(),
  }
}

/** A file of the bundle and those that are loaded with it. */
function atStart({ outputs }: Metafile, name: string): string[] {
  const imported = outputs[name]?.imports.filter(({ kind, external }) => kind === 'import-statement' && !external) ?? []
  return [...new Set([name, ...imported.flatMap(({ path }) => atStart({ outputs, inputs: {} }, path))])]
}

describe.each(dialects)('a bundle of the root and the tables of %s', (dialect) => {
  const others = dialects.filter((name) => name !== dialect)

  test('is small', async () => {
    const { text } = await bundle(dialect, true)
    expect(gzipSync(text).length).toBeLessThan(limits[dialect])
  })

  test("has no other dialect's code", async () => {
    const { modules } = await bundle(dialect, true)
    expect(modules).toContain(`dist/${dialect}/dialect.js`)
    expect(modules).toContain(`dist/${dialect}/tables.js`)
    expect(modules.filter((module) => others.some((other) => module.includes(`/${other}/`)))).toEqual([])
  })

  // A bundler that does not split puts into the one file what tables written by hand would load.
  test.each([true, false])("imports Drizzle and this dialect's core, nothing else and nothing of Node; split: %s", async (splitting) => {
    const { imports, modules } = await bundle(dialect, splitting)
    expect(imports).toEqual(['drizzle-orm', `drizzle-orm/${dialect}-core`])
    expect(modules.filter((module) => others.some((other) => module.includes(`/${other}/tables`)))).toEqual([])
  })
})
