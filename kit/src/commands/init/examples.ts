import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Driver } from './drivers.js'

// The copies of the build, or the examples themselves.
const folders = ['../../examples/', '../../../../examples/'].map((path) => new URL(path, import.meta.url))

/** A file below `examples/`, without the parts that only the example has: plugins and passwords. */
export async function readExample(file: string): Promise<string> {
  const folder = folders.find((each) => existsSync(each)) as URL
  const text = await readFile(new URL(file, folder), 'utf8')
  const plain = text.replace(/^( *)(plugins: \[|Credentials\(\{)\n[\s\S]*?^\1[\]})]+,\n/m, '')
  return withUsedImports(plain.replace(/credentialSessions\(\w+, (\w+)\)/, '$1'))
}

/** What an example is filled in with. Paths are in quotes. */
interface Values {
  driver: Driver
  casing?: string | undefined
  usesSvelteKit: boolean
  /** The paths of modules, by the names of the files in the examples. */
  paths: Record<string, string>
  /** The setting `schema` of drizzle-kit. */
  schema: string
}

export function fillIn(text: string, { driver, casing, usesSvelteKit, paths, schema }: Values): string {
  const { dialect, kitDialect, kitDriver, module, token, hasNoForeignKeys } = driver
  const inCasing = casing && `casing: '${casing}'`
  const objectOf = (...options: (string | false | undefined)[]) =>
    options.some(Boolean) ? `{ ${options.filter(Boolean).join(', ')} }` : ''
  const connection = token ? '{ url, authToken: process.env.DATABASE_AUTH_TOKEN }' : 'url'
  const filled = text
    .replace(/(?<=from )'\.[./]*\/([\w-]+)(\.js)?'/g, (path, name) => paths[name] ?? path)
    .replace(/'\.\/schema\.ts'/, () => schema)
    .replace('drizzle-orm/libsql', `drizzle-orm/${module}`)
    .replace('drizzle-auth-adapter/sqlite', `drizzle-auth-adapter/${dialect}`)
    .replace("dialect: 'turso',", `dialect: '${kitDialect}',${kitDriver ? `\n  driver: '${kitDriver}',` : ''}`)
    .replace(/(?<=dbCredentials: )\{.*\}/, token ? connection : '{ url }')
    .replace(/(?<=drizzle\()\{.*authToken.*\}/, token || casing ? objectOf(`connection: ${connection}`, inCasing) : connection)
    .replace('defineTables()', `defineTables(${objectOf(hasNoForeignKeys && 'foreignKeys: false', inCasing)})`)
  // In SvelteKit, the variables of `.env` are not in `process.env`.
  return usesSvelteKit && filled.includes('process.env.')
    ? `import { env } from '$env/dynamic/private'\n${filled.replaceAll('process.env.', 'env.')}`
    : filled
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
