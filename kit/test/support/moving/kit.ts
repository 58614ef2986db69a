import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { DialectName } from '../../../../test/support/dialects.js'
import { root } from '../../../../test/support/root.js'

const dialects = { pg: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } satisfies Record<DialectName, string>

/** Runs a program with Node.js, by default in the root of the repository, and returns its output. */
export function node(args: string[], options: { cwd?: string; env?: Record<string, string> } = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    // Without an input, drizzle-kit fails when it asks a question, instead of waiting for an answer.
    const child = spawn(process.execPath, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, NODE_OPTIONS: '', ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        output[name] += text
      })
    }
    child.once('error', reject)
    child.once('close', (code) => (code === 0 ? resolve(output.stdout) : reject(new Error(output.stderr + output.stdout))))
  })
}

/** Runs a TypeScript file. It uses Drizzle 0.45, whichever version is under test. */
export const script = (path: string, args: string[] = [], options: { cwd?: string; env?: Record<string, string> } = {}) =>
  node(['--import', import.meta.resolve('tsx'), join(root, path), ...args], options)

/** The texts of files by their paths. */
export type Files = Record<string, string>

/** drizzle-kit for one database, with a folder for its migrations. */
export interface Kit {
  /** The folder of the app. The migrations are in its subfolder `drizzle`. */
  folder: string
  /** Runs `drizzle-kit generate` for the tables of a schema file. */
  generate(schema: string): Promise<void>
  /** Reads all files that drizzle-kit has written. */
  read(): Promise<Files>
  /** Writes such files. `change` edits the last migration. */
  write(files: Files, change?: (text: string) => string): Promise<void>
  /** Runs `drizzle-kit migrate`. */
  migrate(): Promise<void>
  remove(): Promise<void>
}

export async function openKit(dialect: DialectName, url: string): Promise<Kit> {
  if (!existsSync(join(root, 'dist', dialect, 'index.js')))
    throw new Error('drizzle-kit reads the tables from dist/, which does not exist. Run: npm run build')
  const folder = await mkdtemp(join(tmpdir(), 'auth-kit-'))
  const out = join(folder, 'drizzle')

  async function run(command: string, schema: string) {
    const config = join(folder, 'drizzle.config.json')
    // drizzle-kit puts `.//` in front of what it is given, so the path must be relative.
    await writeFile(config, JSON.stringify({ dialect: dialects[dialect], schema, out: relative(root, out), dbCredentials: { url } }))
    const output = await node(['node_modules/drizzle-kit/bin.cjs', command, `--config=${relative(root, config)}`])
    // After some errors, drizzle-kit exits with 0 all the same.
    if (!output.includes('[✓]')) throw new Error(`drizzle-kit ${command}: ${output}`)
  }

  return {
    folder,
    generate: (schema) => run('generate', schema),
    async read() {
      const entries = await readdir(out, { recursive: true, withFileTypes: true })
      const paths = entries.filter((entry) => entry.isFile()).map((entry) => relative(out, join(entry.parentPath, entry.name)))
      return Object.fromEntries(await Promise.all(paths.sort().map(async (path) => [path, await readFile(join(out, path), 'utf8')])))
    },
    async write(files, change = (same) => same) {
      const last = sqlOf(files).at(-1)
      await mkdir(join(out, 'meta'), { recursive: true })
      for (const [path, text] of Object.entries(files)) await writeFile(join(out, path), path === last ? change(text) : text)
    },
    migrate: () => run('migrate', `./test/support/schema/${dialect}.ts`),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The paths of the migrations, in order. */
export const sqlOf = (files: Files) => Object.keys(files).filter((path) => path.endsWith('.sql'))
