import { table } from '../../test/support/table.js'
import type { Results, Run } from '../cluster/results.js'
import type { TrafficResult } from '../cluster/traffic.js'

const grouped = (count: number) => Math.round(count).toLocaleString('en')
const seconds = (time: number) => `${time.toFixed(1)} s`

function errorsOf({ faults }: TrafficResult): string {
  const count = Object.values(faults).reduce((sum, number) => sum + number, 0)
  const kinds = [...new Set(Object.keys(faults).map((fault) => fault.split(' ')[0]))]
  return count === 0 ? 'none' : `${grouped(count)} (${kinds.map((kind) => `\`${kind}\``).join(', ')})`
}

function runOf({ machine: { date, cpu, cores, memoryGigabytes, node }, loadAverage }: Run): string {
  return `${date}, ${cpu}, ${cores} cores, ${memoryGigabytes} GB, Node.js ${node}, a load average of ${loadAverage.toFixed(1)} before the run`
}

/** The results in docs/many-machines.md. */
export function clusterResults({ galera, postgres, rqlite, libsql }: Results): string {
  const { tokens, signUps, stale } = galera
  const races = [
    { name: 'by default', race: tokens.byDefault },
    { name: '`wsrep_sync_wait = 7`', race: tokens.waiting },
  ].map(({ name, race }) => [
    `Galera ${galera.version.split('-')[0]}, three nodes, ${name}: ${race.tokens} verification tokens`,
    `${race.asks} times each, at once`,
    race.winners,
    race.errors,
  ])
  const signUpRow = [
    `the same nodes: sign-ups of ${signUps.emails} emails`,
    `${signUps.asks} times each, at once`,
    signUps.users,
    `${signUps.errors}; the others get \`duplicate\``,
  ]
  const traffic = (name: string, result: TrafficResult, gone: number) => [
    name,
    `${result.seconds} s`,
    grouped(result.calls),
    grouped(result.rows),
    seconds(gone),
    errorsOf(result),
    result.wrong,
  ]
  const killed = [
    traffic('a Galera node of three; it rejoins', galera.traffic, galera.traffic.downSeconds),
    traffic(
      `the primary of PostgreSQL ${postgres.version.split(' ')[0]}; its synchronous replica is promoted`,
      postgres.failover,
      postgres.failover.promotedAfterSeconds,
    ),
    traffic(`the leader of three rqlite ${rqlite.version} nodes; it rejoins`, rqlite.traffic, rqlite.traffic.leaderlessSeconds),
    traffic("libSQL's primary; it is started again", libsql.traffic, libsql.traffic.downSeconds),
  ]
  const staleReads = [
    [`Galera by default: ${stale.hops} people, each step on the next node`, stale.byDefault],
    ['Galera with `wsrep_sync_wait = 1`, which waits before reads alone', stale.readsOnly],
    ['Galera with `wsrep_sync_wait = 7`', stale.waiting],
    [
      `PostgreSQL, \`withReplicas\`, the replica ${postgres.lag.seconds} s behind: ${postgres.lag.revoked} revoked sessions read through the same \`db\``,
      postgres.lag.staleOnReplica,
    ],
    ['the same, through the adapter', postgres.lag.seenByAdapter],
    [`rqlite at level \`none\`: ${rqlite.stale.hops} reads on the next node`, rqlite.stale.none],
    ['rqlite at level `strong`', rqlite.stale.strong],
    [`libSQL: ${libsql.stale.reads} deleted sessions, asked for on the replica`, libsql.stale.throughReplica],
    ['the same, through an adapter with `withReplicas`', libsql.stale.adapter],
  ]
  return [
    'All servers run on one machine. Repeat it with `npm run lab cluster -- --write`, which takes about nine minutes. The numbers are in `lab/results/cluster.json`.',
    Object.entries({ Galera: galera, PostgreSQL: postgres, rqlite, libSQL: libsql })
      .map(([name, { run }]) => `- ${name}: ${runOf(run)}`)
      .join('\n'),
    '### Races',
    table(['what', 'asked for', 'got it', 'errors'], [...races, signUpRow]),
    '### Servers killed under traffic',
    'People sign up from all machines at once, link accounts, read and change sessions, race for links and sign out. Each acknowledged write is looked for afterwards on every node that is left.',
    table(
      [
        'what was killed with `kill -9`',
        'traffic',
        'calls',
        'rows at the end',
        'gone for',
        'errors that callers saw',
        'acknowledged and lost, on all nodes',
      ],
      killed,
    ),
    '### Reading what another machine just wrote',
    table(['what', 'too old'], staleReads),
    `The contract suite passes on three rqlite nodes with the leader killed half-way: ${rqlite.contract.passed} of ${rqlite.contract.cases} cases, of which ${rqlite.contract.again} had lost their connection and were run again. On libSQL's primary ${libsql.contract.passed} of ${libsql.contract.cases} pass; through its replica alone, ${libsql.contract.throughReplica}.`,
  ].join('\n\n')
}
