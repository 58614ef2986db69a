import { randomUUID } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/d1'
import { build } from 'esbuild'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { resolvePackages } from '../../../matrix/bundle.js'
import { migrationsOf } from '../../support/migrations.js'
import { root } from '../../support/root.js'

const { Miniflare } = createRequire(join(root, 'matrix/package.json'))('miniflare')
const version = process.env.DRIZZLE === 'drizzle 1.0' ? '1.0.0-rc.5' : '0.45.4'

const worker = `
  import { DrizzleAdapter } from 'drizzle-auth-adapter/sqlite'
  import { protectSecrets } from 'drizzle-auth-adapter/secrets'
  import { drizzle } from 'drizzle-orm/d1'
  import * as tables from '../../support/schema/sqlite.js'
  import { inAnHour, secretsOf, tokensOf } from './modes.js'

  /** Protects plain rows, as a cron job does, and uses them. */
  async function protect(db) {
    const plain = DrizzleAdapter(db, tables)
    const { id: userId } = await plain.createUser({ email: 'ada@example.com' })
    const session = { sessionToken: crypto.randomUUID(), userId, expires: inAnHour() }
    const account = { userId, type: 'oauth', provider: 'p', providerAccountId: '1', ...tokensOf('x') }
    await plain.createSession(session)
    await plain.linkAccount(account)
    const result = await protectSecrets(db, tables, { secrets: secretsOf('migrating'), pause: 0 })
    const last = DrizzleAdapter(db, tables, { secrets: secretsOf('final') })
    return {
      result,
      isSignedIn: (await last.getSessionAndUser(session.sessionToken))?.user.id === userId,
      isDecrypted: (await last.getAccount('1', 'p')).access_token === account.access_token,
    }
  }

  export default {
    async fetch(_, env) {
      try {
        return Response.json(await protect(drizzle(env.DB)))
      } catch (error) {
        return new Response(String(error.stack), { status: 500 })
      }
    },
  }`

describe.runIf(inject('dialects').includes('sqlite'))('in a Worker on D1, without modules of Node.js', { timeout: 240_000 }, () => {
  test('protectSecrets protects plain rows', async () => {
    const { outputFiles } = await build({
      stdin: { contents: worker, resolveDir: import.meta.dirname, loader: 'js' },
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
    const scriptPath = join(root, '.tmp', `${randomUUID()}.mjs`)
    await mkdir(join(root, '.tmp'), { recursive: true })
    await writeFile(scriptPath, outputFiles[0]?.text as string)
    onTestFinished(() => rm(scriptPath))
    const miniflare = new Miniflare({ modules: true, scriptPath, compatibilityDate: '2026-04-01', d1Databases: ['DB'] })
    onTestFinished(() => miniflare.dispose())
    const db = drizzle((await miniflare.getD1Database('DB')) as never)
    for (const statement of await migrationsOf('sqlite')) await db.run(statement)
    const text = await (await miniflare.dispatchFetch('http://localhost/')).text()
    expect(text).toBe(JSON.stringify({ result: { sessions: 1, accounts: 1, finished: true }, isSignedIn: true, isDecrypted: true }))
  })
})
