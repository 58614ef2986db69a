import { rm } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { Problem } from '../../src/cli/command.js'
import { findFiles, loadModule, matchesPattern } from '../../src/cli/modules.js'
import { createFolder, failureOf, folderWith, install } from './files.js'

describe('a file of the app', () => {
  const load = async (name: string, text: string, files: Record<string, string> = {}) => {
    const cwd = await folderWith({ 'package.json': '{ "type": "module" }', ...files, [name]: text })
    await install(cwd, 'tsx')
    return loadModule(join(cwd, name), cwd)
  }

  test('can be JSON', async () => {
    expect(await load('config.json', '{ "a": 1 }')).toEqual({ default: { a: 1 } })
  })

  test.each(['config.js', 'config.mjs'])('can be a module: %s', async (name) => {
    expect({ ...(await load(name, 'export default { a: 1 }\nexport const b = [2]\n')) }).toMatchObject({ default: { a: 1 }, b: [2] })
  })

  test('can be TypeScript that imports other files as bundlers do', async () => {
    const text = `import { a } from './other'\nenum Names { One = 1 }\nexport const one: number = Names.One + a\n`
    expect(await load('config.ts', text, { 'other.ts': 'export const a = 1 as number\n' })).toMatchObject({ one: 2 })
  })

  test.each(['module', 'commonjs'])('can be TypeScript in an app of the type %s', async (type) => {
    const loaded = await load('config.ts', 'export const a = 1\nexport default { b: 2 }\n', { 'package.json': `{ "type": "${type}" }` })
    expect(loaded).toMatchObject({ a: 1, default: { b: 2 } })
    expect(loaded).not.toHaveProperty('b')
  })
})

describe('TypeScript', () => {
  /** A tsx that says which file it was asked for. */
  const tsxIn = (folder: string) => ({
    [`${folder}/tsx/package.json`]: JSON.stringify({ exports: { './esm/api': { import: './api.mjs', default: './api.cjs' } } }),
    // Vitest would find the module without its extension.
    [`${folder}/tsx/api`]: '',
    [`${folder}/tsx/api.cjs`]: 'throw new Error("it has a wrong path")',
    [`${folder}/tsx/api.mjs`]: `export const tsImport = async (url, from) => ({ url, from, folder: '${folder}' })\n`,
  })
  const drizzleKit = { 'node_modules/drizzle-kit/package.json': '{}', 'node_modules/drizzle-kit/index.js': '' }
  const [own, ofDrizzleKit] = ['node_modules', 'node_modules/drizzle-kit/node_modules']

  test.each<[string, string, Record<string, string>]>([
    ['the app', own, tsxIn(own)],
    ['drizzle-kit', ofDrizzleKit, { ...drizzleKit, ...tsxIn(ofDrizzleKit) }],
    ['the app, if both have one', own, { ...drizzleKit, ...tsxIn(own), ...tsxIn(ofDrizzleKit) }],
  ])('is loaded with the tsx of %s', async (_title, folder, packages) => {
    const cwd = await folderWith({ 'a.ts': '', 'a.cts': '', 'a.mts': '', 'a.tsx': '', 'a.ts.mjs': 'export const url = 1\n', ...packages })
    for (const name of ['a.ts', 'a.cts', 'a.mts', 'a.tsx'])
      expect(await loadModule(join(cwd, name), cwd)).toMatchObject({ url: pathToFileURL(join(cwd, name)).href, folder })
    expect(await loadModule(join(cwd, 'a.ts.mjs'), cwd)).toMatchObject({ url: 1 })
  })

  test('is loaded with tsx wherever the app is', async () => {
    const cwd = join(await folderWith({ 'my.cjs.app/a.ts': '', ...tsxIn('my.cjs.app/node_modules') }), 'my.cjs.app')
    expect(await loadModule(join(cwd, 'a.ts'), cwd)).toHaveProperty('url')
  })

  test.each(['Bun', 'Deno'])('is loaded by %s itself', async (runtime) => {
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.resetModules()
    })
    vi.stubGlobal(runtime, {})
    vi.resetModules()
    const there = await import('../../src/cli/modules.js')
    const cwd = await folderWith({ 'a.ts': 'export const a: number = 1\n', ...tsxIn(own) })
    expect(await loadModule(join(cwd, 'a.ts'), cwd)).toHaveProperty('url')
    expect({ ...(await there.loadModule(join(cwd, 'a.ts'), cwd)) }).toEqual({ a: 1 })
  })

  test.each([
    ['{ __esModule: true, b: 2 }', { a: 1, b: 2 }],
    ['{ __esModule: true, default: 3 }', { a: 1, default: 3 }],
    ['{ b: 2 }', { a: 1, default: { b: 2 } }],
    ['undefined', { a: 1, default: undefined }],
    ['null', { a: 1, default: null }],
    ["'__esModule'", { a: 1, default: '__esModule' }],
    ['1', { a: 1, default: 1 }],
  ])('that was compiled to CommonJS has its exports in the default export: %s', async (value, expected) => {
    const cwd = await folderWith({
      'a.ts': '',
      ...tsxIn(own),
      'node_modules/tsx/api.mjs': `export const tsImport = async () => ({ a: 1, default: ${value} })\n`,
    })
    const loaded = await loadModule(join(cwd, 'a.ts'), cwd)
    expect(loaded).toMatchObject(expected)
    expect('b' in loaded).toBe('b' in expected)
  })

  const withoutTsx = async (code: string, message = '') => {
    const text = `throw Object.assign(new Error(${JSON.stringify(message)}), { code: '${code}' })\n`
    const cwd = await folderWith({ 'src/config.ts': text })
    const failure = await failureOf(() => loadModule(join(cwd, 'src/config.ts'), cwd))
    expect(failure).toBeInstanceOf(Problem)
    return (failure as Problem).message
  }

  // The errors of Node.js that mean so. Here Vitest would load the file.
  test.each([
    ['ERR_UNKNOWN_FILE_EXTENSION', ''],
    ['ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX', ''],
    ['ERR_MODULE_NOT_FOUND', "Cannot find module '/srv/app/other' imported from /srv/app/config.ts"],
    ['ERR_MODULE_NOT_FOUND', "Cannot find module '\\\\srv\\app\\other' imported from x"],
  ])('needs tsx after the error %s %j', async (code, message) => {
    expect(await withoutTsx(code, message)).toMatch(/^src\/config\.ts is TypeScript, which needs tsx .*npm install --save-dev tsx$/)
  })

  test.each([
    ['ERR_X', ''],
    ['', ''],
    ['MY_ERR_UNKNOWN_FILE_EXTENSION', ''],
    ['ERR_UNKNOWN_FILE_EXTENSION_X', ''],
    ['', "My error: Cannot find module '/srv/app/other'"],
    ['', "Cannot find module 'left-pad'"],
  ])('does not need tsx after the error %j %j', async (code, message) => {
    expect(await withoutTsx(code, message)).toMatch(/^src\/config\.ts cannot be loaded/)
  })
})

describe('a file that cannot be loaded', () => {
  const problemOf = async (name: string, files: Record<string, string>, { tsx = false } = {}) => {
    const cwd = await folderWith({ 'package.json': '{ "type": "module" }', ...files })
    if (tsx) await install(cwd, 'tsx')
    const failure = await failureOf(() => loadModule(join(cwd, name), cwd))
    expect(failure).toBeInstanceOf(Problem)
    expect(failure).toMatchObject({ exitCode: 1 })
    const { message } = failure as Problem
    expect(message).not.toContain('secret')
    expect(message).not.toContain(cwd)
    return message
  }

  test.each([
    ['src/config.mjs', /^src\/config\.mjs cannot be loaded: TypeError at src\/config\.mjs:2:\d+\..*run: node src\/config\.mjs$/],
    ['src/config.ts', /^src\/config\.ts cannot be loaded: TypeError at src\/config\.ts:\d:\d+\..*run: npx tsx src\/config\.ts$/],
  ])('%s is named with the kind and the place of the error', async (name, message) => {
    expect(await problemOf(name, { [name]: '\nnull.secret\n' }, { tsx: true })).toMatch(message)
  })

  test('names the first file of the app, and not one of a package', async () => {
    const message = await problemOf('config.mjs', {
      'config.mjs': `import { check } from 'checker'\n\ncheck('secret')\n`,
      'node_modules/checker/package.json': '{ "type": "module", "exports": "./index.js" }',
      'node_modules/checker/index.js': `export const check = (text) => { throw new RangeError(text) }\n`,
    })
    expect(message).toMatch(/cannot be loaded: RangeError at config\.mjs:3:1\./)
  })

  test.each([
    ['at f (file://$/src/a.mjs:3:4)', ' at src/a.mjs:3:4'],
    ['at $/src/a.mjs:33:44', ' at src/a.mjs:33:44'],
    ['$/src/a.mjs:3\\n', ' at src/a.mjs:3'],
    ['at f (file://$/src/a.mjs?t=1:3:4)', ' at src/a.mjs:3:4'],
    [
      'at f (node:internal:1:2)\\n at $/gone.mjs:1:2\\n at /etc/passwd:1:2\\n at $/node_modules/x.mjs:1:2\\n at $/src/a.mjs:3:4',
      ' at src/a.mjs:3:4',
    ],
    ['at f ($/gone.mjs:3:4)', ''],
    ['at f ($/node_modules/x.mjs:3:4)', ''],
    ['at f (/etc/passwd:3:4)', ''],
    ['at f (C:$/src/a.mjs:3:4)', ''],
  ])('with the stack %j names the place %j', async (stack, place) => {
    const text = `throw Object.assign(new Error(), { stack: '${stack}'.replaceAll('$', import.meta.dirname) })`
    const message = await problemOf('config.mjs', { 'config.mjs': text, 'src/a.mjs': '', 'node_modules/x.mjs': '' })
    expect(message).toMatch(`config.mjs cannot be loaded: Error${place}. To see`)
  })

  test.each([
    [`import 'left-pad'`, 'left-pad'],
    [`import '@scope/left-pad'`, '@scope/left-pad'],
  ])('with %s names what is missing', async (text, missing) => {
    expect(await problemOf('config.mjs', { 'config.mjs': text })).toContain(`it imports ${missing}, which was not found.`)
  })

  test.each([
    ['config.mjs', `throw 'secret'`, /^config\.mjs cannot be loaded: Error\. To see/],
    [
      'config.mjs',
      `throw Object.assign(new Error('secret'), { name: 'a secret' })`,
      /^config\.mjs cannot be loaded: an error at config\.mjs:1:\d+\./,
    ],
    ['config.mjs', `throw Object.assign(new Error(), { stack: undefined })`, /^config\.mjs cannot be loaded: Error\. To see/],
    [
      'config.mjs',
      `throw Object.assign(new Error(), { stack: 'x (/secret/config.mjs:1:2)' })`,
      /^config\.mjs cannot be loaded: Error\. To see/,
    ],
    ['config.json', `{ secret }`, /^config\.json cannot be loaded: SyntaxError\.$/],
    ['config.json', ``, /^config\.json cannot be loaded: SyntaxError\.$/],
  ])('%s with %j shows nothing of the error but its kind', async (name, text, message) => {
    expect(await problemOf(name, { [name]: text })).toMatch(message)
  })
})

const files = [
  'a.ts',
  'b.js',
  'db.ts',
  'notes.md',
  'db/a.ts',
  'db/b.mts',
  'db/c.cjs',
  'db/d.tsx',
  'db/e.txt',
  'db/deep/a.ts',
  'db/deep/er/f.ts',
  'db/k.ts.bak',
  'db/my_node_modules/h.ts',
  'db/node_modules.old/i.ts',
  'db/v1.0/g.ts',
  // The path of a file on Windows.
  'old\\l.ts',
]
const hidden = ['node_modules/x/a.ts', '.next/a.ts', 'db/node_modules/a.ts', 'db/.cache/a.ts']

describe('patterns', () => {
  let cwd: string
  beforeAll(async () => {
    cwd = await createFolder(Object.fromEntries([...files, ...hidden].map((name) => [name, ''])))
    return () => rm(cwd, { recursive: true })
  })

  const find = async (...patterns: string[]) => (await findFiles(patterns, cwd)).map((path) => relative(cwd, path))

  test.each([
    ['a.ts', ['a.ts']],
    ['./a.ts', ['a.ts']],
    ['notes.md', ['notes.md']],
    ['nowhere.ts', []],
    ['nowhere', []],
    ['nowhere/*.ts', []],
    ['*', ['a.ts', 'b.js', 'db.ts']],
    ['?.ts', ['a.ts']],
    ['*.{ts,js}', ['a.ts', 'b.js', 'db.ts']],
    ['{db,db/a}.ts', ['db.ts', 'db/a.ts']],
    ['db\\*.ts', ['db/a.ts']],
    ['{a,b}.js', ['b.js']],
    ['{old,new}/*.ts', ['old\\l.ts']],
    ['db/*', ['db/a.ts', 'db/b.mts', 'db/c.cjs', 'db/d.tsx']],
    ['db/*.ts', ['db/a.ts']],
    ['*/a.ts', ['db/a.ts']],
    ['**/a.ts', ['a.ts', 'db/a.ts', 'db/deep/a.ts']],
    ['db/**/*.ts', ['db/a.ts', 'db/deep/a.ts', 'db/deep/er/f.ts', 'db/my_node_modules/h.ts', 'db/node_modules.old/i.ts', 'db/v1.0/g.ts']],
    ['db/**', ['db/a.ts', 'db/b.mts', 'db/c.cjs', 'db/d.tsx']],
    ['db/de*/**', ['db/deep/a.ts', 'db/deep/er/f.ts']],
    ['db/{deep,other}/*.ts', ['db/deep/a.ts']],
    ['db/de?p/a.ts', ['db/deep/a.ts']],
    ['node_modules/x/*.ts', ['node_modules/x/a.ts']],
  ])('%s finds %j', async (pattern, expected) => {
    expect(await find(pattern)).toEqual(expected)
  })

  test('a folder stands for the modules in it, and not for those in its folders', async () => {
    for (const folder of ['db', './db/']) expect((await find(folder)).sort()).toEqual(['db/a.ts', 'db/b.mts', 'db/c.cjs', 'db/d.tsx'])
  })

  test('each file is found once, in the order of the patterns', async () => {
    expect(await find('b.js', '?.ts', '?.js', 'nowhere')).toEqual(['b.js', 'a.ts'])
  })

  test.each([
    ['src/*.ts', 'src/a.ts', true],
    ['./src/*.ts', 'src/a.ts', true],
    ['src\\*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src\\a.ts', true],
    ['src/*.ts', '../app/src/a.ts', true],
    ['src/*.ts', 'src/a.tsx', false],
    ['src/*.ts', 'src/axts', false],
    ['src/*.ts', 'other/src/a.ts', false],
    ['src/*.ts', 'src/deep/a.ts', false],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/a?b.ts', 'src/a/b.ts', false],
    ['src/**/a.ts', 'src/a.ts', true],
    ['src/**/a.ts', 'src/b/c/a.ts', true],
    ['src/**/a.ts', 'src/ba.ts', false],
    ['src/**', 'src/b/c/a.ts', true],
    ['src/{a,b}.ts', 'src/b.ts', true],
    ['src/{a,b}.ts', 'src/c.ts', false],
    ['src/{*.schema,tables}.ts', 'src/a.schema.ts', true],
    ['src/(auth)/[id]/a+b.ts', 'src/(auth)/[id]/a+b.ts', true],
    ['src/(auth)/*.ts', 'src/auth/a.ts', false],
    ['src/[id]/a.ts', 'src/i/a.ts', false],
    ['src/a+.ts', 'src/aa.ts', false],
    ['src/a|b.ts', 'src/a', false],
    ['src/$a^b.ts', 'src/$a^b.ts', true],
  ])('whether %s finds %s: %s', (pattern, file, found) => {
    expect(matchesPattern(pattern, file, '/srv/app')).toBe(found)
  })
})
