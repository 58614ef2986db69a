import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../support/root.js'

const source = join(root, 'src')
const dialects = ['pg', 'mysql', 'sqlite']

/** A source file without its doc comments, whose examples are code of apps. */
const codeOf = async (file: string) => (await readFile(join(source, file), 'utf8')).replace(/\/\*\*[\s\S]*?\*\//g, '')

/** Each source file with what it imports: files of ours by their path below src, packages by their name. */
async function importsOf(): Promise<Map<string, string[]>> {
  const files = (await readdir(source, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const entries = files.map(async (file): Promise<[string, string[]]> => {
    const text = await codeOf(file)
    const found = [...text.matchAll(/^(?:import|export)[^'"]*from '([^']+)'|import\(['"]([^'"]+)['"]\)/gm)].map(
      (match) => match[1] ?? (match[2] as string),
    )
    const path = (name: string) => (name.startsWith('.') ? posix.join(dirname(file), name).replace(/\.js$/, '.ts') : name)
    return [file, found.map(path)]
  })
  return new Map(await Promise.all(entries))
}

/** From the entry points down. A file imports from layers below its own, or from its own. */
const layers: RegExp[] = [
  /^(((pg|mysql|sqlite|secrets|testing|authjs|better-auth)\/)?index|internal|better-auth\/cookie)\.ts$/,
  /^testing\//,
  /^authjs\//,
  /^better-auth\//,
  /^secrets\//,
  /^relations\//,
  /^dialects\.ts$/,
  /^adapter\.ts$/,
  /^extensions\//,
  /^(pg|mysql|sqlite)\/tables\.ts$/,
  /^((checks|library)\.ts$|definition\/)/,
  /^types\.ts$/,
  /^protection\.ts$/,
  /^(pg|mysql|sqlite)\//,
  /^options\.ts$/,
  /^query\/table\.ts$/,
  /^query\/(delete-user|lookup|returning)\.ts$/,
  /^query\/dialect\.ts$/,
  /^query\/stored-table\.ts$/,
  /^query\/conditions\.ts$/,
  /^query\/table-definition\.ts$/,
  /^query\/statements\.ts$/,
  /^query\/connection\.ts$/,
  /^query\/codec\.ts$/,
  /^query\//,
  /^(models|base64url)\.ts$/,
]

/** The imports that lead from a file back to itself, if there are any. `cleared` are the files from which none do. */
function circleFrom(file: string, imports: Map<string, string[]>, path: string[] = [], cleared = new Set<string>()): string[] | undefined {
  if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
  if (cleared.has(file)) return undefined
  for (const name of imports.get(file) ?? []) {
    const circle = circleFrom(name, imports, [...path, file], cleared)
    if (circle) return circle
  }
  cleared.add(file)
  return undefined
}

describe('the sources', () => {
  test('import in one direction', async () => {
    const layerOf = (file: string) => layers.findIndex((layer) => layer.test(file))
    for (const [file, imports] of await importsOf()) {
      expect(layerOf(file), `${file} has a layer`).not.toBe(-1)
      for (const name of imports.filter((name) => name.endsWith('.ts')))
        expect(layerOf(name), `${file} imports ${name}`).toBeGreaterThanOrEqual(layerOf(file))
    }
  })

  test('mention Better Auth only where its tables are recognized, swept or protected, in its own folders, in the suite and in what the kit uses', async () => {
    for (const file of (await importsOf()).keys())
      if (
        !/^(library\.ts|extensions\/expired\.ts|((pg|mysql|sqlite)\/)?index\.ts|internal\.ts|secrets\/|better-auth\/|testing\/)/.test(file)
      )
        expect(await codeOf(file), file).not.toMatch(/better.?auth/i)
  })

  test('have no circle of imports, types included', async () => {
    const imports = await importsOf()
    const cleared = new Set<string>()
    for (const file of imports.keys()) expect(circleFrom(file, imports, [], cleared)).toBeUndefined()
  })

  test("only a dialect's tables import its core, and no dialect imports another", async () => {
    for (const [file, imports] of await importsOf()) {
      for (const name of imports.filter((name) => name.startsWith('drizzle-orm/'))) {
        const dialect = file.replace(/^(\w+)\/tables\.ts$/, '$1')
        expect(`${file} imports drizzle-orm/${dialect}-core`).toBe(`${file} imports ${name}`)
      }
      const own = dialects.find((name) => file.startsWith(`${name}/`))
      if (own)
        for (const other of dialects.filter((name) => name !== own))
          expect(imports.filter((name) => name.startsWith(`${other}/`))).toEqual([])
    }
  })

  test('import no package but drizzle-orm, its root in one place, and nothing of Node', async () => {
    for (const [file, imports] of await importsOf()) {
      for (const name of imports.filter((name) => !name.endsWith('.ts')))
        expect(name, `${file} imports ${name}`).toMatch(
          file.startsWith('better-auth/') ? /^(drizzle-orm|@better-auth\/core)($|\/)/ : /^drizzle-orm($|\/)/,
        )
      const text = await codeOf(file)
      // `relations` is in 0.45 alone, so that no file which 1.0 loads may import it.
      if (!['query/drizzle.ts', 'relations/index.ts'].includes(file))
        expect(text, file).not.toMatch(/^(import|export) \{[^}]*\} from 'drizzle-orm'/m)
      expect(text, file).not.toMatch(/\b(process\.|Buffer\b|require\(|__dirname|globalThis)/)
    }
  })

  // An addition takes its lines from something else.
  test('of the query layer and the dialects have at most 3,000 lines', async () => {
    let lines = 0
    for (const file of (await importsOf()).keys())
      if (/^(query|pg|mysql|sqlite)\//.test(file)) lines += (await readFile(join(source, file), 'utf8')).split('\n').length - 1
    expect(lines).toBeLessThanOrEqual(3_000)
  })

  test('have at most 11,300 lines in all', async () => {
    let lines = 0
    for (const file of (await importsOf()).keys()) lines += (await readFile(join(source, file), 'utf8')).split('\n').length - 1
    expect(lines).toBeLessThanOrEqual(11_300)
  })

  test('no operation asks which dialect it runs on', async () => {
    for (const file of (await importsOf()).keys()) {
      if (!/^(adapter\.ts$|extensions\/|query\/)/.test(file)) continue
      const text = await codeOf(file)
      expect(text.replace(/^import.*$/gm, ''), file).not.toMatch(/=== '(pg|mysql|sqlite)'|name\s*=== dialect/)
    }
  })
})

test('the packages have the same version, and the kit needs exactly that adapter', async () => {
  const [adapter, kit] = await Promise.all(
    ['', 'kit'].map(async (folder) => JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'))),
  )
  expect(kit).toMatchObject({ version: adapter.version, peerDependencies: { 'drizzle-auth-adapter': adapter.version } })
})

test('the kit imports the adapter through one entry point, and the default tables', async () => {
  const kit = join(root, 'kit', 'src')
  for (const file of (await readdir(kit, { recursive: true })).filter((name) => name.endsWith('.ts'))) {
    const text = await readFile(join(kit, file), 'utf8')
    expect(text, file).not.toMatch(/'(\.\.\/)+src\//)
    for (const [, entry] of text.replace(/\/\*\*[\s\S]*?\*\//g, '').matchAll(/^(?:import|export).* from 'drizzle-auth-adapter([^']*)'$/gm))
      expect(entry, file).toMatch(/^\/(internal|pg|mysql|sqlite)$/)
  }
})

// An addition takes its lines from something else.
test('the sources of the kit have at most 9,600 lines', async () => {
  const kit = join(root, 'kit', 'src')
  const files = (await readdir(kit, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const texts = await Promise.all(files.map((file) => readFile(join(kit, file), 'utf8')))
  expect(texts.reduce((lines, text) => lines + text.split('\n').length - 1, 0)).toBeLessThanOrEqual(9_600)
})
