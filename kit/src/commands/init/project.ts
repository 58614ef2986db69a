import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { join as joinPosix } from 'node:path/posix'
import type { Context } from '../command.js'
import { Problem } from '../command.js'

/** What `init` knows about the folder that it runs in. */
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
  /** Wrangler's configuration, if it names a D1 database. */
  d1?: string | undefined
}

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** The settings of drizzle-kit. The file is read as text, because running it may need packages and variables that are still missing. */
interface KitConfig {
  file: string
  dialect?: string | undefined
  driver?: string | undefined
  schema?: string[] | undefined
  casing?: 'snake_case' | undefined
}

export async function readProject({ cwd, env }: Pick<Context, 'cwd' | 'env'>): Promise<Project> {
  const text = await readText(cwd, 'package.json')
  const settings = text === undefined ? { type: 'module', devDependencies: { typescript: '*' } } : parsePackage(text)
  const packages: Project['packages'] = { ...settings.peerDependencies, ...settings.devDependencies, ...settings.dependencies }
  return {
    cwd,
    isEmpty: text === undefined,
    packages: text === undefined ? {} : packages,
    isModule: settings.type === 'module',
    usesTypeScript: 'typescript' in packages || existsSync(join(cwd, 'tsconfig.json')),
    manager: managerIn(settings.packageManager) ?? lockedManager(cwd) ?? managerIn(env.npm_config_user_agent) ?? 'npm',
    config: await readKitConfig(cwd),
    d1: await findD1(cwd),
  }
}

interface PackageFile {
  type?: string
  packageManager?: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
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

const ends = ['.ts', '.js', '.mjs', '.tsx', '.mts', '/index.ts', '/index.js']

/** The first of these modules that exists, and its text. The names have no extension. */
export async function findModule(cwd: string, names: string[], isIt = /(?:)/) {
  for (const file of new Set(names.flatMap((name) => ends.map((end) => joinPosix(name + end))))) {
    const text = await readText(cwd, file)
    if (text !== undefined && isIt.test(text)) return { file, text }
  }
  return undefined
}

/** The manager that has a lockfile here or, in a workspace, in a parent folder. */
function lockedManager(folder: string): Manager | undefined {
  const [lock] = readdirSync(folder).flatMap((name) => /^(package|pnpm|yarn|bun)[-.]lock/.exec(name)?.[1] ?? [])
  if (lock) return lock === 'package' ? 'npm' : (lock as Manager)
  return folder === dirname(folder) ? undefined : lockedManager(dirname(folder))
}

const managerIn = (text = ''): Manager | undefined => /^(npm|pnpm|yarn|bun)[@/]/.exec(text)?.[1] as Manager | undefined

async function readKitConfig(cwd: string): Promise<KitConfig | undefined> {
  const file = ['ts', 'js', 'mjs', 'cjs', 'mts', 'json'].map((end) => `drizzle.config.${end}`).find((name) => existsSync(join(cwd, name)))
  if (file === undefined) return undefined
  const text = ((await readText(cwd, file)) ?? '')
    // Comments at the start of a line only, because `//` also occurs in URLs, and `migrations`, which has its own `schema`.
    .replace(/^\s*(\/\/.*|\/\*[\s\S]*?\*\/)/gm, '')
    .replace(/\bmigrations["']?\s*:\s*\{[^}]*\}/, '')
  const setting = (key: string) => new RegExp(`(?<![\\w$.])["']?${key}["']?\\s*:\\s*(\\[[^\\]]*|["'\`][^"'\`]+["'\`])`).exec(text)?.[1]
  const texts = (key: string) =>
    setting(key)
      ?.match(/(["'`])[^"'`]+\1/g)
      ?.map((text) => text.slice(1, -1))
  const casing = texts('casing')?.[0] === 'snake_case' ? 'snake_case' : undefined
  return { file, dialect: texts('dialect')?.[0], driver: texts('driver')?.[0], schema: texts('schema'), casing }
}

async function findD1(cwd: string): Promise<string | undefined> {
  for (const file of ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml'])
    if (/\bd1_databases\b/.test((await readText(cwd, file)) ?? '')) return file
  return undefined
}

/** Whether git ignores a file of the folder. Without a repository, its .gitignore must name the file. */
export async function isIgnored(cwd: string, path: string): Promise<boolean> {
  const code = await new Promise<unknown>((resolve) => {
    execFile('git', ['check-ignore', '--quiet', path], { cwd }, (error) => resolve(error ? error.code : 0))
  })
  if (code === 0 || code === 1) return code === 0
  const lines = ((await readText(cwd, '.gitignore')) ?? '').split(/\r?\n/).map((line) => line.trim())
  return lines.some((line) => [path, `/${path}`, `${path}*`, `*${path}`].includes(line)) && !lines.includes(`!${path}`)
}
