import { createHash } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Drizzle } from './cell.js'
import type { Outcome } from './setting.js'

/** The result of one cell with one version of Drizzle. */
export interface Result {
  date: string
  seconds: number
  /** The hash of the sources that it ran with. */
  sources: string
  /** The module that this version of Drizzle does not have. Then nothing was run. */
  missing?: string
  total: number
  passed: number
  failures: Outcome['failures']
  excess: Outcome['excess']
  versions: { runtime: string; server?: string; driver?: string }
}

export type Results = Record<string, Partial<Record<Drizzle, Result>>>

const root = join(import.meta.dirname, '..')
const file = join(import.meta.dirname, 'results.json')

export async function readResults(): Promise<Results> {
  return JSON.parse(await readFile(file, 'utf8').catch(() => '{}'))
}

export async function writeResults(results: Results): Promise<void> {
  await writeFile(file, `${JSON.stringify(results, null, 2)}\n`)
}

async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** A hash of all files that a result depends on. If it has changed, a cell has to run again. */
export async function hashSources(): Promise<string> {
  const files = [
    ...(await Promise.all(['src', 'migrations', 'matrix/cells', 'matrix/drivers'].map(filesOf))).flat(),
    ...['suite.ts', 'package-lock.json'].map((name) => join(import.meta.dirname, name)),
    ...['test/support/trips.ts', 'test/support/loose.ts', 'package-lock.json'].map((name) => join(root, name)),
  ].sort()
  const hash = createHash('sha256')
  for (const path of files) hash.update(path.slice(root.length)).update(await readFile(path))
  return hash.digest('hex').slice(0, 12)
}

/** The problems of a result. */
export function problemsOf(result: Omit<Result, 'sources'>): string[] {
  return [
    ...result.failures.map(({ name, error }) => `${name}: ${error}`),
    ...Object.entries(result.excess).map(([name, { counted, expected }]) => `${name} takes ${counted} round trips instead of ${expected}`),
  ]
}
