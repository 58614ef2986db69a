import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { GlobOptions } from 'tinyglobby'

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
  const files = kind ? (await readdir(path)).map((name) => join(path, name)) : await matching(pattern, cwd)
  return files.filter(isModule).sort()
}

async function matching(pattern: string, cwd: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  return (await glob(pattern, { ...options, cwd })).map((file) => resolve(file))
}
