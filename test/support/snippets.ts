import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './root.js'

export interface Snippet {
  file: string
  text: string
  /** The version of Drizzle that it is for, if not for both. */
  drizzle?: string | undefined
  /** The database that it is for, if not for all. */
  database?: string | undefined
}

/**
 * The TypeScript code blocks of a Markdown page. The first line of each block names its file: `// db.ts`, or `// db.ts, Drizzle 1.0` and
 * `// db.ts, SQLite` for one version or one database only.
 */
export async function snippets(document: string): Promise<Snippet[]> {
  const text = await readFile(join(root, document), 'utf8')
  return [...text.matchAll(/^```(?:ts|typescript|tsx|js)\n([\s\S]*?)^```/gm)].map(([, code = '']) => snippetOf(document, code))
}

function snippetOf(source: string, code: string): Snippet {
  const [, file, drizzle, database] = /^\/\/ ([\w./-]+\.ts)(?:, Drizzle ([\d.]+))?(?:, (PostgreSQL|MySQL|SQLite))?\n/.exec(code) ?? []
  if (!file) throw new Error(`${source}: a code block of TypeScript must start with the name of its file, such as "// db.ts":\n${code}`)
  return { file, text: code, drizzle, database }
}

export interface Documented {
  source: string
  /** The export that the comment documents. */
  name: string
  example?: Snippet
}

/** The exported functions, constants and classes of a source, with the examples of their doc comments. */
export async function documented(source: string): Promise<Documented[]> {
  const text = await readFile(join(root, source), 'utf8')
  const comments = text.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^export (?:async )?(?:function|const|class) (\w+)/gm)
  return [...comments].map(([, comment = '', name = '']) => {
    const [, lines] = /^ \* @example\n([\s\S]*)/m.exec(comment) ?? []
    return { source, name, ...(lines && { example: snippetOf(source, lines.replace(/^ \* ?/gm, '').trimStart()) }) }
  })
}

/** Files that the snippets of docs/testing.md import and the page does not show. */
export const supportFilesOfTesting = {
  'schema.ts': `import { defineTables } from 'drizzle-auth-adapter/sqlite'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables()
`,
  'db.ts': `import { readdirSync, readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { drizzle } from 'drizzle-orm/better-sqlite3'

const client = new Database(':memory:')
const folder = new URL('../../../migrations/sqlite/', import.meta.url)
for (const file of readdirSync(folder)) if (file.endsWith('.sql')) client.exec(readFileSync(new URL(file, folder), 'utf8'))
export const db = drizzle({ client })
`,
  // Without it, Vitest would use the configuration of this project.
  'vitest.config.ts': 'export default {}\n',
  'second.ts': `export { adapter } from './adapter.js'\n`,
}

/**
 * Writes the snippets of a page to a new folder, together with the files that they import, so that they can be run. Snippets for one
 * database are written only if it is the given one.
 */
export async function writeSnippets(document: string, supportFiles: Record<string, string>, database?: string) {
  const folder = join(root, '.tmp', 'recipes', crypto.randomUUID())
  await mkdir(folder, { recursive: true })
  for (const [file, text] of Object.entries(supportFiles)) await writeFile(join(folder, file), text)
  const shown = (await snippets(document)).filter((each) => !(each.file in supportFiles) && (each.database ?? database) === database)
  for (const { file, text } of shown) await writeFile(join(folder, file), text)
  return {
    load: (file: string) => import(join(folder, file)),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Files that export a database of a test and its tables, for snippets that are run on each dialect. */
export function filesFor(database: { db: object; tables: object }): Record<string, string> {
  const id = crypto.randomUUID()
  Object.assign(globalThis, { [id]: database })
  return {
    'db.ts': `export const { db } = globalThis['${id}']\n`,
    'schema.ts': `export const { ${Object.keys(database.tables).join(', ')} } = globalThis['${id}'].tables\n`,
  }
}

/** The file of a `sendMail` that keeps the mails in a list. */
export const mailbox = `export const mails = []\nexport const sendMail = async (to, text) => void mails.push({ to, text })\n`

const mail = `export const sent: string[] = []
export function sendLink({ url }: { identifier: string; url: string }): void {
  sent.push(url)
}
`
const db = `import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
export const client = postgres(process.env.DATABASE_URL ?? '', { max: 4, onnotice: () => {} })
export const db = drizzle({ client })
`

/** Files that the snippets of docs/recipes.md import and the page does not show. */
export const supportFilesOfRecipes = {
  'roles/db.ts': db,
  'roles/mail.ts': mail,
  'soft-deletion/db.ts': db,
  'soft-deletion/mail.ts': mail,
  'teams/db.ts': db,
}
