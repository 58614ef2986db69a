import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, inject } from 'vitest'
import { openBrowser } from '../../../examples/runner/browser.js'
import { waitFor } from '../../../examples/runner/server.js'
import { folderWith } from '../../../kit/test/support/commands/app.js'
import { installPackage, shell, withServer } from '../../../kit/test/support/commands/follow.js'
import { withDatabase } from '../../support/connections.js'
import { run as runToEnd } from '../../support/process.js'
import { root } from '../../support/root.js'
import { snippets } from '../../support/snippets.js'

/** A folder with Next.js and everything else that an app needs, and the versions. Turbopack takes no links that lead out of it. */
export async function installNext(): Promise<{ folder: string; versions: Record<string, string> }> {
  const { dependencies, devDependencies } = JSON.parse(await readFile(join(root, 'examples/next/package.json'), 'utf8'))
  const { devDependencies: ours } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const { 'drizzle-auth-adapter': _, '@libsql/client': __, ...framework } = dependencies
  const versions = { ...framework, ...devDependencies, postgres: ours.postgres }
  const folder = await folderWith({ 'package.json': JSON.stringify({ private: true, dependencies: versions }) })
  await runToEnd('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder })
  return { folder, versions }
}

type Next = Awaited<ReturnType<typeof installNext>>

const oldFiles = ['app', 'migrations', '.next', '.env', 'auth.ts', 'auth.config.ts', 'proxy.ts', 'schema.ts', 'db.ts', 'drizzle.config.ts']

/** Makes an app with a page and these files of it, in place of the one before. */
async function newApp({ folder }: Next, files: Record<string, string>): Promise<void> {
  for (const name of oldFiles) await rm(join(folder, name), { recursive: true, force: true })
  await cp(join(root, 'examples/next/app'), join(folder, 'app'), { recursive: true, filter: (path) => !path.includes('app/api') })
  await cp(join(root, 'examples/next/tsconfig.json'), join(folder, 'tsconfig.json'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

/** What a recipe imports and docs/recipes.md does not show; and that a role in the session has a type. */
const supportFiles = {
  'schema.ts': `import { defineTables } from 'drizzle-auth-adapter/pg'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable } = defineTables()
`,
  'db.ts': `import { drizzle } from 'drizzle-orm/postgres-js'
export const db = drizzle(process.env.DATABASE_URL ?? '')
`,
  'mail.ts': `export const sendLink = ({ url }: { identifier: string; url: string }) => console.log('link: ' + url)\n`,
  'drizzle.config.ts': `export default { dialect: 'postgresql', schema: './schema.ts', dbCredentials: { url: process.env.DATABASE_URL ?? '' } }\n`,
  'roles.ts': `import type { Session } from 'next-auth'
declare module 'next-auth' {
  interface User {
    role?: 'member' | 'admin' | undefined
  }
}
export const isAdmin = (session: Session | null): boolean => session?.user?.role === 'admin'
// @ts-expect-error there is no such role
export const isOwner = (session: Session | null): boolean => session?.user?.role === 'owner'
`,
  'app/api/auth/[...nextauth]/route.ts': `import { handlers } from '../../../../auth'\nexport const { GET, POST } = handlers\n`,
  'app/account/page.tsx': `import { auth } from '../../auth'
export default async function Page() {
  return <p>{\`The account of \${(await auth())?.user?.email}\`}</p>
}
`,
}

/** Builds an app with the files of a recipe, and opens a page that only those may see who are signed in. */
export async function visitAccount(next: Next, recipe: string): Promise<void> {
  const { folder, versions } = next
  const shown = (await snippets('docs/recipes.md')).filter(({ file }) => dirname(file) === recipe)
  expect(shown.map(({ file }) => file)).toContain(`${recipe}/proxy.ts`)
  const files = Object.fromEntries(shown.map(({ file, text }) => [file.slice(recipe.length + 1), text]))
  const settings = JSON.stringify({ private: true, dependencies: versions })
  await withDatabase('pg', inject('urls'), async (url) => {
    const env = `DATABASE_URL=${url}\nAUTH_SECRET=${crypto.randomUUID()}\n`
    await newApp(next, { ...supportFiles, ...files, 'package.json': settings, '.env': env })
    await installPackage(folder)
    await shell(folder, 'npx drizzle-kit generate && npx drizzle-kit migrate && npx next build')
    await withServer(
      folder,
      (port) => `npx next start --port ${port}`,
      async (server) => {
        const refused = await fetch(`${server.origin}/account`, { redirect: 'manual' })
        expect([refused.status, refused.headers.get('location')]).toEqual([307, expect.stringContaining('/api/auth/signin?')])

        const browser = openBrowser(server.origin)
        const { csrfToken } = JSON.parse(await browser.read('/api/auth/csrf'))
        await browser.follow('/api/auth/signin/email', { csrfToken, email: 'ada@example.com' })
        const link = () => /link: (\S+)/.exec(server.output())?.[1]
        await waitFor(server, 60, async () => link() !== undefined)
        await browser.follow(link() ?? '')
        expect(await browser.read('/account')).toContain('The account of ada@example.com')
      },
    )
  })
}
