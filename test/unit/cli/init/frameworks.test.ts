import { compileFunction } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { drivers } from '../../../../src/cli/init/drivers.js'
import type { AuthParts } from '../../../../src/cli/init/frameworks.js'
import { adapterLines, frameworks } from '../../../../src/cli/init/frameworks.js'
import { serverFile, tsconfigFile } from '../../../../src/cli/init/starter.js'

// The auth.ts that init writes for each framework. It is run here, with modules that show what they are given.

const frameworkOf = (name: string) => frameworks.find((one) => one.name === name) ?? expect.fail(`no framework ${name}`)
const driverOf = (name: string) => drivers.find((one) => one.name === name) ?? expect.fail(`no driver ${name}`)

const partsOf = (driver: string, more: Partial<AuthParts> = {}): AuthParts => ({
  driver: driverOf(driver),
  usesTypeScript: false,
  schema: './schema.js',
  ...more,
})

const authOf = (framework: string, driver: string, more?: Partial<AuthParts>) =>
  frameworkOf(framework).auth(partsOf(driver, more)) ?? expect.fail(`no auth.ts for ${framework} with ${driver}`)

const env = { DATABASE_URL: 'the address', DATABASE_AUTH_TOKEN: 'the token', AUTH_SECRET: 'the secret' }

/** What a module would be: each function that it exports shows its name and its arguments. */
const shows =
  (name: string) =>
  (...args: unknown[]) => ({ [name]: args })

const modules: Record<string, object> = {
  'drizzle-auth-adapter': { DrizzleAdapter: shows('adapter') },
  'next-auth': { default: (config: unknown) => ({ auth: config, handlers: config, signIn: config, signOut: config }) },
  '@auth/sveltekit': { SvelteKitAuth: (config: unknown) => ({ handle: config, signIn: config, signOut: config }) },
  '@auth/core': { Auth: shows('Auth') },
  '$env/dynamic/private': { env },
  './schema.js': { usersTable: 'users' },
  './db.js': { db: 'the db of the app' },
  ...Object.fromEntries(drivers.map(({ module }) => [`drizzle-orm/${module}`, { drizzle: shows(module) }])),
}

/** Runs a JavaScript module and returns what it exports. */
function load(text: string, variables: object = env): Record<string, unknown> {
  const exported = [...text.matchAll(/^export const (?:(\w+)|\{(.*)\})/gm)].flatMap(([, one, several]) => one ?? several)
  const code = text
    .replace(/^import \* as (\w+) from '(.+)'$/gm, `const $1 = modules['$2']`)
    .replace(/^import (\{.+\}) from '(.+)'$/gm, `const $1 = modules['$2']`)
    .replace(/^import (\w+) from '(.+)'$/gm, `const $1 = modules['$2'].default`)
    .replace(/^export /gm, '')
  return compileFunction(`'use strict'\n${code}\nreturn { ${exported.join(', ')} }`, ['modules', 'process'])(modules, { env: variables })
}

const tables = { usersTable: 'users' }

/** The configuration of Auth.js, with a database that was opened like this. */
const config = (db: unknown, more: object = {}) => ({
  adapter: { adapter: [db, tables] },
  trustHost: true,
  providers: [{ id: 'email', type: 'email', name: 'Email', sendVerificationRequest: expect.any(Function) }],
  ...more,
})

const opened = { 'node-postgres': ['the address'] }

/** The order of the imports by the modules' names. */
const importsOf = (text: string) => [...text.matchAll(/^import .* from '(.+)'$/gm)].map(([, name]) => name)

describe('auth.js', () => {
  test('of Next.js exports what next-auth makes of the configuration', () => {
    const expected = config(opened)
    expect(load(authOf('next', 'pg'))).toEqual({ auth: expected, handlers: expected, signIn: expected, signOut: expected })
  })

  test('of SvelteKit reads the variables that SvelteKit provides', () => {
    const expected = config(opened)
    expect(load(authOf('sveltekit', 'pg'), {})).toEqual({ handle: expected, signIn: expected, signOut: expected })
  })

  test.each(['hono', 'express'])('of %s exports the configuration', (name) => {
    expect(load(authOf(name, 'pg'))).toEqual({ authConfig: config(opened) })
  })

  test('without a framework exports a handler', () => {
    const expected = config(opened, { secret: 'the secret', basePath: '/auth' })
    const { authConfig, handleAuth, ...others } = load(authOf('none', 'pg'))
    expect(authConfig).toEqual(expected)
    expect((handleAuth as (request: string) => unknown)('a request')).toEqual({ Auth: ['a request', expected] })
    expect(others).toEqual({})
  })

  test.each(['next', 'sveltekit', 'hono', 'express', 'none'])('of %s opens the database by DATABASE_URL, and fails without it', (name) => {
    const { DATABASE_URL, ...others } = env
    if (name !== 'sveltekit') expect(() => load(authOf(name, 'pg'), others)).toThrow('DATABASE_URL is not set')
    for (const { name: driver, module, perRequest, token } of drivers)
      if (!perRequest && !token) expect(JSON.stringify(load(authOf(name, driver)))).toContain(`{"${module}":["the address"]}`)
  })

  test.each(['next', 'sveltekit', 'hono', 'express', 'none'])('of %s gives libsql the token', (name) => {
    const connection = { connection: { url: 'the address', authToken: 'the token' } }
    expect(JSON.stringify(load(authOf(name, '@libsql/client')))).toContain(JSON.stringify({ libsql: [connection] }))
  })

  test.each(['next', 'sveltekit', 'hono', 'express', 'none'])('of %s uses the db that the app has', (name) => {
    const text = authOf(name, 'pg', { db: './db.js' })
    expect(JSON.stringify(load(text, {}))).toContain('{"adapter":["the db of the app",{"usersTable":"users"}]}')
    expect(text).not.toMatch(/drizzle-orm|DATABASE_URL/)
  })

  test('shows the link to sign in with, until the app sends mails', () => {
    const { authConfig } = load(authOf('express', 'pg')) as { authConfig: { providers: { sendVerificationRequest: unknown }[] } }
    expect(String(authConfig.providers[0]?.sendVerificationRequest)).toMatch(/console\.log\(.*\$\{identifier\}.*\$\{url\}/)
  })

  test('imports packages in the order of their names, and then files of the app', () => {
    const own = ['./db.js', './schema.js']
    const inApp = { db: './db.js', usesTypeScript: true }
    expect(importsOf(authOf('next', 'pg'))).toEqual(['drizzle-auth-adapter', 'drizzle-orm/node-postgres', 'next-auth', './schema.js'])
    expect(importsOf(authOf('sveltekit', 'pg', inApp))).toEqual(['$env/dynamic/private', '@auth/sveltekit', 'drizzle-auth-adapter', ...own])
    expect(importsOf(authOf('none', 'd1', inApp))).toEqual([
      '@auth/core',
      '@auth/core',
      'drizzle-auth-adapter',
      'drizzle-orm/d1',
      './schema.js',
    ])
    expect(authOf('none', 'pg', inApp)).toMatch(/^import type \{ AuthConfig \} .*\nimport \{ Auth \} /)
  })
})

describe('auth.js for D1', () => {
  const request = { DB: 'the binding', AUTH_SECRET: 'the secret of the request' }
  const expected = config({ d1: ['the binding'] }, { secret: 'the secret of the request', basePath: '/auth' })

  test('of Hono makes the configuration in a request', () => {
    const { authConfig, ...others } = load(authOf('hono', 'd1'), {})
    expect((authConfig as (env: object) => unknown)(request)).toEqual(expected)
    expect(others).toEqual({})
  })

  test('without a framework has a handler that takes the request and its env', () => {
    const { handleAuth } = load(authOf('none', 'd1'), {})
    expect((handleAuth as (request: string, env: object) => unknown)('a request', request)).toEqual({ Auth: ['a request', expected] })
  })

  test.each(['next', 'sveltekit', 'express'])('is not written for %s', (name) => {
    expect(frameworkOf(name).auth(partsOf('d1'))).toBeUndefined()
  })
})

describe('auth.ts', () => {
  const withoutTypes = (text: string) =>
    text
      .replace(/^import type .*\n/gm, '')
      .replace(/^export interface \w+ \{[^}]*\}\n\n/gm, '')
      .replace(/: (AuthConfig|ExpressAuthConfig|Env|Request)\b/g, '')

  test.each([
    ['next', 'pg', []],
    ['sveltekit', 'pg', []],
    ['hono', 'pg', [`import type { AuthConfig } from '@auth/core'`, 'export const authConfig: AuthConfig = {']],
    ['express', 'pg', [`import type { ExpressAuthConfig } from '@auth/express'`, 'export const authConfig: ExpressAuthConfig = {']],
    ['none', 'pg', [`import type { AuthConfig } from '@auth/core'`, 'authConfig: AuthConfig = {', 'handleAuth = (request: Request) =>']],
    [
      'hono',
      'd1',
      [
        `import type { AuthConfig } from '@auth/core'`,
        'export interface Env {',
        '  AUTH_SECRET: string',
        'export const authConfig = (env: Env): AuthConfig => ({',
      ],
    ],
    [
      'none',
      'd1',
      [`import type { AuthConfig } from '@auth/core'`, 'export interface Env {', 'handleAuth = (request: Request, env: Env) =>'],
    ],
  ])('of %s with %s is the same with types', (framework, driver, lines) => {
    const text = authOf(framework, driver, { usesTypeScript: true })
    for (const line of lines) expect(text).toContain(line)
    expect(withoutTypes(text)).toBe(authOf(framework, driver))
  })

  test('ends with a line break, and has each setting of Auth.js in a line of its own', () => {
    for (const { name } of frameworks)
      expect(authOf(name, 'pg', { usesTypeScript: true })).toMatch(/\n {2}trustHost: true,\n[\s\S]*[^\n]\n$/)
  })
})

describe('the lines that are added', () => {
  test('to an app that has Auth.js are those of the adapter', () => {
    const text = adapterLines(partsOf('pg', { schema: '../schema', db: '../db' }))
    expect(text.split('\n')).toEqual([
      `import { DrizzleAdapter } from 'drizzle-auth-adapter'`,
      `import { db } from '../db'`,
      `import * as tables from '../schema'`,
      '',
      expect.stringMatching(/^\/\/ .*Auth\.js:$/),
      'adapter: DrizzleAdapter(db, tables),',
      '',
    ])
    expect(adapterLines(partsOf('pg'))).toMatch(/\n\nconst db = drizzle\(url\)\n\n\/\//)
  })

  test.each([
    ['next', 'pg', [`import { handlers } from './auth'`, '', 'export const { GET, POST } = handlers']],
    ['sveltekit', 'pg', [`export { handle } from './auth'`]],
    ['hono', 'pg', ['app.use(initAuthConfig(() => authConfig))', `app.use('/auth/*', authHandler())`]],
    ['hono', 'd1', ['app.use(initAuthConfig((c) => authConfig(c.env)))', `app.use('/auth/*', authHandler())`]],
    ['express', 'pg', [`app.use('/auth', ExpressAuth(authConfig))`]],
    ['none', 'pg', ['const response = await handleAuth(request)']],
    ['none', 'd1', ['const response = await handleAuth(request, env)']],
  ])('to mount the handler of %s with %s', (framework, driver, expected) => {
    const { lines } = frameworkOf(framework).mount
    const added = lines('./auth', driverOf(driver))
    expect(added.slice(-expected.length)).toEqual(expected)
    expect(added[framework === 'hono' || framework === 'express' ? 1 : 0]).toContain(` from './auth'`)
    // One empty line, between the imports and the rest.
    expect(added.filter((line) => !/^(import|export|app|const|\/\/) ?/.test(line))).toEqual(framework === 'sveltekit' ? [] : [''])
  })
})

describe('a framework', () => {
  test.each([
    ['next', 'next', ['next-auth@beta'], '/api/auth', true, 'app/api/auth/[...nextauth]/route'],
    ['sveltekit', '@sveltejs/kit', ['@auth/sveltekit', '@auth/core'], '/auth', true, 'src/hooks.server'],
    ['hono', 'hono', ['@hono/auth-js', '@auth/core'], '/auth', undefined, undefined],
    ['express', 'express', ['@auth/express'], '/auth', undefined, undefined],
    ['none', undefined, ['@auth/core'], '/auth', undefined, undefined],
  ])('%s is known by its package and needs others', (name, packageName, packages, base, hasBundler, file) => {
    const framework = frameworkOf(name)
    expect(framework).toMatchObject({ packages, base, title: expect.stringMatching(/\w{4}/) })
    expect([framework.package, framework.hasBundler, framework.mount.file]).toEqual([packageName, hasBundler, file])
  })
})

describe('the files of a new project', () => {
  test('are a server that mounts the handler, with types only in TypeScript', () => {
    expect(serverFile('./auth.js', false)).toContain(`import { handleAuth } from './auth.js'\n`)
    expect(serverFile('./auth.js', false)).toContain('async function answer(request) {\n')
    expect(serverFile('./auth.js', true)).toContain('async function answer(request: Request): Promise<Response> {\n')
  })

  test('and a strict configuration of TypeScript for Node.js', () => {
    expect(JSON.parse(tsconfigFile).compilerOptions).toMatchObject({ module: 'nodenext', strict: true, noEmit: true, types: ['node'] })
  })
})
