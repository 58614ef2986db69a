// npx tsx cluster/run.ts [galera|postgres|rqlite|libsql|load]... [--short] [--write]
//
// Starts its own servers, kills some of them under traffic, and checks that nothing was lost. `--write` puts the results
// into results.json and docs/many-machines.md.
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { describeMachine } from '../bench/machine.js'
import { galera } from './galera/index.js'
import { libsql } from './libsql.js'
import { load } from './load/index.js'
import { postgres } from './postgres.js'
import { Report } from './report.js'
import type { Results } from './results.js'
import { writeResults } from './results.js'
import { rqlite } from './rqlite.js'
import { full, short } from './sizes.js'

const parts = { galera, postgres, rqlite, libsql, load }

type Name = keyof typeof parts
const names = Object.keys(parts) as Name[]
const shortNames: Name[] = ['galera', 'postgres']

function chosenParts(requested: string[], byDefault: Name[]): Name[] {
  const unknown = requested.filter((name) => !names.some((known) => known === name))
  if (unknown.length > 0) throw new Error(`unknown part: ${unknown.join(', ')}. Parts are ${names.join(', ')}`)
  return requested.length > 0 ? (requested as Name[]) : byDefault
}

async function main(): Promise<void> {
  // If something ends this process early, it must not count as a success.
  process.exitCode = 1
  const options = { short: { type: 'boolean' }, write: { type: 'boolean' } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const sizes = values.short ? short : full
  const report = new Report()
  const results: Partial<Results> = { machine: await describeMachine(), loadAverage: loadavg()[0] as number }
  for (const name of chosenParts(positionals, values.short ? shortNames : names)) {
    Object.assign(results, { [name]: await parts[name](sizes, report) })
  }
  if (values.write && report.failed === 0) await writeResults({ ...results, minutes: report.minutes })
  console.log(`\n${report.passed} passed, ${report.failed} failed`)
  process.exitCode = report.failed > 0 ? 1 : 0
}

main().catch((error: Error) => {
  console.error(error)
})
