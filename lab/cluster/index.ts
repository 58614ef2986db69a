// npm run lab cluster [-- galera|postgres|libsql]... [--short] [--write]
//
// Starts its own servers, kills some of them under traffic, and checks that nothing was lost. `--write` records the results of these parts,
// and writes docs/many-machines.md.
import { loadavg } from 'node:os'
import { choose, parseArguments } from '../../test/support/tool.js'
import { describeMachine } from '../../test/support/versions.js'
import { writePages } from '../pages/index.js'
import { readResults, writeResults } from '../results.js'
import { galera } from './galera/index.js'
import { libsql } from './libsql.js'
import { postgres } from './postgres.js'
import { Report } from './report.js'
import type { Results } from './results.js'
import { full, short } from './sizes.js'

const parts = { galera, postgres, libsql }
const names = Object.keys(parts) as (keyof typeof parts)[]

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArguments(`npm run lab cluster -- [${names.join('|')}]... [--short] [--write]`, {
    args,
    options: { short: { type: 'boolean' }, write: { type: 'boolean' } },
    allowPositionals: true,
  })
  const chosen: typeof names = positionals.length === 0 && values.short ? ['galera', 'postgres'] : choose(positionals, names)
  if (values.write && values.short) throw new Error('A short run cannot be recorded')
  const report = new Report()
  const ran = { machine: describeMachine(), loadAverage: loadavg()[0] }
  const results: Record<string, unknown> = {}
  for (const name of chosen) results[name] = { run: ran, ...(await parts[name](values.short ? short : full, report)) }
  console.log(`\n${report.passed} passed, ${report.failed} failed`)
  if (report.failed > 0) throw new Error('Some checks failed')
  if (!values.write) return
  await writeResults('cluster', { ...(await readResults<Results>('cluster')), ...results })
  await writePages()
}
