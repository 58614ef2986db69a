import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseNames } from '../databases.js'
import type { Options } from '../options.js'
import { phaseNames } from '../options.js'
import type { Results } from '../results.js'
import { drawCharts } from './charts.js'
import { writePages } from './page.js'

/** Writes numbers, charts and pages. Returns the path of the first page. An incomplete run writes to .tmp and replaces nothing in docs. */
export async function publish(results: Results, { quick, databases, phases }: Options): Promise<string> {
  const isComplete = !quick && databases.length === databaseNames.length && phases.length === phaseNames.length
  const root = join(import.meta.dirname, '../..')
  const numbers = isComplete ? 'bench' : '.tmp/bench'
  const docs = isComplete ? 'docs' : '.tmp/bench/docs'

  await mkdir(join(root, numbers), { recursive: true })
  await rm(join(root, docs, 'benchmarks'), { recursive: true, force: true })
  await mkdir(join(root, docs, 'benchmarks'), { recursive: true })
  await writeFile(join(root, numbers, 'results.json'), jsonOf(results))
  for (const [name, chart] of drawCharts(results)) await writeFile(join(root, docs, 'benchmarks', name), chart)
  for (const [name, page] of Object.entries(writePages(results))) await writeFile(join(root, docs, name), page)
  return `${docs}/benchmarks.md`
}

// In the format of Biome: a list of numbers is on one line.
function jsonOf(results: Results): string {
  const text = JSON.stringify(results, rounded, 2)
  return `${text.replace(/\[\s+([\d.,\s]+?)\s+\]/g, (_, numbers: string) => `[${numbers.replace(/\s+/g, ' ')}]`)}\n`
}

// The measurements are not more precise than four digits.
function rounded(_: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(4)) : value
}
