import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { BetterAuthOptions } from 'better-auth'
import { build } from 'esbuild'
import { drizzleAdapter } from '../../../../src/better-auth/index.js'
import { statementsBetween } from '../../../../test/support/better-auth.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { root } from '../../../../test/support/root.js'
import type { GenerateIO, GenerateOptions } from '../../../src/generate/index.js'
import { generate as runGenerate } from '../../../src/generate/index.js'

const require = createRequire(import.meta.url)
const kit = require('drizzle-kit/api')
const describers = { pg: kit.generateDrizzleJson, mysql: kit.generateMySQLDrizzleJson, sqlite: kit.generateSQLiteDrizzleJson }

export type Config = Omit<Parameters<typeof drizzleAdapter>[1], 'schema'>

/** A folder in which the files of an app stand, with the settings of TypeScript that they need. */
export async function createFolder(files: string | Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, '.tmp', 'generate', crypto.randomUUID())
  await mkdir(folder, { recursive: true })
  if (typeof files === 'string') await cp(files, folder, { recursive: true })
  else for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const compilerOptions = { paths: { '@/*': ['./*'] } }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  return folder
}

/** Runs a file of an app. Each call reads it anew. */
export async function load(file: string): Promise<Record<string, unknown>> {
  const outfile = join(root, '.tmp', 'generate', `${crypto.randomUUID()}.cjs`)
  const alias = { 'drizzle-auth-adapter/mysql': join(root, 'src/mysql/index.ts') }
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    external: ['drizzle-orm', 'drizzle-orm/*'],
    alias,
  })
  return require(outfile)
}

/** The tables of a schema as drizzle-kit describes them. */
export const describe = (schema: Record<string, unknown>, dialect: DialectName, casing?: string): Promise<unknown> =>
  dialect === 'pg' ? describers.pg(schema, undefined, ['public', 'auth'], casing) : describers[dialect](schema, undefined, casing)

export { statementsBetween }

/** What `npx auth generate --output` gets from the adapter. */
export async function generate(db: object, schema: Record<string, unknown>, config: Config, options: BetterAuthOptions, file?: string) {
  const created = await drizzleAdapter(db, { schema, ...config })(options).createSchema?.(options, file)
  return created as { code: string; path: string; overwrite: boolean }
}

const drivers = { pg: 'postgres-js', mysql: 'mysql2', sqlite: 'better-sqlite3' }

/** Runs our own command on an app whose tables are those of `schema.ts`. */
export async function runCommand(
  folder: string,
  dialect: DialectName,
  config: Config,
  options: BetterAuthOptions,
  { answer = true, ...given }: Omit<GenerateOptions, 'config'> & { answer?: boolean },
) {
  const auth = `import { betterAuth } from 'better-auth'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { drizzle } from 'drizzle-orm/${drivers[dialect]}'
import { grow } from '../../../kit/test/support/generate/options.js'
import * as schema from '@/schema'

const database = drizzleAdapter(drizzle.mock(), { schema, ...${JSON.stringify(config)} })
export const auth = betterAuth({ ...grow(${JSON.stringify(options)}), database })
`
  await writeFile(join(folder, 'auth.ts'), auth)
  const said = { out: [] as string[], error: [] as string[], questions: [] as string[] }
  const io: GenerateIO = {
    cwd: folder,
    out: (text) => said.out.push(text),
    error: (text) => said.error.push(text),
    confirm: async (question) => said.questions.push(question) > 0 && answer,
  }
  return { code: await runGenerate(given, io), out: said.out.join('\n'), error: said.error.join('\n'), questions: said.questions }
}

/** The files of a folder with their texts, but for `auth.ts`. */
export async function textsIn(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts') && name !== 'auth.ts')
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')])))
}

/** Compiles the files of these folders as strictly as TypeScript can. Returns its complaints. */
export async function compile(folders: readonly string[]): Promise<string> {
  const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, target: 'es2024', module: 'preserve', types: ['node'] }
  const strict = { noImplicitAny: true, verbatimModuleSyntax: true, exactOptionalPropertyTypes: true, allowImportingTsExtensions: true }
  const results = await Promise.all(
    folders.map(async (folder) => {
      const paths = { '@/*': ['./*'], 'drizzle-auth-adapter/mysql': [join(root, 'src/mysql/index.ts')] }
      const config = { compilerOptions: { ...compilerOptions, ...strict, paths }, include: ['**/*.ts'], exclude: ['auth.ts'] }
      await writeFile(join(folder, 'tsconfig.strict.json'), JSON.stringify(config))
      const tsc = join(root, 'node_modules/typescript/lib/tsc.js')
      const args = [tsc, '-p', join(folder, 'tsconfig.strict.json')]
      return promisify(execFile)(process.execPath, args).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      )
    }),
  )
  return results.join('')
}
