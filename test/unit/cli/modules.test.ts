import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { loadModule } from '../../../src/cli/modules.js'
import { failureOf, folderWith, install } from './files.js'

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
    const there = await import('../../../src/cli/modules.js')
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
