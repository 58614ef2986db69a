import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openPg } from './databases.js'
import { snippets } from './snippets.js'

const root = join(import.meta.dirname, '..')
const isV1 = process.env.DRIZZLE === 'drizzle 1.0'
// Inside the project, so that the package is found by its own name.
const folder = join(root, '.tmp', isV1 ? 'docs-v1' : 'docs')

async function documents(): Promise<string[]> {
  const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => file.endsWith('.md'))
  return ['README.md', 'CONTRIBUTING.md', ...docs.map((file) => join('docs', file))]
}

// What the snippets import of one another's files, where the document itself does not show it.
const surroundings: Record<string, Record<string, string>> = {
  'databases.md': {
    'schema.ts': `import { defineTables } from 'drizzle-auth-adapter/pg'\nexport const { usersTable, accountsTable, sessionsTable } = defineTables()\n`,
    'schema-sqlite.ts': `import { defineTables } from 'drizzle-auth-adapter/sqlite'\nexport const { usersTable, accountsTable } = defineTables()\n`,
  },
  'errors.md': {
    'schema.ts': `import { defineTables } from 'drizzle-auth-adapter/sqlite'\nexport const { usersTable, accountsTable } = defineTables()\n`,
    'db.ts': `import { drizzle } from 'drizzle-orm/better-sqlite3'\nexport const db = drizzle(':memory:')\n`,
  },
  'tidying.md': {
    'schema.ts': `import { defineTables } from 'drizzle-auth-adapter/pg'\nexport const { sessionsTable, verificationTokensTable } = defineTables()\n`,
    'schema-sqlite.ts': `import { defineTables } from 'drizzle-auth-adapter/sqlite'\nexport const { sessionsTable, verificationTokensTable } = defineTables()\n`,
  },
  'many-machines.md': {
    'schema.ts': `import { defineTables } from 'drizzle-auth-adapter/mysql'\nexport const { usersTable, accountsTable, sessionsTable } = defineTables()\n`,
  },
  'testing.md': { 'adapter.ts': `import type { Adapter } from 'drizzle-auth-adapter'\nexport declare const adapter: Adapter\n` },
}

async function write(document: string): Promise<string> {
  const target = join(folder, basename(document, '.md'))
  await rm(target, { recursive: true, force: true })
  const files = [
    ...Object.entries(surroundings[basename(document)] ?? {}).map(([file, text]) => ({ file, text })),
    ...(await snippets(document)),
  ]
  for (const { file, text } of files) {
    await mkdir(dirname(join(target, file)), { recursive: true })
    await writeFile(join(target, file), text)
  }
  return target
}

describe('the documentation', () => {
  test('has no snippet that does not compile', async () => {
    await rm(folder, { recursive: true, force: true })
    // The hosts' drivers are not installed here: `npm run check:drivers` compiles their pages.
    for (const document of await documents()) if (!document.includes('hosts')) await write(document)
    const config = {
      extends: isV1 ? '../../tsconfig.v1.json' : '../../tsconfig.json',
      compilerOptions: { noUnusedLocals: false },
      include: ['.'],
      exclude: [],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    const result = await promisify(execFile)('npx', ['tsc', '-p', folder], { cwd: root }).catch((error) => error)
    expect(result.stdout).toBe('')
  })

  test('links only to files that are there', async () => {
    for (const document of await documents()) {
      const text = await readFile(join(root, document), 'utf8')
      for (const [, link = ''] of text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)) {
        await expect(readFile(join(root, dirname(document), link)), `${document} links to ${link}`).resolves.toBeDefined()
      }
    }
  })

  test.runIf(inject('dialects').includes('pg'))('begins with an example that works', async () => {
    const { url, close } = await openPg()
    onTestFinished(close)
    const target = await write('README.md')
    process.env.DATABASE_URL = url
    const { adapter } = await import(join(target, 'auth.ts'))
    const cases = casesFor(adapter)
    expect(cases.length).toBeGreaterThan(70)
    for (const c of cases) await c.run(adapter)
    const { handle } = await import(join(target, 'app.ts'))
    process.env.AUTH_SECRET = 'secret'
    const response: Response = await handle(new Request('http://localhost/auth/providers'))
    expect(await response.json()).toHaveProperty('github')
  })
})
