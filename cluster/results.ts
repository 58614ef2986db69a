import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Machine } from '../bench/machine.js'
import type { GaleraResult } from './galera/index.js'
import type { LibsqlResult } from './libsql.js'
import type { LoadResult } from './load/index.js'
import { resultsText } from './page.js'
import type { PostgresResult } from './postgres.js'
import type { RqliteResult } from './rqlite.js'

export interface Results {
  machine: Machine
  /** The load average of the machine before the run, caused by other programs. */
  loadAverage: number
  minutes: number
  galera: GaleraResult
  postgres: PostgresResult
  rqlite: RqliteResult
  libsql: LibsqlResult
  load: LoadResult
}

const file = join(import.meta.dirname, 'results.json')
const page = join(import.meta.dirname, '../docs/many-machines.md')
const place = /(?<=<!-- results -->\n)[\s\S]*(?=<!-- end of results -->)/

/** Writes the results of a complete run to results.json and to the documentation. */
export async function writeResults(results: Partial<Results>): Promise<void> {
  const missing = (['galera', 'postgres', 'rqlite', 'libsql', 'load'] as const).filter((name) => !results[name])
  if (missing.length > 0) throw new Error(`only the results of a complete run are written; not run: ${missing.join(', ')}`)
  await writeFile(file, jsonOf(results))
  const text = await readFile(page, 'utf8')
  if (!place.test(text)) throw new Error('docs/many-machines.md has no comments that mark the place of the results')
  await writeFile(
    page,
    text.replace(place, () => resultsText(results as Results)),
  )
}

// In the format of Biome: a list of numbers is on one line.
function jsonOf(results: Partial<Results>): string {
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(2)) : value)
  const text = JSON.stringify(results, rounded, 2)
  return `${text.replace(/\[\s+([\d.,\s]+?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)}\n`
}
