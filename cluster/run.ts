// npx tsx cluster/run.ts [galera|postgres|rqlite|libsql|load]... [--short] [--write]
//
// Starts its own servers, kills some of them under load, and checks that nothing was lost.
import { parseArgs } from 'node:util'
import { galera } from './galera.js'
import { libsql } from './libsql.js'
import { pgReplication } from './postgres.js'
import { Report } from './report.js'
import { rqlite } from './rqlite.js'
import { full, short } from './sizes.js'

const scenarios = { galera, postgres: pgReplication, rqlite, libsql }

type Name = keyof typeof scenarios
const isName = (name: string): name is Name => name in scenarios

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { short: { type: 'boolean' }, write: { type: 'boolean' } },
    allowPositionals: true,
  })
  const names = positionals.length > 0 ? positionals : Object.keys(scenarios)
  const report = new Report()
  for (const name of names) {
    if (!isName(name)) throw new Error(`no part ${name}, only ${Object.keys(scenarios).join(', ')}`)
    const result = await scenarios[name](values.short ? short : full, report)
    console.log(JSON.stringify(result))
  }
  console.log(`\n${report.passed} passed, ${report.failed} failed`)
  if (report.failed > 0) process.exitCode = 1
}

main().catch((error: Error) => {
  console.error(error)
  process.exitCode = 1
})
