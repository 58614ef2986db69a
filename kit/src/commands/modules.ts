import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { extname, join, relative, resolve } from 'node:path'
import { Problem } from './command.js'

/** Imports a file of the app, which may be TypeScript and use the aliases of its tsconfig.json. */
async function importFile<T>(file: string): Promise<T> {
  const { createJiti } = await import('jiti')
  // A cached copy would be in a folder that other users can read, and the file may contain a password.
  return createJiti(file, { tsconfigPaths: true, fsCache: false }).import<T>(file)
}

/** Imports a file of the app. The error names the file and the line, and does not repeat the message, which may contain a URL. */
export async function loadModule(file: string, cwd: string): Promise<Record<string, unknown>> {
  try {
    return await importFile(file)
  } catch (error) {
    const { name, message, stack } = error instanceof Error ? error : new Error()
    const missing = /Cannot find (?:package|module) '(@?[\w./-]+)'/.exec(message)?.[1]
    const why = missing ? `it imports ${missing}, which was not found` : `${/^\w+$/.test(name) ? name : 'an error'}${position(stack, cwd)}`
    const shown = relative(cwd, file)
    const rerun = extname(file) === '.json' ? '' : ` To see the whole error, run: npx jiti ${shown}`
    throw new Problem(`${shown} cannot be loaded: ${why}.${rerun}`)
  }
}

/** The first line of the app's own files in a stack trace. Its column would be that of the compiled file. */
function position(stack = '', cwd: string): string {
  for (const [, path = '', line] of stack.matchAll(/(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^():?\n]+)(?:\?[^():\n]*)?:(\d+)/g))
    if (!path.includes('node_modules') && path.startsWith(cwd) && existsSync(path)) return ` at ${relative(cwd, path)}:${line}`
  return ''
}

/** The modules that paths and patterns name, as drizzle-kit reads them: a folder means the modules in it. */
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
  return files.filter((file) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(file)).sort()
}

async function matching(pattern: string, cwd: string): Promise<string[]> {
  const { glob } = await import('tinyglobby')
  const files = await glob(pattern, { cwd, absolute: true, expandDirectories: false, ignore: '**/node_modules/**' })
  return files.map((file) => resolve(file))
}
