import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
  const settings = text === undefined ? {} : parsePackage(text)
  const packages = { ...settings.peerDependencies, ...settings.devDependencies, ...settings.dependencies }
  return {
    cwd,
    isEmpty: text === undefined,
    packages,
    isModule: text === undefined || settings.type === 'module',
    usesTypeScript: text === undefined || 'typescript' in packages || existsSync(join(cwd, 'tsconfig.json')),
    manager: findManager(cwd, settings.packageManager, env.npm_config_user_agent),
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

const lockfiles: Record<string, Manager> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
}

function findManager(cwd: string, named: string | undefined, userAgent: string | undefined): Manager {
  const locked = () => {
    // The lockfile of a workspace is in a parent folder.
    for (let folder = cwd; ; folder = dirname(folder)) {
      const found = Object.keys(lockfiles).find((file) => existsSync(join(folder, file)))
      if (found) return lockfiles[found]
      if (folder === dirname(folder)) return undefined
    }
  }
  return managerIn(named) ?? locked() ?? managerIn(userAgent) ?? 'npm'
}

const managerIn = (text = ''): Manager | undefined => /^(npm|pnpm|yarn|bun)[@/]/.exec(text)?.[1] as Manager | undefined

async function readKitConfig(cwd: string): Promise<KitConfig | undefined> {
  const file = ['ts', 'js', 'mjs', 'cjs', 'mts', 'json'].map((end) => `drizzle.config.${end}`).find((name) => existsSync(join(cwd, name)))
  if (file === undefined) return undefined
  const text = settingsOf((await readText(cwd, file)) ?? '')
  const setting = (key: string) => new RegExp(`(?<![\\w$.])["']?${key}["']?\\s*:\\s*["'\`]([^"'\`]+)["'\`]`).exec(text)?.[1]
  const list = /(?<![\w$.])["']?schema["']?\s*:\s*(\[[^\]]*|["'`][^"'`]+["'`])/.exec(text)?.[1] ?? ''
  const schema = [...list.matchAll(/["'`]([^"'`]+)["'`]/g)].map((found) => found[1] as string)
  const casing = setting('casing') === 'snake_case' ? 'snake_case' : undefined
  return { file, dialect: setting('dialect'), driver: setting('driver'), schema: schema.length > 0 ? schema : undefined, casing }
}

// Removes comments at the start of a line only, because `//` also occurs in URLs, and `migrations`, which has its own `schema`.
const settingsOf = (text: string) => text.replace(/^\s*(\/\/.*|\/\*[\s\S]*?\*\/)/gm, '').replace(/\bmigrations["']?\s*:\s*\{[^}]*\}/, '')

async function findD1(cwd: string): Promise<string | undefined> {
  for (const file of ['wrangler.jsonc', 'wrangler.json', 'wrangler.toml'])
    if (/\bd1_databases\b/.test((await readText(cwd, file)) ?? '')) return file
  return undefined
}
