import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

// Files that exist if somebody has tried an example in its folder.
const leftovers =
  /^(node_modules|package-lock\.json|migrations|data\.sqlite.*|\.env|\.next|\.svelte-kit|public|\.wrangler|.*\.tsbuildinfo)$/

/** The password for the examples that have one. */
export const password = randomBytes(16).toString('hex')

/** Copies an example, adds a secret, and makes it install this package from a file. */
export async function copyExample(name: string, folder: string, tarball: string, kit: string): Promise<void> {
  const source = join(import.meta.dirname, '..', name)
  await cp(source, folder, { recursive: true, filter: (path) => !leftovers.test(basename(path)) })
  const file = join(folder, 'package.json')
  const project = JSON.parse(await readFile(file, 'utf8'))
  project.dependencies['drizzle-auth-adapter'] = `file:${tarball}`
  if (project.devDependencies?.['drizzle-auth-kit']) project.devDependencies['drizzle-auth-kit'] = `file:${kit}`
  await writeFile(file, JSON.stringify(project, null, 2))
  const settings = existsSync(join(folder, '.env.example')) ? await readFile(join(folder, '.env.example'), 'utf8') : ''
  const secret = randomBytes(32).toString('hex')
  await writeFile(join(folder, '.env'), `${settings}AUTH_SECRET=${secret}\nBETTER_AUTH_SECRET=${secret}\nPASSWORD=${password}\n`)
}
