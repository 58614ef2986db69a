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
  /** Of the machine before the run: what else it had to do. */
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

/** Keeps the results of a whole run, and shows them in the documentation. */
export async function writeResults(results: Partial<Results>): Promise<void> {
  const missing = (['galera', 'postgres', 'rqlite', 'libsql', 'load'] as const).filter((name) => !results[name])
  if (missing.length > 0) throw new Error(`only the results of a whole run are written; ${missing.join(', ')} was not run`)
  await writeFile(file, jsonOf(results))
  const text = await readFile(page, 'utf8')
  if (!place.test(text)) throw new Error('docs/many-machines.md has no place for the results')
  await writeFile(
    page,
    text.replace(place, () => resultsText(results as Results)),
  )
}

// As the formatter wants it: a list of numbers on one line.
function jsonOf(results: Partial<Results>): string {
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(2)) : value)
  const text = JSON.stringify(results, rounded, 2)
  return `${text.replace(/\[\s+([\d.,\s]+?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)}\n`
}
