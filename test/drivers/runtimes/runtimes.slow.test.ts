import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleD1 } from 'drizzle-orm/d1'
import { build } from 'esbuild'
import { describe, expect, onTestFinished, test } from 'vitest'
import { resolvePackages } from '../../../matrix/bundle.js'
import { migrationsOf } from '../../support/migrations.js'
import { root } from '../../support/root.js'

const { Miniflare } = createRequire(join(root, 'matrix/package.json'))('miniflare')
const version = process.env.DRIZZLE === 'drizzle 1.0' ? '1.0.0-rc.5' : '0.45.4'

const expected = {
  signedIn: 'ada@example.com',
  error: 'AdapterConfigError: DrizzleAdapter: accountsTable has no column type. Add one that holds a string.',
}

/** Bundles a module into one file for no platform. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    conditions: ['import'],
    mainFields: ['module', 'main'],
    plugins: [resolvePackages(version, true)],
    write: false,
    logLevel: 'silent',
  })
  const file = join(root, '.tmp', `${randomUUID()}.mjs`)
  await mkdir(join(root, '.tmp'), { recursive: true })
  await writeFile(file, outputFiles[0]?.text as string)
  onTestFinished(() => rm(file))
  return file
}

async function openDatabase() {
  const client = new Database(':memory:')
  onTestFinished(() => void client.close())
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  return drizzle({ client })
}

describe.each(['drizzle-auth-adapter', 'drizzle-auth-adapter/sqlite'])('tables written by hand sign a user in with %s', (entry) => {
  test('in Node.js', async () => {
    const { DrizzleAdapter } = await (entry.endsWith('sqlite') ? import('drizzle-auth-adapter/sqlite') : import('drizzle-auth-adapter'))
    const { runApp } = await import('./app.js')
    expect(await runApp(DrizzleAdapter, await openDatabase())).toEqual(expected)
  })

  test('in a bundle for no platform', async () => {
    const file = await bundle(`export { DrizzleAdapter } from '${entry}'; export { runApp } from './app.js'`)
    const { DrizzleAdapter, runApp } = await import(pathToFileURL(file).href)
    expect(await runApp(DrizzleAdapter, await openDatabase())).toEqual(expected)
  })

  test('in a Worker on D1', async () => {
    const scriptPath = await bundle(`
      import { DrizzleAdapter } from '${entry}'
      import { drizzle } from 'drizzle-orm/d1'
      import { runApp } from './app.js'
      export default {
        async fetch(request, env) {
          try {
            return Response.json(await runApp(DrizzleAdapter, drizzle(env.DB)))
          } catch (error) {
            return new Response(String(error.stack), { status: 500 })
          }
        },
      }`)
    const miniflare = new Miniflare({
      modules: true,
      scriptPath,
      compatibilityDate: '2026-04-01',
      // @auth/core needs it.
      compatibilityFlags: ['nodejs_compat'],
      d1Databases: ['DB'],
    })
    onTestFinished(() => miniflare.dispose())
    const db = drizzleD1((await miniflare.getD1Database('DB')) as never)
    for (const statement of await migrationsOf('sqlite')) await db.run(statement)
    const response = await miniflare.dispatchFetch('http://localhost/')
    const text = await response.text()
    expect(response.status, text).toBe(200)
    expect(JSON.parse(text)).toEqual(expected)
  })
})
