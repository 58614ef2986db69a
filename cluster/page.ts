import type { Results } from './results.js'
import type { TrafficResult } from './traffic.js'

const grouped = (count: number) => Math.round(count).toLocaleString('en')
const seconds = (time: number) => `${time.toFixed(1)} s`
const milliseconds = (time: number) => `${time < 10 ? time.toFixed(1) : Math.round(time)} ms`
const row = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`

function errorsOf({ faults }: TrafficResult): string {
  const count = Object.values(faults).reduce((sum, number) => sum + number, 0)
  const kinds = [...new Set(Object.keys(faults).map((fault) => fault.split(' ')[0]))]
  return count === 0 ? 'none' : `${grouped(count)} (${kinds.map((kind) => `\`${kind}\``).join(', ')})`
}

/** The results as they stand in the documentation. */
export function resultsText({ machine, loadAverage, minutes, galera, postgres, rqlite, libsql, load }: Results): string {
  const { byDefault, waiting } = galera.tokens
  const traffic = (name: string, result: TrafficResult, gone: string) =>
    row(name, `${result.seconds} s`, grouped(result.calls), grouped(result.rows), gone, errorsOf(result), result.wrong)
  return [
    '',
    `Run on ${machine.date}: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGigabytes} GB, Node.js ${machine.node}, a load average of ${loadAverage.toFixed(1)} before the run; all servers on that one machine. Repeat it with \`npm run test:cluster -- --write\` (${Math.ceil(minutes)} minutes). The numbers are in \`cluster/results.json\`.`,
    '',
    '### Races',
    '',
    row('what', 'asked for', 'got it', 'errors'),
    row('---', '---', '---', '---'),
    ...[
      { name: 'by default', race: byDefault },
      { name: '`wsrep_sync_wait = 7`', race: waiting },
    ].map(({ name, race }) =>
      row(
        `Galera ${galera.version.split('-')[0]}, three nodes, ${name}: ${race.tokens} verification tokens`,
        `${race.asks} times each, at once`,
        race.winners,
        race.errors,
      ),
    ),
    row(
      `the same nodes: sign-ups of ${galera.signUps.emails} emails`,
      `${galera.signUps.asks} times each, at once`,
      galera.signUps.users,
      `${galera.signUps.errors}; the others get \`duplicate\``,
    ),
    '',
    '### Servers killed under traffic',
    '',
    'People sign up from all machines at once, link accounts, read and change sessions, race for links and sign out. Each acknowledged write is looked for afterwards on every node that is left.',
    '',
    row(
      'what was killed with `kill -9`',
      'traffic',
      'calls',
      'rows at the end',
      'gone for',
      'errors that callers saw',
      'acknowledged and lost, on all nodes',
    ),
    row('---', '---', '---', '---', '---', '---', '---'),
    traffic(`a Galera node of three; it rejoins`, galera.traffic, seconds(galera.traffic.downSeconds)),
    traffic(
      `the primary of PostgreSQL ${postgres.version.split(' ')[0]}; its synchronous replica is promoted`,
      postgres.failover,
      seconds(postgres.failover.promotedAfterSeconds),
    ),
    traffic(`the leader of three rqlite ${rqlite.version} nodes; it rejoins`, rqlite.traffic, seconds(rqlite.traffic.leaderlessSeconds)),
    traffic(`libSQL's primary; it is started again`, libsql.traffic, seconds(libsql.traffic.downSeconds)),
    '',
    '### Reading what another machine just wrote',
    '',
    row('what', 'too old'),
    row('---', '---'),
    row(`Galera by default: ${galera.stale.hops} people, each step on the next node`, galera.stale.byDefault),
    row('Galera with `wsrep_sync_wait = 1`, which waits before reads alone', galera.stale.readsOnly),
    row('Galera with `wsrep_sync_wait = 7`', galera.stale.waiting),
    row(
      `PostgreSQL, \`withReplicas\`, the replica ${postgres.lag.seconds} s behind: ${postgres.lag.revoked} revoked sessions read through the same \`db\``,
      postgres.lag.staleOnReplica,
    ),
    row('the same, through the adapter', postgres.lag.seenByAdapter),
    row(`rqlite at level \`none\`: ${rqlite.stale.hops} reads on the next node`, rqlite.stale.none),
    row('rqlite at level `strong`', rqlite.stale.strong),
    row(`libSQL: ${libsql.stale.reads} deleted sessions, asked for on the replica`, libsql.stale.throughReplica),
    row('the same, through an adapter with `withReplicas`', libsql.stale.adapter),
    '',
    `The contract's ${rqlite.contract.cases} cases hold on three rqlite nodes with the leader killed half-way (${rqlite.contract.again} had lost their connection and were run again), and on libSQL's primary. Through libSQL's replica alone ${libsql.contract.throughReplica} of them hold.`,
    '',
    '### Load',
    '',
    `${Object.values(load)[0]?.clients} clients in flight, 95 reads to 5 writes, ${Object.values(load)[0]?.seconds} seconds for the adapter and half of that for hand-written code on the same driver, in turns.`,
    '',
    row('database', 'adapter', 'by hand', 'p99 adapter', 'p99 by hand', 'errors', 'heap at first → at the end'),
    row('---', '---', '---', '---', '---', '---', '---'),
    ...Object.entries(load).map(([name, { version, processes, ours, hand, heap }]) =>
      row(
        `${name} ${version.split(/[ -]/)[0]}${processes > 1 ? `, one file, ${processes} processes` : ''}`,
        `${grouped(ours.perSecond)}/s`,
        `${grouped(hand.perSecond)}/s`,
        milliseconds(ours.p99),
        milliseconds(hand.p99),
        ours.errors + hand.errors,
        `${heap[1]?.toFixed(1)} → ${heap.at(-1)?.toFixed(1)} MB`,
      ),
    ),
    '',
    '',
  ].join('\n')
}
