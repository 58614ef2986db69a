import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folderWith, run } from '../../support/commands/app.js'

// `init` with Better Auth. kit/test/slow/commands/init-better-auth.test.ts follows the steps that it prints.

const packageWith = (...names: string[]) =>
  JSON.stringify({ type: 'module', dependencies: Object.fromEntries(names.map((name) => [name, '*'])) })

async function init(files: Record<string, string>, ...args: string[]) {
  const folder = await folderWith(files)
  const { code, stdout, stderr } = await run(['init', ...args], { cwd: folder })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const all = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
  return {
    folder,
    stdout,
    written: all.filter((file) => !(file in files)).sort(),
    text: (file: string) => readFile(join(folder, file), 'utf8'),
  }
}

const library = ['--library', 'better-auth']

test('in an empty folder, init writes an app that can be started, and prints each step', async () => {
  const { folder, stdout, written, text } = await init({}, ...library, '--dialect', 'sqlite')
  const names = ['auth-schema.ts', 'auth.ts', 'db.ts', 'drizzle.config.ts', 'package.json', 'server.ts', 'tsconfig.json']
  expect(written).toEqual(['.env', '.gitignore', ...names])
  expect(stdout).toContain('library          Better Auth (--library)')
  expect(await text('.env')).toMatch(/^DATABASE_URL=app\.db\nBETTER_AUTH_SECRET=[0-9a-f]{64}\nBETTER_AUTH_URL=http:\/\/localhost:3000\n$/)
  expect(await text('auth.ts')).toBe(`import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import * as schema from './auth-schema.js'
import { db } from './db.js'

export const auth = betterAuth({
  database: drizzleAdapter(db, { schema }),
  baseURL: process.env.BETTER_AUTH_URL,
  secret: process.env.BETTER_AUTH_SECRET,
  emailAndPassword: { enabled: true },
  // A session and its user are one query.
  advanced: { database: { joins: true } },
})
`)
  expect(await text('drizzle.config.ts')).toContain("schema: './auth-schema.ts'")
  for (const line of [
    'npm install drizzle-auth-adapter better-auth @better-auth/core drizzle-orm better-sqlite3',
    'npm install --save-dev drizzle-kit auth drizzle-auth-kit @types/better-sqlite3 tsx typescript @types/node',
    'npx auth generate --config auth.ts --output auth-schema.ts --yes',
    'npx drizzle-kit generate',
    'npx tsx --env-file=.env server.ts',
  ])
    expect(stdout).toContain(`\n     ${line}\n`)
  expect(stdout).not.toMatch(/[0-9a-f]{64}/)

  const again = await run(['init'], { cwd: folder })
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.stdout).toContain('library          Better Auth (auth.ts)')
  expect(again.stdout).not.toContain('Written')
  expect(again.stdout.slice(again.stdout.indexOf('\nNext\n'))).toBe(stdout.slice(stdout.indexOf('\nNext\n')))
})

describe('an app of', () => {
  test.each([
    [
      'next',
      ['app/api/auth/[...all]/route.ts', 'auth-schema.ts', 'auth.ts', 'db.ts'],
      'export const { GET, POST } = toNextJsHandler(auth)',
    ],
    [
      '@sveltejs/kit',
      ['src/auth-schema.ts', 'src/auth.ts', 'src/db.ts', 'src/hooks.server.ts'],
      'svelteKitHandler({ event, resolve, auth, building })',
    ],
    ['hono', ['auth-schema.ts', 'auth.ts', 'db.ts'], "app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw))"],
    [
      'express',
      ['auth-schema.ts', 'auth.ts', 'db.ts'],
      "app.all('/api/auth/{*path}', (request, response, next) => handleAuth(request, response).catch(next))",
    ],
    ['fastify', ['auth-schema.ts', 'auth.ts', 'db.ts'], 'const response = await auth.handler(request)'],
  ])('%s that has Better Auth gets its files and its handler', async (framework, files, handler) => {
    const { written, stdout, text } = await init({ 'package.json': packageWith('better-auth', framework, 'pg', 'typescript') })
    expect(stdout).toContain('library          Better Auth (package.json)')
    expect(written).toEqual([...files, 'drizzle.config.ts'].sort())
    const texts = await Promise.all(written.map(text))
    expect([...texts, stdout].join('\n')).toContain(handler)
    expect(stdout).toContain(
      `auth generate --config ${files.find((file) => file.endsWith('auth.ts'))} --output ${files.find((file) => file.endsWith('schema.ts'))}`,
    )
    expect(stdout).toContain(`BETTER_AUTH_URL=http://localhost:${framework === '@sveltejs/kit' ? 5173 : 3000}`)
    expect([...texts, stdout].join('\n')).not.toMatch(/Auth\.js|@auth\/|next-auth|\bAUTH_SECRET/)
  })

  test('its own configuration and schema keeps them, and gets the lines to add', async () => {
    const { written, stdout } = await init({
      'package.json': packageWith('better-auth', 'hono', 'pg'),
      'drizzle.config.js': `export default { dialect: 'postgresql', schema: './db/schema.js' }`,
      'db/schema.js': `import { pgTable } from 'drizzle-orm/pg-core'`,
      'lib/auth.js': `import { betterAuth } from 'better-auth'\nexport const auth = betterAuth({})\n`,
    })
    expect(written).toEqual(['db.js', 'db/auth-schema.js'])
    expect(stdout).toContain('Add to lib/auth.js:')
    expect(stdout).toContain("import * as schema from '../db/auth-schema.js'")
    expect(stdout).toContain("schema: ['./db/schema.js', './db/auth-schema.js'],")
    expect(stdout).toContain('auth generate --config lib/auth.js --output db/auth-schema.js --yes')
  })
})

test.each([
  ['an unknown library', ['--library', 'clerk', '--dialect', 'mysql'], '--library must be authjs or better-auth.'],
  [
    'D1, which has no database outside of a request',
    [...library, '--driver', 'd1'],
    'init cannot write an auth.ts for D1 with Better Auth',
  ],
])('init refuses %s', async (_, args, message) => {
  const { code, stderr } = await run(['init', ...args], { cwd: await folderWith({}) })
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
