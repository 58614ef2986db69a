import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { openKit } from '../../../kit/test/support/moving/kit.js'
import { openClient } from '../../support/client.js'
import { openPg } from '../../support/databases.js'
import { root } from '../../support/root.js'
import { snippets, supportFilesOfRecipes } from '../../support/snippets.js'

// Inside the project, so that the package is found by its own name.
const folder = join(root, '.tmp', `recipes-${crypto.randomUUID()}`)

/** Writes the files of docs/recipes.md, and what they import, once for a test file. */
export function useRecipes(): void {
  beforeAll(async () => {
    const shown = (await snippets('docs/recipes.md')).map(({ file, text }): [string, string] => [file, text])
    for (const [file, text] of [...Object.entries(supportFilesOfRecipes), ...shown]) {
      await mkdir(dirname(join(folder, file)), { recursive: true })
      await writeFile(join(folder, file), text)
    }
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))
}

/** A new database with the tables of a recipe's schema, made and applied by drizzle-kit. */
export async function databaseFor(recipe: string) {
  const opened = await openPg({ migrations: [] })
  onTestFinished(opened.close)
  const kit = await openKit('pg', opened.url)
  onTestFinished(kit.remove)
  await kit.generate(`./${relative(root, join(folder, recipe, 'schema.ts'))}`)
  await kit.migrate()
  return opened
}

/** A file of a recipe, on a database of the test. */
export async function load<T>(recipe: string, file: string, url: string): Promise<T> {
  process.env.DATABASE_URL = url
  process.env.AUTH_SECRET = 'a secret of the tests'
  const loaded = await import(join(folder, recipe, file))
  if (file === 'db.ts') onTestFinished(() => loaded.client.end())
  return loaded
}

export interface Mail {
  sent: string[]
}

/** Signs in by a link, in a browser of its own or another one; says where that leads. */
export async function signInByLink(serve: (request: Request) => Promise<Response>, mail: Mail, email: string) {
  const client = openClient('http://localhost:3000', serve)
  const session = async () => (await client.go('/auth/session')).response.json()
  const { csrfToken } = await (await client.go('/auth/csrf')).response.json()
  const before = mail.sent.length
  const asked = await client.go('/auth/signin/email', { csrfToken, email, callbackUrl: '/' })
  const link = mail.sent[before]
  if (!link) return { client, session, path: asked.url.pathname + asked.url.search }
  const { url } = await client.go(link)
  return { client, session, path: url.pathname + url.search }
}
