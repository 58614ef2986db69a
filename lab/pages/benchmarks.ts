import type { Product } from '../../test/support/products.js'
import { dialectOf, products, titleOf } from '../../test/support/products.js'
import { table } from '../../test/support/table.js'
import type { BetterAuthName, ContenderName, OperationName } from '../bench/contenders/contender.js'
import { betterAuthTitles, contenderNames, contenderTitles, wholeContenders } from '../bench/contenders/contender.js'
import type { BetterAuthTimes, DatabaseResults, Loads, OperationTimes, Results, Times, Trips } from '../bench/results.js'
import { connections } from '../bench/results.js'
import { barChart } from './chart.js'

/** The results of a complete run, in the order of the databases. */
type Database = { product: Product; title: string } & Required<Omit<DatabaseResults, 'memory' | 'cpu'>> & Pick<DatabaseResults, 'cpu'>

const betterAuthNames = Object.keys(betterAuthTitles) as BetterAuthName[]
const titles = contenderNames.map((name) => contenderTitles[name])
const numbers = (head: string[], rows: string[][]) => table(head, rows, { numbers: true })
const joined = (parts: string[]) => `${parts.join('\n\n')}\n`

/** A number of microseconds, or a dash if there is none. */
const microseconds = (time: number | undefined) =>
  time === undefined ? '–' : time.toLocaleString('en', { maximumFractionDigits: time < 100 ? 1 : 0 })

/** The ratio of two numbers, or a dash if one is missing. */
const times = (one: number | undefined, other: number | undefined) =>
  one === undefined || other === undefined ? '–' : (one / other).toFixed(one / other < 10 ? 2 : 1)

/** The pages of the benchmarks by their paths: a summary with a chart, and all figures. */
export function benchmarkPages(results: Results): Record<string, string> {
  const all = products.map((product) => {
    const database = results[product]
    // Results that were recorded before the phase `session` have this figure among the operations only.
    return { product, title: titleOf[product], session: database?.operations?.getSessionAndUser, ...database }
  }) as Database[]
  const unit = 'microseconds a call, one connection; shorter is better'
  return {
    'docs/benchmarks.md': summaryPage(results, all),
    'lab/results/benchmarks.md': detailsPage(results, all),
    'docs/benchmarks/session.svg': barChart(
      'getSessionAndUser',
      unit,
      all.map(({ title, session }) => [title, session]),
    ),
  }
}

function summaryPage({ machine }: Results, all: Database[]): string {
  const names = Object.keys(all[0]?.operations ?? {}) as OperationName[]
  const sessionRows = all.map(({ title, session }) => [
    title,
    ...contenderNames.map((contender) => microseconds(session[contender])),
    times(session.official, session.ours),
    times(session.ours, session.drizzle),
  ])
  const speedRows = names.map((name) => [
    `\`${name}\``,
    ...all.map(({ operations }) => times(operations[name]?.official, operations[name]?.ours)),
  ])
  const secretRows = all.map(({ title, secrets: { plain, hashed, first } }) => [
    title,
    microseconds(plain),
    microseconds(hashed),
    times(hashed, plain),
    microseconds(first),
  ])
  const betterAuthRows = all.map(({ title, betterAuth: { session } }) => {
    const cells = betterAuthNames.map((name) => microseconds(session[name]))
    return [title, ...cells, times(session.official, session.ours), microseconds(session.layer), microseconds(session.authjs)]
  })
  return joined([
    '# Benchmarks',
    summary,
    '## Reading a session',
    '![getSessionAndUser](benchmarks/session.svg)',
    numbers(['microseconds', ...titles, 'faster than @auth/drizzle-adapter', "cost compared to Drizzle's query"], sessionRows),
    reach,
    ...cpuSection(all),
    '## Every operation, beside @auth/drizzle-adapter',
    speed,
    numbers(['times as fast', ...all.map(({ title }) => title)], speedRows),
    '## With Better Auth',
    betterAuthText,
    numbers(
      [
        'microseconds',
        ...Object.values(betterAuthTitles),
        'faster than its Drizzle adapter',
        'Better Auth alone',
        '`getSessionAndUser` for Auth.js',
      ],
      betterAuthRows,
    ),
    '## With hashed sessions',
    hashing,
    numbers(['microseconds', 'plain', 'hashed', 'times', 'hashed, first request'], secretRows),
    '## How it was measured',
    compared,
    machineOf(machine, all),
    noise,
    '## Run it yourself',
    repeat,
  ])
}

/** Results that were recorded before the phase `cpu` have no such section. */
function cpuSection(all: Database[]): string[] {
  const rows = all.flatMap(({ title, cpu }) =>
    cpu ? [[title, times(cpu.session.ours, cpu.session.drizzle), times(cpu.perRequest.ours, cpu.perRequest.official)]] : [],
  )
  const head = ['times the CPU time', "of Drizzle's own prepared query", 'of @auth/drizzle-adapter, with an adapter per request']
  return rows.length > 0 ? ['### CPU time', cpuText, numbers(head, rows)] : []
}

function detailsPage({ sqlite }: Results, all: Database[]): string {
  const makingRows = all.flatMap(({ title, making: { make, makeAndCall } }) => {
    const row = (name: string, own: Times) => [name, ...contenderNames.map((contender) => microseconds(own[contender]))]
    return [row(`${title}: making an adapter`, make), row('making one, and its first `getSessionAndUser`', makeAndCall)]
  })
  return joined([
    '# Benchmarks: all figures',
    details,
    '## Every operation',
    statements,
    ...all.flatMap(({ title, operations, trips }) => [
      `### ${title}`,
      operationsTable(operations, trips),
      slowerThanOfficial(operations, trips),
    ]),
    '## With Better Auth',
    betterAuthDetails,
    ...all.flatMap(({ title, betterAuth }) => [`### ${title} with Better Auth`, betterAuthTable(betterAuth.operations)]),
    '## Creating an adapter',
    keep,
    numbers(['microseconds', ...titles], makingRows),
    '## Under load',
    load,
    ...all.flatMap(({ title, concurrency }) => [`### ${title} under load`, concurrencyTable(concurrency)]),
    '## As the tables grow',
    grow,
    growthTable(all),
    '## Memory',
    memorySentence(sqlite?.memory ?? []),
    heap,
  ])
}

function operationsTable(operations: OperationTimes, trips: Trips): string {
  const rows = Object.entries(operations).map(([name, own]) => {
    const { ours, official } = trips[name as OperationName] ?? {}
    const cells = wholeContenders.map((contender) => microseconds(own[contender]))
    return [`\`${name}\``, ...cells, times(own.official, own.ours), `${ours} / ${official}`]
  })
  const titles = wholeContenders.map((contender) => contenderTitles[contender])
  return numbers(['microseconds', ...titles, 'faster than @auth/drizzle-adapter', 'statements, ours / theirs'], rows)
}

// These return the row that they wrote or deleted, which @auth/drizzle-adapter does not.
const returningRow: OperationName[] = ['linkAccount', 'unlinkAccount', 'deleteSession', 'deleteUser']

/** A sentence about the operations that are not faster than those of the official adapter, and the reason. */
function slowerThanOfficial(operations: OperationTimes, trips: Trips): string {
  const slower = (Object.keys(operations) as OperationName[]).filter((name) => {
    const { ours = 0, official = 0 } = operations[name] ?? {}
    return ours >= official
  })
  if (slower.length === 0) return 'Every operation is faster than that of @auth/drizzle-adapter.'
  const reasons = slower.map((name) => {
    const { ours = 0, official = 0 } = trips[name] ?? {}
    const why = returningRow.includes(name) ? ', which returns the row' : ''
    return `\`${name}\`${why}${ours > official ? `: ${ours} statements, not ${official}` : ''}`
  })
  return `Not faster than @auth/drizzle-adapter: ${reasons.join('; ')}.`
}

function betterAuthTable(operations: BetterAuthTimes['operations']): string {
  const rows = Object.entries(operations).map(([name, own]) => [
    name,
    ...betterAuthNames.map((contender) => microseconds(own[contender])),
    times(own.official, own.ours),
  ])
  return numbers(['microseconds', ...Object.values(betterAuthTitles), 'faster than its Drizzle adapter'], rows)
}

function concurrencyTable(loads: Loads): string {
  const rows = (Object.entries(loads) as [ContenderName, NonNullable<Loads['ours']>][]).flatMap(([name, own]) =>
    own.map(({ inFlight, perSecond, p50, p99 }) => [
      contenderTitles[name],
      String(inFlight),
      Math.round(perSecond).toLocaleString('en'),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  )
  return numbers(['', 'in flight', 'calls a second', 'p50, ms', 'p99, ms'], rows)
}

function growthTable(all: Database[]): string {
  const rows = all.flatMap(({ title, growth }) =>
    Object.entries(growth.times).flatMap(([operation, own]) =>
      (Object.entries(own) as [ContenderName, number[]][]).map(([name, values]) => [
        `${title}: \`${operation}\``,
        contenderTitles[name],
        ...values.map(microseconds),
        times(values.at(-1), values[0]),
      ]),
    ),
  )
  const sessions = all[0]?.growth.sessions ?? []
  return numbers(['microseconds', '', ...sessions.map((count) => count.toLocaleString('en')), 'last / first'], rows)
}

function memorySentence(memory: NonNullable<DatabaseResults['memory']>): string {
  const [first, last] = [memory[0], memory.at(-1)]
  return `The heap held ${first?.heap.toFixed(1)} MB before, and ${last?.heap.toFixed(1)} MB after ${last?.operations.toLocaleString('en')} operations.`
}

const summary = `For anyone who wants to know what the adapter costs. Figures are medians of one run. lab/results/benchmarks.md in the repository has every
operation on every database, and what happens under load and as the tables grow.`

const details = `For anyone who wants more than [the summary](../../docs/benchmarks.md), which also says how these figures were measured. \`npm run lab bench\` measures
them again.`

const speed = `How many times as fast as \`@auth/drizzle-adapter\` each operation is. \`linkAccount\`, \`unlinkAccount\`, \`deleteSession\` and \`deleteUser\`
return the row, which @auth/drizzle-adapter does not; MySQL and MariaDB need one more statement for that. \`deleteUser\` also deletes
everything that belongs to the user where foreign keys are missing.`

const betterAuthText = `A session with its user, read through [Better Auth](better-auth.md). Joins are on for all, except for Better Auth's Drizzle adapter on
MariaDB: there they need LATERAL, which MariaDB does not have. The last two columns were measured in turns with the others. *Better Auth
alone* is what its own layer takes to convert a row that is in memory already, whichever adapter is below it. *\`getSessionAndUser\` for
Auth.js* is the same lookup in our other adapter, with half as many columns.`

const betterAuthDetails = `The same calls of Better Auth's adapter interface, on each adapter's own tables. On MariaDB and MySQL, \`update\` and
\`incrementOne\` change one row and return it, whatever else changes at the same time; the others read the row again by its new values.`

const reach = `Every signed-in request calls \`getSessionAndUser\`. The last column compares it with
Drizzle's own prepared query of the same join. On all databases but SQLite, most of the time is the round trip to the server, which no adapter
can avoid.`

const cpuText = `The CPU time of \`getSessionAndUser\` in the process of the app, without waiting for the server. The first column compares an adapter that
is kept with Drizzle's own prepared query of the same join. The second is for apps that cannot keep anything between requests: a new \`db\` on
the same client, a new adapter and one call, compared with the same of \`@auth/drizzle-adapter\`.`

const statements = `The last column counts the SQL statements that an operation sends one after the other. \`linkAccount\`, \`unlinkAccount\`,
\`deleteSession\` and \`deleteUser\` return the row, which @auth/drizzle-adapter does not; MySQL and MariaDB need one more statement for that.
\`deleteUser\` also deletes everything that belongs to the user, because foreign keys may be missing; the others rely on the foreign keys.`

const keep =
  'An adapter builds each statement when it is first used. If you keep the adapter, for example as a constant of a module, that happens once,\nand a call costs what [the summary](../../docs/benchmarks.md#reading-a-session) shows.'

const hashing = `\`getSessionAndUser\` of an adapter without and one with [\`sessionTokens: 'hashed'\`](secrets.md), taking turns on the same table. WebCrypto
computes SHA-256 in another thread, and the way there and back takes time. The adapter remembers the hashes of the last thousand
tokens, so only the first request of a session waits for it.`

const load = `The number of calls of \`getSessionAndUser\` in flight at a time, over at most ${connections} connections. SQLite has one connection, in the same thread.`

const grow = `Three copies of the tables, with ten sessions and one passkey per user, taking turns. Sessions are looked up by a random token;
\`deleteUser\` deletes a user with ten sessions.`

const heap = 'All operations in turn on SQLite, with a new adapter for every 475 of them.'

const compared = `Five implementations, in one run, on the same server:

- the three adapters with their default tables; on PostgreSQL with postgres.js, Kysely's with node-postgres;
- **Drizzle, prepared**: Drizzle's own prepared query of a session and its user, on the tables of this package;
- **hand-written**: plain driver code on the same tables.

Each has one connection. They take turns at every operation in every round, and a figure is the median. The tables hold a thousand sessions of
a hundred users at the start. SQLite is a file in WAL mode.`

const noise = `Absolute figures depend on the machine and the day, with the servers on the same machine and not waiting for the disk. Compare the figures of
one row: they were measured within the same seconds. Ratios differ by about a tenth between two runs, and by more if the machine is busy;
p99 suffers first.`

const repeat = `\`\`\`sh
npm run lab bench                                # everything, about 25 minutes
npm run lab bench -- --check                     # the ratios that must hold; fails if one does not in three tries
npm run lab bench -- --dialects sqlite,pg        # some of sqlite, pg, mariadb, mysql
npm run lab bench -- --only growth               # some of operations, concurrency, growth, memory, secrets, better-auth
npm run lab bench -- --quick                     # a few calls, to test the benchmark itself
\`\`\`

The benchmark starts the servers that it needs, as the tests do, and removes them at the end. Only a complete run is recorded in
\`lab/results/bench.json\`, from which \`npm run lab pages\` writes these pages; any other writes to \`.tmp/bench.json\`.`

/** The drivers of all contenders, except for Kysely on PostgreSQL, which has no dialect for postgres.js. */
const drivers = { sqlite: 'better-sqlite3', pg: 'postgres', mysql: 'mysql2' }

function machineOf({ cpu, cores, memoryGigabytes, system, node, date, packages }: Results['machine'], all: Database[]): string {
  const servers = all.map(({ product, title, version }) => `${title} ${version} (${drivers[dialectOf[product]]})`)
  const versions = Object.entries(packages).map(([name, version]) => `${name} ${version}`)
  return [
    `- ${cpu}, ${cores} cores, ${memoryGigabytes} GB, ${system}`,
    `- Node ${node.replace('v', '')}`,
    `- ${servers.join(', ')}`,
    `- ${versions.join(', ')}`,
    `- ${date}`,
  ].join('\n')
}
