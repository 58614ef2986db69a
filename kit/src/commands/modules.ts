import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { extname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Problem } from './command.js'

type Exports = Record<string, unknown>

/** Loads a file of the app. TypeScript is loaded through the app's own tsx, which resolves imports as bundlers and drizzle-kit do. */
export async function loadModule(file: string, cwd: string): Promise<Exports> {
  try {
    const exported = await importModule(file, cwd)
    // A CommonJS module has one default export, and Node.js does not always detect its properties as named exports.
    const inner = exported.default as Exports | undefined
    return inner && typeof inner === 'object' && '__esModule' in inner ? { ...exported, ...inner } : exported
  } catch (error) {
    throw error instanceof Problem ? error : loadProblem(error, file, cwd)
  }
}

const isTypeScript = (file: string) => /\.[cm]?tsx?$/.test(file)
const runsTypeScript = 'Bun' in globalThis || 'Deno' in globalThis

async function importModule(file: string, cwd: string): Promise<Exports> {
  if (extname(file) === '.json') return { default: JSON.parse(await readFile(file, 'utf8')) }
  return isTypeScript(file) && !runsTypeScript ? importTypeScript(file, cwd) : importFile(file)
}

const importFile = async (file: string): Promise<Exports> => import(pathToFileURL(file).href)

async function importTypeScript(file: string, cwd: string): Promise<Exports> {
  const tsx = findTsx(cwd)
  if (tsx) return (await import(pathToFileURL(tsx).href)).tsImport(pathToFileURL(file).href, import.meta.url)
  try {
    return await importFile(file)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    // By itself, Node.js finds no file that is imported without its extension.
    const needsTsx = /^ERR_(UNKNOWN_FILE_EXTENSION|UNSUPPORTED_TYPESCRIPT_SYNTAX)$/.test(code) || /^Cannot find module '[/\\]/.test(message)
    if (!needsTsx) throw error
    throw new Problem(`${relative(cwd, file)} is TypeScript, which needs tsx to be loaded. Run: npm install --save-dev tsx`)
  }
}

// With some package managers, only drizzle-kit itself can resolve its dependencies.
function findTsx(cwd: string): string | undefined {
  const app = createRequire(join(cwd, 'package.json'))
  for (const from of [() => app, () => createRequire(app.resolve('drizzle-kit'))]) {
    try {
      // `resolve` finds the CommonJS version of this file, whose loader has a wrong path (tsx 4.23).
      return from()
        .resolve('tsx/esm/api')
        .replace(/\.cjs$/, '.mjs')
    } catch {
      // It is not installed there.
    }
  }
  return undefined
}

// The message is not printed: it may contain a URL, or a line of the file.
function loadProblem(error: unknown, file: string, cwd: string): Problem {
  const { name, message, stack } = error instanceof Error ? error : new Error()
  const missing = /Cannot find (?:package|module) '(@?[\w./-]+)'/.exec(message)?.[1]
  const why = missing ? `it imports ${missing}, which was not found` : `${/^\w+$/.test(name) ? name : 'an error'}${position(stack, cwd)}`
  const shown = relative(cwd, file)
  const rerun = extname(file) === '.json' ? '' : ` To see the whole error, run: ${isTypeScript(file) ? 'npx tsx' : 'node'} ${shown}`
  return new Problem(`${shown} cannot be loaded: ${why}.${rerun}`)
}

/** The first position in the app's own files in a stack trace. */
function position(stack = '', cwd: string): string {
  for (const [, path = '', line, column] of stack.matchAll(
    /(?:file:\/\/)?((?:[A-Za-z]:)?[\\/][^():?\n]+)(?:\?[^():\n]*)?:(\d+)(?::(\d+))?/g,
  )) {
    if (!path.includes('node_modules') && path.startsWith(cwd) && existsSync(path))
      return ` at ${[relative(cwd, path), line, column].filter(Boolean).join(':')}`
  }
  return ''
}
