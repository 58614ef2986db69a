import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from './root.js'

/** Recorded results, as a path from the root. `npm run pages` turns them into pages. */
export type ResultsFile =
  | 'lab/bench/results.json'
  | 'lab/cluster/results.json'
  | 'lab/matrix/results.json'
  | 'lab/official/results.json'

export async function readResults<Results>(file: ResultsFile): Promise<Results> {
  return JSON.parse(await readFile(join(root, file), 'utf8'))
}

/** Writes results as JSON. Fractions have four digits, because no measurement is more precise. */
export async function writeResults(file: ResultsFile | `.tmp/${string}`, results: unknown): Promise<void> {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value
  const text = JSON.stringify(results, rounded, 2)
  // A list of numbers is on one line.
  await writeFile(
    join(root, file),
    `${text.replace(/\[\s+([\d.,\s]+?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)}\n`,
  )
}
