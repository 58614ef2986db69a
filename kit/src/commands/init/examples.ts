import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { dirname } from 'node:path/posix'
import type { App } from './app.js'

// The copies of the build, or the examples themselves.
const folders = ['../../examples/', '../../../../examples/'].map((path) => new URL(path, import.meta.url))

/** A file below `examples/`, without the parts that only the example has: plugins and passwords. */
export async function readExample(file: string): Promise<string> {
  const folder = folders.find((each) => existsSync(each)) as URL
  const text = await readFile(new URL(file, folder), 'utf8')
  const plain = text.replace(/^( *)(plugins: \[|Credentials\(\{)\n[\s\S]*?^\1[\]})]+,\n/m, '')
  return withUsedImports(plain.replace(/credentialSessions\(\w+, (\w+)\)/, '$1'))
}

/** A text as JavaScript writes it. */
export const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** An example, filled in for a file of the app. */
export async function fill({ project, driver, framework, tables, schema, auth, db }: App, example: string, from: string): Promise<string> {
  const { dialect, kitDialect, kitDriver, module, token, hasNoForeignKeys } = driver
  const importPath = (to: string) => {
    const path = relative(dirname(from), to)
      .replace(/\.([cm]?)[jt]sx?$/, framework.hasBundler ? '' : '.$1js')
      .replace(/\/index$/, '')
    return quoted(path.startsWith('.') ? path : `./${path}`)
  }
  const paths: Record<string, string> = { schema: tables, 'auth-schema': tables, auth, db }
  const casing = project.config?.casing && `casing: '${project.config.casing}'`
  const objectOf = (...options: (string | false | undefined)[]) =>
    options.some(Boolean) ? `{ ${options.filter(Boolean).join(', ')} }` : ''
  const connection = token ? '{ url, authToken: process.env.DATABASE_AUTH_TOKEN }' : 'url'
  const filled = (await readExample(example))
    .replace(/(?<=from )'\.[./]*\/([\w-]+)(\.js)?'/g, (path, name) => (paths[name] ? importPath(paths[name]) : path))
    .replace(/'\.\/schema\.ts'/, () => schema)
    .replace('drizzle-orm/libsql', `drizzle-orm/${module}`)
    .replace('drizzle-auth-adapter/sqlite', `drizzle-auth-adapter/${dialect}`)
    .replace("dialect: 'turso',", `dialect: '${kitDialect}',${kitDriver ? `\n  driver: '${kitDriver}',` : ''}`)
    .replace(/(?<=dbCredentials: )\{.*\}/, token ? connection : '{ url }')
    .replace(/(?<=drizzle\()\{.*authToken.*\}/, token || casing ? objectOf(`connection: ${connection}`, casing) : connection)
    .replace('defineTables()', `defineTables(${objectOf(hasNoForeignKeys && 'foreignKeys: false', casing)})`)
  // In SvelteKit, the variables of `.env` are not in `process.env`.
  return framework.name === 'sveltekit' && filled.includes('process.env.')
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
