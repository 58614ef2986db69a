import { existsSync } from 'node:fs'
import { extname, relative } from 'node:path'
import { Problem } from './command.js'

/** Imports a file of the app, which may be TypeScript and use the aliases of its tsconfig.json. */
async function importFile<T>(file: string): Promise<T> {
  const { createJiti } = await import('jiti')
  // A cached copy would be in a folder that other users can read, and the file may contain a password.
  return createJiti(file, { tsconfigPaths: true, fsCache: false }).import<T>(file)
}

/** Imports a file of the app. The error names the file and the line. */
export async function loadModule(file: string, cwd: string): Promise<Record<string, unknown>> {
  try {
    return await importFile(file)
  } catch (error) {
    throw loadProblem(error, file, cwd)
  }
}

// The message is not printed: it may contain a URL, or a line of the file.
function loadProblem(error: unknown, file: string, cwd: string): Problem {
  const { name, message, stack } = error instanceof Error ? error : new Error()
  const missing = /Cannot find (?:package|module) '(@?[\w./-]+)'/.exec(message)?.[1]
  const why = missing ? `it imports ${missing}, which was not found` : `${/^\w+$/.test(name) ? name : 'an error'}${position(stack, cwd)}`
  const shown = relative(cwd, file)
  const rerun = extname(file) === '.json' ? '' : ` To see the whole error, run: npx jiti ${shown}`
  return new Problem(`${shown} cannot be loaded: ${why}.${rerun}`)
}

/** The first line of the app's own files in a stack trace. Its column would be that of the compiled file. */
function position(stack = '', cwd: string): string {
  for (const [, path = '', line] of stack.matchAll(/(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^():?\n]+)(?:\?[^():\n]*)?:(\d+)/g))
    if (!path.includes('node_modules') && path.startsWith(cwd) && existsSync(path)) return ` at ${relative(cwd, path)}:${line}`
  return ''
}
