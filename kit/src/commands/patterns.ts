import { readdir, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, relative, resolve, sep } from 'node:path'
import type { GlobOptions } from 'tinyglobby'

/** Loaded when it is needed. */
const tinyglobby = (): typeof import('tinyglobby') => createRequire(import.meta.url)('tinyglobby')

const isModule = (file: string) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(file)

const options: GlobOptions = { absolute: true, expandDirectories: false, ignore: '**/node_modules/**' }

/** The files that paths and patterns name, as drizzle-kit reads them: a folder stands for the modules in it. */
export async function findFiles(patterns: string[], cwd: string): Promise<string[]> {
  const found = await Promise.all(patterns.map((pattern) => (pattern === '' ? [] : filesOf(pattern, cwd))))
  return [...new Set(found.flat())]
}

/** A path that exists is literal, such as the folder app/[id]. */
async function filesOf(pattern: string, cwd: string): Promise<string[]> {
  const path = resolve(cwd, pattern)
  const kind = await stat(path).catch(() => undefined)
  if (kind?.isFile()) return [path]
  const files = kind
    ? (await readdir(path)).map((name) => join(path, name))
    : tinyglobby()
        .globSync(pattern, { ...options, cwd })
        .map((file) => resolve(file))
  return files.filter(isModule).sort()
}

/** Whether a pattern would find a file that may not exist yet. */
export function matchesPattern(pattern: string, file: string, cwd: string): boolean {
  // A file system that has this file only.
  const readdirSync = (folder: string) => {
    const [name, ...rest] = relative(folder, resolve(cwd, file)).split(sep)
    return [{ name, isFile: () => rest.length === 0, isDirectory: () => rest.length > 0, isSymbolicLink: () => false }]
  }
  return tinyglobby().globSync(pattern, { ...options, cwd, fs: { readdirSync } as unknown as NonNullable<GlobOptions['fs']> }).length > 0
}
