import { databaseNames, databaseTitles, dialectOf, drivers } from '../databases.js'
import { connections } from '../phases/concurrency.js'
import type { DatabaseResults, Results } from '../results.js'
import type { Found } from './sections.js'
import {
  concurrencyTable,
  growthTable,
  makingTable,
  memorySentence,
  operationsTable,
  secretsTable,
  sessionTable,
  slowerThanOfficial,
  speedTable,
} from './sections.js'

/** The pages of the documentation by file name: a summary, and all figures. */
export function writePages(results: Results): Record<string, string> {
  return { 'benchmarks.md': writeSummary(results), 'benchmarks-details.md': writeDetails(results) }
}

const found = ({ databases }: Results) => {
  return <Key extends keyof DatabaseResults>(key: Key): Found<Key> =>
    databaseNames.flatMap((name) => {
      const own = databases[name]?.[key]
      return own ? [[name, own as NonNullable<DatabaseResults[Key]>] as const] : []
    }) as Found<Key>
}

const chart = (name: string, title: string) => `![${title}](benchmarks/${name}.svg)`

const joined = (parts: string[]) => `${parts.join('\n\n')}\n`

function writeSummary(results: Results): string {
  const having = found(results)
  const session = having('session')
  const operations = having('operations')
  const secrets = having('secrets')
  const parts = ['# Benchmarks', summary]
  if (session.length > 0) parts.push('## Reading a session', chart('session', 'getSessionAndUser'), sessionTable(session), reach)
  if (operations.length > 0) {
    parts.push('## Every operation, beside the official adapter', speed, speedTable(operations))
  }
  if (secrets.length > 0) parts.push('## With hashed sessions', hashing, secretsTable(secrets))
  parts.push('## How it was measured', compared, machineOf(results.machine, results.databases), noise, '## Run it yourself', repeat)
  return joined(parts)
}

function writeDetails(results: Results): string {
  const having = found(results)
  const operations = having('operations')
  const making = having('making')
  const concurrency = having('concurrency')
  const growth = having('growth')
  const memory = having('memory')[0]?.[1]
  const parts = ['# Benchmarks: all figures', details]
  if (operations.length > 0) {
    parts.push('## Every operation', statements)
    for (const [name, times] of operations) {
      const trips = results.databases[name]?.trips ?? {}
      parts.push(`### ${databaseTitles[name]}`, chart(`operations-${name}`, `Every operation on ${databaseTitles[name]}`))
      parts.push(operationsTable(times, trips), slowerThanOfficial(times, trips))
    }
  }
  if (making.length > 0) parts.push('## Creating an adapter', keep, makingTable(making))
  if (concurrency.length > 0) {
    parts.push('## Under load', load, chart('concurrency', 'getSessionAndUser under load'))
    for (const [name, loads] of concurrency) parts.push(`### ${databaseTitles[name]} under load`, concurrencyTable(loads))
  }
  if (growth.length > 0) {
    parts.push('## As the tables grow', grow)
    for (const operation of Object.keys(growth[0]?.[1].times ?? {})) {
      parts.push(chart(`growth-${operation}`, `${operation} as the tables grow`))
    }
    parts.push(growthTable(growth))
  }
  if (memory) parts.push('## Memory', chart('memory', 'The heap'), memorySentence(memory), heap)
  return joined(parts)
}

const summary = `For anyone who wants to know what the adapter costs. Figures are medians of one run. [All figures](benchmarks-details.md) has every
operation on every database, and what happens under load and as the tables grow.`

const details = `For anyone who wants more than [the summary](benchmarks.md), which also says how these figures were measured. \`npm run bench\` writes both
pages, and the numbers to \`bench/results.json\`.`

const speed = `How many times as fast as \`@auth/drizzle-adapter\` each operation is. \`linkAccount\`, \`unlinkAccount\`, \`deleteSession\` and \`deleteUser\`
return the row, which the official adapter does not; MySQL and MariaDB need one more statement for that. \`deleteUser\` also deletes
everything that belongs to the user where foreign keys are missing.`

const reach = `Every signed-in request calls \`getSessionAndUser\`. The last column compares it with
Drizzle's own prepared query of the same join. On all databases but SQLite, most of the time is the round trip to the server, which no adapter
can avoid.`

const statements = `The last column counts the SQL statements that an operation sends one after the other. \`linkAccount\`, \`unlinkAccount\`,
\`deleteSession\` and \`deleteUser\` return the row, which the official adapter does not; MySQL and MariaDB need one more statement for that.
\`deleteUser\` also deletes everything that belongs to the user, because foreign keys may be missing; the others rely on the foreign keys.`

const keep =
  'An adapter builds each statement when it is first used. If you keep the adapter, for example as a constant of a module, that happens once,\nand a call costs what [the summary](benchmarks.md#reading-a-session) shows.'

const hashing = `\`getSessionAndUser\` of an adapter without and one with [\`sessionTokens: 'hashed'\`](secrets.md), taking turns on the same table. WebCrypto
computes SHA-256 in another thread, and the way there and back takes time. The adapter remembers the hashes of the last thousand
tokens, so only the first request of a session waits for it.`

const load = `The number of calls of \`getSessionAndUser\` in flight at a time, over at most ${connections} connections. SQLite has one connection, in the same thread.`

const grow = `Three copies of the tables, with ten sessions and one passkey per user, taking turns. Sessions are looked up by a random token;
\`deleteUser\` deletes a user with ten sessions.`

const heap = 'All operations in turn on SQLite, with a new adapter for every 475 of them.'

const compared = `Five implementations, in one run, on the same server:

- **drizzle-auth-adapter**: this package as it is published, with its default tables.
- **@auth/drizzle-adapter**: with its own default tables, in a database of its own.
- **@auth/kysely-adapter**: with tables of the names that it expects. It has no \`getAccount\` and no authenticators. On PostgreSQL it uses
  node-postgres, because Kysely has no dialect for postgres.js; all others use postgres.js.
- **Drizzle, prepared**: Drizzle's own prepared query of a session and its user, on the same tables as this package.
- **hand-written**: plain driver code on the same tables as this package, returning the same objects: better-sqlite3 with prepared statements,
  postgres.js, which prepares on its own, and mysql2 with \`execute\`, which is faster here than \`query\`.

Each has one connection and makes one call after the other. They take turns at every operation in every round, in an order that changes from
round to round. The first rounds do not count, and a figure is the median of the others. The tables hold a thousand sessions of a hundred users
at the start. SQLite is a file in WAL mode.`

const noise = `Absolute figures depend on the machine and the day, with the servers on the same machine and not waiting for the disk. Compare the figures of
one row: they were measured within the same seconds. Ratios differ by about a tenth between two runs, and by more if the machine is busy;
p99 suffers first.`

const repeat = `\`\`\`sh
npm run bench                                # everything, about 15 minutes
npm run bench -- --check                     # the ratios that must hold; fails if one does not in three tries
npm run bench -- --dialects sqlite,pg        # some of sqlite, pg, mariadb, mysql
npm run bench -- --only growth               # some of operations, concurrency, growth, memory, secrets
npm run bench -- --quick                     # a few calls, to test the benchmark itself
\`\`\`

The benchmark starts the servers that it needs, as the tests do, and removes them at the end. Only a complete run writes these pages; any other
writes to \`.tmp/bench\`.`

function machineOf(machine: Results['machine'], databases: Results['databases']): string {
  const { cpu, cores, memoryGigabytes, system, node, date, packages } = machine
  const servers = databaseNames.flatMap((name) => {
    const version = databases[name]?.version
    return version ? [`${databaseTitles[name]} ${version} (${drivers[dialectOf[name]]})`] : []
  })
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  return [
    `- ${cpu}, ${cores} cores, ${memoryGigabytes} GB, ${system}`,
    `- Node ${node.replace('v', '')}`,
    `- ${servers.join(', ')}`,
    `- ${versions.join(', ')}`,
    `- ${date}`,
  ].join('\n')
}
