import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { root } from '../test/support/root.js'

/** The parts that record results, in `lab/results`. The pages are made from them. */
export type Recording = 'bench' | 'cluster' | 'matrix' | 'official'

const fileOf = (part: Recording) => join(root, 'lab/results', `${part}.json`)

export async function readResults<Results>(part: Recording): Promise<Results> {
  return JSON.parse(await readFile(fileOf(part), 'utf8'))
}

/** Records results: groups of cells, by their names, with one line for each cell. */
export async function writeResults(part: Recording, results: object, file = fileOf(part)): Promise<void> {
  const groups = Object.entries(results).map(([name, group]) => {
    if (typeof group !== 'object' || Array.isArray(group)) return `  ${line(name)}: ${line(group)}`
    const cells = Object.entries(group).map(([cell, value]) => `    ${line(cell)}: ${line(value)}`)
    return `  ${line(name)}: {\n${cells.join(',\n')}\n  }`
  })
  await writeFile(file, `{\n${groups.join(',\n')}\n}\n`)
}

/** JSON whose fractions have four digits, because no measurement is more precise. */
function line(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'number' && !Number.isInteger(inner) ? Number(inner.toPrecision(4)) : inner,
  )
}
