import { execFile } from 'node:child_process'
import { access, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openPg } from '../support/databases.js'
import { root } from '../support/root.js'
import { expectRoundTrip } from '../support/round-trip.js'
import type { Documented, Snippet } from '../support/snippets.js'
import { documented, snippets, supportFilesOfRecipes, supportFilesOfTesting } from '../support/snippets.js'
import { compileProject, inferredApps, inferredRelations, makeProject, resolutions, strangeEntryPoints } from './declarations.js'

// Inside the project, so that the package is found by its own name.
const folder = join(root, '.tmp', 'docs')

/** The files that a page links to or shows, relative to it. */
const linksIn = (text: string) => [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link = '']) => link)

async function documents(): Promise<string[]> {
  const docs = (await readdir(join(root, 'docs'), { recursive: true })).filter((file) => file.endsWith('.md'))
  return ['README.md', 'CONTRIBUTING.md', 'website/index.md', ...docs.map((file) => join('docs', file))]
}

const adapterOfAll = `import type { Adapter } from 'drizzle-auth-adapter'\nexport declare const adapter: Adapter\n`

const schemaOf = (dialect: string) => `import { defineTables } from 'drizzle-auth-adapter/${dialect}'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable } = defineTables()
`

// Files that the snippets of a page import if the page does not show them. The adapter has no operations for passkeys, because recipes
// should only ask for the operations that they use.
const commonFiles = {
  'schema.ts': schemaOf('pg'),
  'schema-mysql.ts': schemaOf('mysql'),
  'schema-sqlite.ts': schemaOf('sqlite'),
  'db.ts': `import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
export const client = postgres('')
export const db = drizzle({ client })
`,
  'auth.ts': `import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from './db.js'
import * as tables from './schema.js'
export const adapter = DrizzleAdapter(db, tables)
`,
  'mail.ts': 'export declare function sendMail(to: string, text: string): Promise<void>\n',
}

const authSchema = `import { pgTable, text } from 'drizzle-orm/pg-core'\nexport const user = pgTable('user', { id: text('id').primaryKey() })\n`

const supportFiles: Record<string, Record<string, string>> = {
  'README.md': { 'lib/auth-schema.ts': authSchema, 'lib/db.ts': commonFiles['db.ts'] },
  'index.md': { 'auth-schema.ts': authSchema },
  'better-auth.md': { 'auth-schema.ts': authSchema },
  'secrets.md': { 'auth-schema.ts': authSchema },
  'tidying.md': { 'auth-schema.ts': authSchema },
  'better-auth-moving.md': { 'auth-schema.ts': authSchema },
  'authjs-to-better-auth.md': { 'auth-schema.ts': authSchema },
  'many-machines.md': { 'schema.ts': schemaOf('mysql') },
  'testing.md': supportFilesOfTesting,
  'recipes.md': supportFilesOfRecipes,
}

const declared = (drizzle: string) =>
  `import { drizzle } from 'drizzle-orm/${drizzle}'\nexport declare const db: ReturnType<typeof drizzle>\n`
const schemaIn = (dialect: string, core: string) => `import { defineTables } from 'drizzle-auth-adapter/${dialect}'
import { ${core}Table, text } from 'drizzle-orm/${core.toLowerCase()}-core'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
export const posts = ${core}Table('post', { id: text('id').primaryKey() })
export const role = text('role')
`

// What the examples of doc comments import.
const aroundExamples = {
  'adapter.ts': adapterOfAll,
  'auth-schema.ts': authSchema,
  'passwords.ts': `import type { User } from '@auth/core/types'\nexport declare const authorize: (credentials: unknown) => Promise<User | null>\n`,
}
const databases = {
  pg: { 'db.ts': declared('node-postgres'), 'schema.ts': schemaIn('pg', 'pg') },
  mysql: { 'db.ts': declared('mysql2'), 'schema.ts': schemaIn('mysql', 'mysql') },
  sqlite: { 'db.ts': declared('better-sqlite3'), 'schema.ts': schemaIn('sqlite', 'sqlite') },
}

async function documentedInSources(): Promise<Documented[]> {
  const sources = (await readdir(join(root, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts'))
  return (await Promise.all(sources.map((file) => documented(join('src', file))))).flat()
}

/** Writes the examples of the doc comments, each as an app of its own. */
async function writeExamples(drizzle: string) {
  for (const { source, name, example } of await documentedInSources()) {
    if (!example || (example.drizzle ?? drizzle) !== drizzle) continue
    const [, dialect = 'pg'] = /src.(mysql|sqlite)./.exec(source) ?? []
    const target = join(folder, drizzle, dirname(source), name)
    await mkdir(target, { recursive: true })
    const files = importedFrom({ ...aroundExamples, ...databases[dialect as keyof typeof databases] }, [example.text])
    for (const [file, text] of Object.entries({ ...files, [example.file]: example.text })) await writeFile(join(target, file), text)
  }
}

/** Writes apps of each dialect, whose exports have inferred types. */
async function writeInferred(drizzle: string) {
  for (const [dialect, files] of Object.entries(databases)) {
    const target = join(folder, drizzle, 'inferred', dialect)
    for (const [file, text] of Object.entries({ ...files, ...inferredApps(dialect), ...inferredRelations(drizzle) })) {
      await mkdir(dirname(join(target, file)), { recursive: true })
      await writeFile(join(target, file), text)
    }
  }
}

/** Those of the files that the texts import, directly or not. The compiler needs long for tables, and every page could have its own. */
function importedFrom(files: Record<string, string>, texts: string[]): Record<string, string> {
  const found: Record<string, string> = {}
  const read = [...texts]
  for (const text of read)
    for (const [file, more] of Object.entries(files))
      if (!(file in found) && text.includes(`/${file.replace(/\.ts$/, '.js')}'`)) {
        found[file] = more
        read.push(more)
      }
  return found
}

async function write(document: string, drizzle: string): Promise<string> {
  const target = join(folder, drizzle, basename(document, '.md'))
  await rm(target, { recursive: true, force: true })
  const shown = await snippets(document)
  const own = supportFiles[basename(document)] ?? {}
  const common = importedFrom(commonFiles, [...Object.values(own), ...shown.map(({ text }) => text)])
  const files: Snippet[] = [...Object.entries({ ...common, ...own }).map(([file, text]) => ({ file, text })), ...shown]
  // A page that shows an app for each database is an app for each of them.
  const databases = new Set(files.flatMap(({ database }) => database ?? []))
  for (const app of databases.size > 0 ? databases : ['']) {
    const isMeant = (each: Snippet) => (each.drizzle ?? drizzle) === drizzle && (each.database ?? app) === app
    for (const { file, text } of files.filter(isMeant)) {
      await mkdir(dirname(join(target, app, file)), { recursive: true })
      await writeFile(join(target, app, file), text)
    }
  }
  return target
}

describe('the documentation', () => {
  test.each(['0.45', '1.0'])('has no snippet that does not compile with Drizzle %s, also with declarations', async (drizzle) => {
    const project = join(folder, drizzle)
    await makeProject(project, drizzle)
    // The hosts' drivers are not installed here: `npm run check:drivers` compiles their pages.
    for (const document of await documents()) if (!document.includes('hosts')) await write(document, drizzle)
    await writeExamples(drizzle)
    await writeInferred(drizzle)
    // Next.js is not installed either: test/slow/next builds an app with its recipes.
    for (const resolution of Object.keys(resolutions) as (keyof typeof resolutions)[]) {
      expect(await compileProject(project, resolution, ['recipes/next*'])).toBe('')
    }
    // With `bundler`, the compiler names any entry point that has the type.
    for (const dialect of Object.keys(databases))
      for (const file of Object.keys(inferredApps(dialect))) {
        const path = join('inferred', dialect, file)
        const declaration = join(project, 'declarations/nodenext', path.replace('.ts', '.d.ts'))
        expect(await strangeEntryPoints(join(project, path), declaration), path).toEqual([])
      }
  })

  test('says that somebody must check the host, wherever it trusts it', async () => {
    const pages = (await Promise.all((await documents()).map(snippets))).flat()
    const trusting = pages.filter(({ text }) => text.includes('trustHost: true'))
    expect(trusting.length).toBeGreaterThan(9)
    for (const { file, text } of trusting) expect(text, file).toMatch(/\/\/ Links begin with the host of the request.*\n.*trustHost: true/)
  })

  // Without a URL, postgres.js connects to a local server and better-sqlite3 opens a temporary database.
  test('has no snippet that continues without an environment variable', async () => {
    const pages = (await Promise.all((await documents()).map(snippets))).flat()
    const examples = (await documentedInSources()).flatMap(({ example }) => example ?? [])
    for (const { text } of [...pages, ...examples]) expect(text).not.toMatch(/process\.env\.\w+ (\?\?|\|\|) /)
  })

  test('has an example in the doc comment of each public function, and of each error that apps handle', async () => {
    const { exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const entries = Object.keys(exports).filter((entry) => !/json$|internal$/.test(entry))
    const loaded = await Promise.all(entries.map((entry) => import(`drizzle-auth-adapter${entry.slice(1)}`)))
    // They report mistakes of the developer, who reads the message.
    const names = new Set(loaded.flatMap(Object.keys).filter((name) => !['AdapterConfigError', 'ContractViolation'].includes(name)))
    const found = (await documentedInSources()).filter(({ name }) => names.has(name))
    expect(new Set(found.map(({ name }) => name))).toEqual(names)
    // The entry point of a dialect refers to the function of the root, where the example is.
    expect(found.filter(({ example, source }) => !example && !/^src\/(pg|mysql|sqlite)\/index\.ts$/.test(source))).toEqual([])
  })

  test('names on the architecture page only what exists in src/, and on the page of promises only tests that exist', async () => {
    const sources = (await readdir(join(root, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts'))
    const code = (await Promise.all(sources.map((file) => readFile(join(root, 'src', file), 'utf8')))).join('\n')
    const names = new Set(code.replace(/\/\*\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').match(/[\w$]+/g))
    const page = await readFile(join(root, 'docs/architecture.md'), 'utf8')
    const quoted = [...page.replace(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
    const called = quoted.flatMap((text) => /^([\w$]{2,})(\(.*\))?$/.exec(text)?.[1] ?? [])
    expect(called).toContain('getSessionAndUser')
    expect(called.filter((name) => !names.has(name) && !['abc', 'if'].includes(name))).toEqual([])
    const pathsOn = (text: string) => text.match(/[\w<>/.-]+(\.ts|\/)(?=[`, \n])/g) ?? []
    const files = pathsOn(page).flatMap((path) =>
      path.includes('<dialect>') ? ['pg', 'mysql', 'sqlite'].map((each) => path.replace('<dialect>', each)) : path,
    )
    expect(files).toContain('mysql/failures.ts')
    const tests = pathsOn(await readFile(join(root, 'docs/promises.md'), 'utf8')).filter((path) => path.startsWith('test/'))
    expect(tests).not.toEqual([])
    for (const path of [...files.map((file) => (/^(test|kit)\//.test(file) ? file : join('src', file))), ...tests])
      await expect(access(join(root, path)), path).resolves.toBeUndefined()
  })

  test('links only to files that exist', async () => {
    for (const document of await documents()) {
      const text = await readFile(join(root, document), 'utf8')
      for (const link of linksIn(text)) {
        await expect(readFile(join(root, dirname(document), link)), `${document} links to ${link}`).resolves.toBeDefined()
      }
    }
  })

  test('links, in the package that is published, only to files of that package', async () => {
    const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
    const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
    const paths = new Set(files.map(({ path }) => path))
    const pages = [...paths].filter((path) => path.endsWith('.md'))
    expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/getting-started.md']))
    const dead: string[] = []
    for (const page of pages) {
      for (const link of linksIn(await readFile(join(root, page), 'utf8'))) {
        if (!paths.has(posix.join(dirname(page), link))) dead.push(`${page} links to ${link}`)
      }
    }
    expect(dead).toEqual([])
  })

  test.runIf(inject('dialects').includes('pg'))('begins with an example that works', async () => {
    const { url, close } = await openPg()
    onTestFinished(close)
    const target = await write('README.md', '0.45')
    vi.stubEnv('DATABASE_URL', url)
    vi.stubEnv('AUTH_SECRET', 'secret')
    vi.stubEnv('AUTH_GITHUB_ID', 'the-id')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { adapter, handle } = await import(join(target, 'auth.ts'))
    await expectRoundTrip(adapter, {})
    const csrf: Response = await handle(new Request('http://localhost/auth/csrf'))
    const headers = { cookie: csrf.headers.getSetCookie().join('; ') }
    const form = { method: 'POST', headers, body: new URLSearchParams(await csrf.json()) }
    const response: Response = await handle(new Request('http://localhost/auth/signin/github', form))
    expect(response.headers.get('location')).toMatch(/^https:\/\/github\.com\/.*client_id=the-id/)
  })
})
