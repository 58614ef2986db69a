import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../../test/support/root.js'
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
  versions: { runtime: string; server?: string; driver?: string }
}

export type Results = Record<string, Partial<Record<Drizzle, Result>>>

/** The files and folders that a result depends on. */
const dependencies = [
  'migrations',
  'src',
  'lab/matrix/cells',
  'lab/matrix/drivers',
  'lab/matrix/suite.ts',
  'lab/matrix/tables.ts',
  'lab/matrix/package-lock.json',
  'package-lock.json',
]

/** A hash of everything that a result depends on. If it has changed, a cell has to run again. */
export async function hashSources(): Promise<string> {
  const hash = createHash('sha256')
  for (const path of dependencies) {
    const inside = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => [])
    const files = inside.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
    for (const file of path.includes('.') ? [join(root, path)] : files.sort())
      hash.update(file.slice(root.length)).update(await readFile(file))
  }
  return hash.digest('hex').slice(0, 12)
}

/** The problems of a result. */
export function problemsOf({ failures }: Pick<Result, 'failures'>): string[] {
  return failures.map(({ name, error }) => `${name}: ${error}`)
}
