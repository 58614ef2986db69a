import { table } from '../../test/support/table.js'
import type { Cell, Drizzle } from '../matrix/cell.js'
import { drizzles, idOf } from '../matrix/cell.js'
import { parts } from '../matrix/cells/index.js'
import type { Result, Results } from '../matrix/results.js'
import { problemsOf } from '../matrix/results.js'

const versions = Object.keys(drizzles) as Drizzle[]
const runtimeColumn = 3

/** The tables of docs/matrix.md. */
export function matrixTables(results: Results): string {
  const notes: string[] = []
  const note = (text: string) => {
    if (!notes.includes(text)) notes.push(text)
    return `<sup>${notes.indexOf(text) + 1}</sup>`
  }
  const head = ['driver', 'server', 'setting', 'runtime', ...versions.map((version) => `drizzle-orm ${version}`)]
  const tables = Object.entries(parts).map(([title, cells]) => {
    const rows = cells.map((cell) => row(cell, results[idOf(cell)] ?? {}, note))
    return `## ${title}\n\n${table(head, joinRuntimes(rows))}\n`
  })
  const dates = Object.values(results)
    .flatMap((byDrizzle) => Object.values(byDrizzle).map(({ date }) => date.slice(0, 10)))
    .sort()
  const period = [...new Set([dates[0], dates.at(-1)])].join(' to ')
  return [...tables, ...notes.map((text, index) => `${index + 1}. ${text}`), '', `Run on ${period}.`].join('\n')
}

function row(cell: Cell, results: Partial<Record<Drizzle, Result>>, note: (text: string) => string): string[] {
  const ran = versions.map((version) => results[version]).find((result) => result && !result.missing)
  return [
    [cell.title, ran?.versions.driver].filter(Boolean).join(' '),
    ran?.versions.server ?? cell.server ?? '',
    cell.setting ?? '',
    ran?.versions.runtime ?? cell.runtime,
    ...versions.map((version) => field(version, results[version], note)),
  ]
}

function field(drizzle: Drizzle, result: Result | undefined, note: (text: string) => string): string {
  if (!result) return 'not run'
  if (result.missing) return `no such driver${note(`drizzle-orm ${drizzle} has no \`${result.missing}\`.`)}`
  const problems = problemsOf(result)
  return `${result.passed}/${result.total}${problems.length > 0 ? note(`Fails: ${problems.join('; ')}.`) : ''}`
}

/** Joins rows that differ in their runtime only. */
function joinRuntimes(rows: string[][]): string[][] {
  const byRest = new Map<string, string[]>()
  for (const row of rows) {
    const rest = row.toSpliced(runtimeColumn, 1).join(' | ')
    const other = byRest.get(rest)
    if (other) other[runtimeColumn] += `, ${row[runtimeColumn]}`
    else byRest.set(rest, row)
  }
  return [...byRest.values()]
}
