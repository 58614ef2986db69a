import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { join as joinPosix } from 'node:path/posix'
import type { Context } from '../command.js'
import { Problem } from '../command.js'

/** What `init` reads in the folder that it runs in. */
export interface Project {
  cwd: string
  /** There is no package.json. */
  isEmpty: boolean
  /** The packages that package.json names, with their versions. */
  packages: Record<string, string>
  isModule: boolean
  usesTypeScript: boolean
  manager: Manager
  config?: KitConfig | undefined
  /** Wrangler's configuration names a D1 database. */
  d1: boolean
}

/** The commands of each package manager. */
export const commands = {
  npm: { add: 'npm install', addDev: 'npm install --save-dev', exact: '--save-exact', exec: 'npx' },
  pnpm: { add: 'pnpm add', addDev: 'pnpm add --save-dev', exact: '--save-exact', exec: 'pnpm exec' },
  yarn: { add: 'yarn add', addDev: 'yarn add --dev', exact: '--exact', exec: 'yarn' },
  bun: { add: 'bun add', addDev: 'bun add --dev', exact: '--exact', exec: 'bunx' },
}

type Manager = keyof typeof commands

/** The settings of drizzle-kit. The file is read as text, because running it may need packages and variables that are still missing. */
interface KitConfig {
  file: string
  dialect?: string | undefined
  driver?: string | undefined
  schema?: string[] | undefined
  casing?: 'snake_case' | undefined
}

interface PackageFile {
  type?: string
  packageManager?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

export async function readProject({ cwd, env }: Pick<Context, 'cwd' | 'env'>): Promise<Project> {
  const text = await readText(cwd, 'package.json')
  const { type, packageManager, devDependencies, dependencies } = text === undefined ? { type: 'module' } : parsePackage(text)
  const packages = { ...devDependencies, ...dependencies }
  return {
    cwd,
    isEmpty: text === undefined,
    packages,
    isModule: type === 'module',
    usesTypeScript: text === undefined || 'typescript' in packages || existsSync(join(cwd, 'tsconfig.json')),
    manager: managerIn(packageManager) ?? lockedManager(cwd) ?? managerIn(env.npm_config_user_agent) ?? 'npm',
    config: await readKitConfig(cwd),
    d1: (await findModule(cwd, ['wrangler'], /\bd1_databases\b/, ['.jsonc', '.json', '.toml'])) !== undefined,
  }
}

function parsePackage(text: string): PackageFile {
  try {
    return JSON.parse(text)
  } catch {
    throw new Problem('package.json is not valid JSON.', 2)
  }
}

/** The text of a file of the app, if it is there. */
export const readText = (cwd: string, path: string): Promise<string | undefined> => readFile(join(cwd, path), 'utf8').catch(() => undefined)

const moduleEnds = ['.ts', '.js', '.mjs', '.tsx', '.mts', '/index.ts', '/index.js']

/** The first of these files that exists, and its text. The names have no extension. */
export async function findModule(cwd: string, names: string[], isIt = /(?:)/, ends = moduleEnds) {
  for (const file of new Set(names.flatMap((name) => ends.map((end) => joinPosix(name + end))))) {
    const text = await readText(cwd, file)
    if (text !== undefined && isIt.test(text)) return { file, text }
  }
  return undefined
}

/** Paths of modules in the folder of the project and in `src`. */
export const placesOf = (...names: string[]) => ['', 'src/'].flatMap((folder) => names.map((name) => folder + name))

/** Where apps configure their library. */
export const authPlaces = placesOf('auth', 'lib/auth', 'server/auth', 'lib/server/auth')

/** The manager that has a lockfile here or, in a workspace, in a parent folder. */
function lockedManager(folder: string): Manager | undefined {
  const [lock] = readdirSync(folder).flatMap((name) => /^(package|pnpm|yarn|bun)[-.]lock/.exec(name)?.[1] ?? [])
  if (lock) return lock === 'package' ? 'npm' : (lock as Manager)
  return folder === dirname(folder) ? undefined : lockedManager(dirname(folder))
}

const managerIn = (text = '') => /^(npm|pnpm|yarn|bun)[@/]/.exec(text)?.[1] as Manager | undefined

async function readKitConfig(cwd: string): Promise<KitConfig | undefined> {
  const found = await findModule(cwd, ['drizzle.config'], undefined, ['.ts', '.js', '.mjs', '.cjs', '.mts', '.json'])
  if (!found) return undefined
  const text = found.text
    // Comments at the start of a line only, because `//` also occurs in URLs, and `migrations`, which has its own `schema`.
    .replace(/^\s*(\/\/.*|\/\*[\s\S]*?\*\/)/gm, '')
    .replace(/\bmigrations["']?\s*:\s*\{[^}]*\}/, '')
  const texts = (key: string) => {
    const [, setting] = new RegExp(`(?<![\\w$.])["']?${key}["']?\\s*:\\s*(\\[[^\\]]*|["'\`][^"'\`]+["'\`])`).exec(text) ?? []
    return setting?.match(/(["'`])[^"'`]+\1/g)?.map((quoted) => quoted.slice(1, -1))
  }
  const casing = texts('casing')?.[0] === 'snake_case' ? 'snake_case' : undefined
  return { file: found.file, dialect: texts('dialect')?.[0], driver: texts('driver')?.[0], schema: texts('schema'), casing }
}
