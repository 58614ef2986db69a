import type { Product } from '../../test/support/products.js'
import { dialectOf, products, titleOf } from '../../test/support/products.js'
import { table } from '../../test/support/table.js'
import type { BetterAuthName, OperationName } from '../bench/contenders/contender.js'
import { betterAuthTitles, contenderNames, contenderTitles } from '../bench/contenders/contender.js'
import type { DatabaseResults, Results } from '../bench/results.js'
import { barChart } from './chart.js'

/** The results of a complete run, in the order of the databases. */
type Database = { product: Product; title: string } & Required<Omit<DatabaseResults, 'cpu'>> & Pick<DatabaseResults, 'cpu'>

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

/** The page of the benchmarks and its chart, by their paths. */
export function benchmarkPages(results: Results): Record<string, string> {
  const all = products.map((product) => {
    const database = results[product]
    // Results that were recorded before the phase `session` have this figure among the operations only.
    return { product, title: titleOf[product], session: database?.operations?.getSessionAndUser, ...database }
  }) as Database[]
  const unit = 'microseconds a call, one connection; shorter is better'
  return {
    'docs/benchmarks.md': summaryPage(results, all),
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

const summary = 'For anyone who wants to know what the adapter costs. Figures are medians of one run.'

const speed = `How many times as fast as \`@auth/drizzle-adapter\` each operation is. \`linkAccount\`, \`unlinkAccount\`, \`deleteSession\` and \`deleteUser\`
return the row, which @auth/drizzle-adapter does not; MySQL and MariaDB need one more statement for that. \`deleteUser\` also deletes
everything that belongs to the user where foreign keys are missing.`

const betterAuthText = `A session with its user, read through [Better Auth](better-auth.md). Joins are on for all, except for Better Auth's Drizzle adapter on
MariaDB: there they need LATERAL, which MariaDB does not have. The last two columns were measured in turns with the others. *Better Auth
alone* is what its own layer takes to convert a row that is in memory already, whichever adapter is below it. *\`getSessionAndUser\` for
Auth.js* is the same lookup in our other adapter, with half as many columns.`

const reach = `Every signed-in request calls \`getSessionAndUser\`. The last column compares it with
Drizzle's own prepared query of the same join. On all databases but SQLite, most of the time is the round trip to the server, which no adapter
can avoid.`

const cpuText = `The CPU time of \`getSessionAndUser\` in the process of the app, without waiting for the server. The first column compares an adapter that
is kept with Drizzle's own prepared query of the same join. The second is for apps that cannot keep anything between requests: a new \`db\` on
the same client, a new adapter and one call, compared with the same of \`@auth/drizzle-adapter\`.`

const hashing = `\`getSessionAndUser\` of an adapter without and one with [\`sessionTokens: 'hashed'\`](secrets.md), taking turns on the same table. WebCrypto
computes SHA-256 in another thread, and the way there and back takes time. The adapter remembers the hashes of the last thousand
tokens, so only the first request of a session waits for it.`

const compared = `Five implementations, in one run, on the same server:

- the three adapters with their default tables; on PostgreSQL with postgres.js, Kysely's with node-postgres;
- **Drizzle, prepared**: Drizzle's own prepared query of a session and its user, on the tables of this package;
- **hand-written**: plain driver code on the same tables.

Each has one connection. They take turns at every operation in every round, and a figure is the median. The tables hold a thousand sessions of
a hundred users at the start. SQLite is a file in WAL mode.`

const noise = `Absolute figures depend on the machine and the day, with the servers on the same machine and not waiting for the disk. Compare the figures of
one row: they were measured within the same seconds. Ratios differ by about a tenth between two runs, and by more if the machine is busy.`

const repeat = `\`\`\`sh
npm run lab bench                                # everything, about 12 minutes
npm run lab bench -- --check                     # the ratios that must hold; fails if one does not in three tries
npm run lab bench -- --dialects sqlite,pg        # some of sqlite, pg, mariadb, mysql
npm run lab bench -- --only secrets              # some of operations, secrets, better-auth
npm run lab bench -- --quick                     # a few calls, to test the benchmark itself
\`\`\`

The benchmark starts the servers that it needs, as the tests do, and removes them at the end. Only a complete run is recorded in
\`lab/results/bench.json\`, from which \`npm run lab pages\` writes this page; any other writes to \`.tmp/bench.json\`.`

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
