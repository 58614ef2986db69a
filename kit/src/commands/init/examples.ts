import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { DriverChoice } from './drivers.js'

// The copies of the build, or the examples themselves.
const folders = ['../../examples/', '../../../../examples/'].map((path) => new URL(path, import.meta.url))

/** A file below `examples/`, without the parts that only the example has: plugins and passwords. */
export async function readExample(file: string): Promise<string> {
  const folder = folders.find((each) => existsSync(each)) as URL
  const text = await readFile(new URL(file, folder), 'utf8')
  const plain = text.replace(/^( *)(plugins: \[|Credentials\(\{)\n[\s\S]*?^\1[\]})]+,\n/m, '')
  return withUsedImports(plain.replace(/credentialSessions\(\w+, (\w+)\)/, '$1'))
}

/** What an example is filled in with. */
interface Choices {
  driver: DriverChoice
  casing?: string | undefined
  /** The app's own users table. The path is in quotes. */
  users?: { name: string; path: string } | undefined
  usesSvelteKit: boolean
  /** The paths of modules, in quotes, by the names of the files in the examples. */
  paths: Record<string, string>
}

export function fillIn(text: string, { driver, casing, users, usesSvelteKit, paths }: Choices): string {
  const { dialect, kitDialect, kitDriver, module, token, hasNoForeignKeys } = driver
  const inCasing = casing && `casing: '${casing}'`
  const usersOption = users && `usersTable: ${users.name}`
  const objectOf = (...options: (string | false | undefined)[]) =>
    options.some(Boolean) ? `{ ${options.filter(Boolean).join(', ')} }` : ''
  const connection = token ? '{ url, authToken: process.env.DATABASE_AUTH_TOKEN }' : 'url'
  const filled = text
    .replace(/(?<=from )'\.[./]*\/([\w-]+)(\.js)?'/g, (path, name) => paths[name] ?? path)
    .replace(/'\.\/schema\.ts'/, (path) => paths['schema.ts'] ?? path)
    .replace('drizzle-orm/libsql', `drizzle-orm/${module}`)
    .replace('drizzle-auth-adapter/sqlite', `drizzle-auth-adapter/${dialect}`)
    .replace("dialect: 'turso',", `dialect: '${kitDialect}',${kitDriver ? `\n  driver: '${kitDriver}',` : ''}`)
    .replace(/(?<=dbCredentials: )\{.*\}/, token ? connection : '{ url }')
    .replace(/(?<=drizzle\()\{.*authToken.*\}/, token || casing ? objectOf(`connection: ${connection}`, inCasing) : connection)
    .replace('defineTables()', `defineTables(${objectOf(usersOption, hasNoForeignKeys && 'foreignKeys: false', inCasing)})`)
  const own = !users
    ? filled
    : filled
        .replace(/(?<=^import .* from '.*'\n)(?=\n)/m, () => `import { ${users.name} } from ${users.path}\n`)
        .replace('{ usersTable, ', '{ ')
        .replace(', tables)', `, ${objectOf('...tables', usersOption)})`)
  // In SvelteKit, the variables of `.env` are not in `process.env`.
  return usesSvelteKit && own.includes('process.env.')
    ? `import { env } from '$env/dynamic/private'\n${own.replaceAll('process.env.', 'env.')}`
    : own
}

/** The lines of an example's `app.ts` that mount the handler, with their imports. */
export function mountLines(app: string): string {
  const [imports = '', ...paragraphs] = app.split('\n\n')
  return withUsedImports(`${imports}\n\n${paragraphs.find((each) => /'\/(api\/)?auth/.test(each))}\n`)
}

/** What an existing configuration needs of an example's `auth.ts`: the adapter, and the option that takes it. */
export function adapterLines(auth: string, option: string): string {
  const [imports = '', ...paragraphs] = auth.split('\n\n')
  const adapter = paragraphs.filter((each) => each.startsWith('export const adapter'))
  return withUsedImports([imports, ...adapter, `// In the options:\n${option}\n`].join('\n\n'))
}

/** Removes imported names that are not used. */
function withUsedImports(text: string): string {
  const code = text.replace(/^(import|\s*\/\/) .*\n/gm, '')
  return text.replace(/^import (?:type )?(?:\* as )?(?:(\w+)|\{ (.*) \}) from .*\n/gm, (line, name = '', names: string = name) => {
    const used = names.split(', ').filter((each) => new RegExp(`(?<!\\.)\\b${each}\\b`).test(code))
    return used.length > 0 ? line.replace(names, used.join(', ')) : ''
  })
}

/** Removes the types of an example. */
export const toJavaScript = (text: string): string =>
  text
    .replace(/^import type .*\n/gm, '')
    .replace(/^export interface [\s\S]*?^\}\n\n/gm, '')
    .replace(/(?<=[\w)]): [A-Z]\w*(<\w+>)?(?=[,)]| =| \{)/g, '')
