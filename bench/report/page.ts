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
} from './sections.js'

/** The page of the documentation. */
export function writePage({ machine, databases }: Results): string {
  const having = <Key extends keyof DatabaseResults>(key: Key): Found<Key> =>
    databaseNames.flatMap((name) => {
      const found = databases[name]?.[key]
      return found ? [[name, found as NonNullable<DatabaseResults[Key]>] as const] : []
    }) as Found<Key>
  const operations = having('operations')
  const making = having('making')
  const concurrency = having('concurrency')
  const growth = having('growth')
  const memory = having('memory')[0]?.[1]
  const secrets = having('secrets')
  const chart = (name: string, title: string) => `![${title}](benchmarks/${name}.svg)`

  const parts = [
    '# Benchmarks',
    'This page is written by `npm run bench`; its numbers are in [bench/results.json](../bench/results.json).',
    compared,
  ]
  if (operations.length > 0) {
    parts.push('## Every request of a signed-in user', chart('session', 'getSessionAndUser'), sessionTable(operations), reach)
    parts.push('## Every operation', statements)
    for (const [name, times] of operations) {
      const trips = databases[name]?.trips ?? {}
      parts.push(`### ${databaseTitles[name]}`, chart(`operations-${name}`, `Every operation on ${databaseTitles[name]}`))
      parts.push(operationsTable(times, trips), slowerThanOfficial(times, trips))
    }
  }
  if (making.length > 0) parts.push('## Making an adapter', keep, makingTable(making))
  if (secrets.length > 0) parts.push('## With hashed sessions', hashing, secretsTable(secrets))
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
  parts.push('## The machine', machineOf(machine, databases), noise, '## Repeat it', repeat)
  return `${parts.join('\n\n')}\n`
}

const compared = `Four ways to the same end, in one run, on the same server:

- **drizzle-auth-adapter**: this package as it is published, on its default tables.
- **@auth/drizzle-adapter**: on its own default tables, in a database of its own.
- **@auth/kysely-adapter**: on tables with the names that it asks for. It has no \`getAccount\` and no authenticators. On PostgreSQL it
  uses node-postgres, since Kysely itself has no dialect for postgres.js; all others use postgres.js.
- **hand-written**: plain driver code on the same tables as this package, giving back the same objects. better-sqlite3 with statements
  prepared once; postgres.js, which prepares by itself; mysql2 with \`execute\`, which is faster there than \`query\`.

SQLite is a file in WAL mode. Each has one connection and makes one call after the other. They take turns at every operation in every round, in an order that changes
from round to round, and the first rounds do not count. A number is the median of the rounds. The tables hold a thousand sessions of a
hundred users before the first call; larger ones are [below](#as-the-tables-grow).`

const reach = `All but SQLite wait for a round trip to the server, and nothing makes that faster. The last column says how much there is to win.
In this run \`getSessionAndUser\` takes turns with all other operations. \`npm run bench -- --check\` measures it alone, after more calls, and fails where a limit is not kept.`

const statements = `The last column counts the SQL statements that an operation sends, one after the other. \`linkAccount\`, \`unlinkAccount\`,
\`deleteSession\` and \`deleteUser\` give back the row, which the official adapter does not; MySQL and MariaDB need a statement more for that.
\`deleteUser\` also deletes what belongs to the user, because foreign keys may be missing; the others leave that to the
foreign keys.`

const keep = 'An adapter builds each statement at its first use. One that is kept, as a constant of a module, does that once.'

const hashing = `\`getSessionAndUser\` of one adapter without and one with [\`sessionTokens: 'hashed'\`](secrets.md), in turns on the same table. SHA-256 is
asked of WebCrypto, which works in another thread; most of the difference is the way there and back.`

const load = `So many calls of \`getSessionAndUser\` at any time, over ${connections} connections at most; SQLite has one, which works in the same thread.`

const grow = `Three copies of the tables, with ten sessions and one passkey for each user, take turns as above. A session is looked up by a random
token; \`deleteUser\` removes a user with ten sessions.`

const heap = 'All operations in turn on SQLite, through an adapter that is made anew for every 475 of them.'

const noise = `Absolute numbers are those of this machine on that day, with the servers on the same machine and told not to wait for the disk. What
can be compared is what stands in one row: it was measured within the same seconds. Ratios of two runs differ by a tenth or so, and by
more where something else runs at the same time; p99 is the first to suffer.`

const repeat = `\`\`\`sh
npm run bench                                # everything, about 15 minutes
npm run bench -- --check                     # only the ratios of the first table; fails where one is not met in three tries
npm run bench -- --dialects sqlite,pg        # some of sqlite, pg, mariadb, mysql
npm run bench -- --only growth               # some of operations, concurrency, growth, memory, secrets
npm run bench -- --quick                     # a few calls, to try the benchmark itself
\`\`\`

It starts the servers that it needs as the tests do, and removes them at the end. Only a whole run writes this page; any other writes to
\`.tmp/bench\`.`

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
