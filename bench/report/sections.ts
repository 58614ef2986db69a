import type { ContenderName, OperationName } from '../contenders/contender.js'
import { contenderNames, contenderTitles, wholeContenders } from '../contenders/contender.js'
import type { DatabaseName } from '../databases.js'
import { databaseTitles } from '../databases.js'
import type { DatabaseResults, Growth, Loads, Making, Memory, OperationTimes, Trips } from '../results.js'
import { microseconds, table, times } from './tables.js'

/** The databases of a run that have the results that a section shows. */
export type Found<Key extends keyof DatabaseResults> = [DatabaseName, NonNullable<DatabaseResults[Key]>][]

const titles = contenderNames.map((name) => contenderTitles[name])

// These return the row that they wrote or deleted, which the official adapter does not.
const returningRow: OperationName[] = ['linkAccount', 'unlinkAccount', 'deleteSession', 'deleteUser']

export function sessionTable(all: Found<'session'>): string {
  const head = ['microseconds', ...titles, 'faster than the official adapter', "cost compared to Drizzle's query"]
  const rows = all.map(([name, own]) => {
    const ratios = [times(own.official, own.ours), times(own.ours, own.drizzle)]
    return [databaseTitles[name], ...contenderNames.map((contender) => microseconds(own[contender])), ...ratios]
  })
  return table(head, rows)
}

export function operationsTable(operations: OperationTimes, trips: Trips): string {
  const rows = Object.entries(operations).map(([name, own]) => {
    const { ours, official } = trips[name as OperationName] ?? {}
    const cells = wholeContenders.map((contender) => microseconds(own[contender]))
    return [`\`${name}\``, ...cells, times(own.official, own.ours), times(own.ours, own.hand), `${ours} / ${official}`]
  })
  const titles = wholeContenders.map((contender) => contenderTitles[contender])
  return table(['microseconds', ...titles, 'faster than official', 'cost to hand-written', 'statements, ours / official'], rows)
}

/** How many times as fast as the official adapter each operation is on each database. */
export function speedTable(all: Found<'operations'>): string {
  const names = Object.keys(all[0]?.[1] ?? {}) as OperationName[]
  const rows = names.map((name) => [
    `\`${name}\``,
    ...all.map(([, operations]) => times(operations[name]?.official, operations[name]?.ours)),
  ])
  return table(['times as fast', ...all.map(([name]) => databaseTitles[name])], rows)
}

/** A sentence about the operations that are not faster than those of the official adapter, and the reason. */
export function slowerThanOfficial(operations: OperationTimes, trips: Trips): string {
  const slower = (Object.keys(operations) as OperationName[]).filter((name) => {
    const { ours = 0, official = 0 } = operations[name] ?? {}
    return ours >= official
  })
  if (slower.length === 0) return 'Every operation is faster than that of the official adapter.'
  const reasons = slower.map((name) => {
    const { ours = 0, official = 0 } = trips[name] ?? {}
    const why = returningRow.includes(name) ? ', which returns the row' : ''
    return `\`${name}\`${why}${ours > official ? `: ${ours} statements, not ${official}` : ''}`
  })
  return `Not faster than the official adapter: ${reasons.join('; ')}.`
}

export function makingTable(all: [DatabaseName, Making][]): string {
  const rows = all.flatMap(([name, { make, makeAndCall }]) => {
    const row = (title: string, own: Making['make']) => [title, ...contenderNames.map((contender) => microseconds(own[contender]))]
    return [row(`${databaseTitles[name]}: making an adapter`, make), row('making one, and its first `getSessionAndUser`', makeAndCall)]
  })
  return table(['microseconds', ...titles], rows)
}

export function secretsTable(all: Found<'secrets'>): string {
  const rows = all.map(([name, { plain, hashed, first }]) => [
    databaseTitles[name],
    microseconds(plain),
    microseconds(hashed),
    times(hashed, plain),
    microseconds(first),
  ])
  return table(['microseconds', 'plain', 'hashed', 'times', 'hashed, first request'], rows)
}

export function concurrencyTable(loads: Loads): string {
  const rows = (Object.entries(loads) as [ContenderName, NonNullable<Loads['ours']>][]).flatMap(([name, own]) =>
    own.map(({ inFlight, perSecond, p50, p99 }) => [
      contenderTitles[name],
      String(inFlight),
      Math.round(perSecond).toLocaleString('en'),
      p50.toFixed(2),
      p99.toFixed(2),
    ]),
  )
  return table(['', 'in flight', 'calls a second', 'p50, ms', 'p99, ms'], rows)
}

export function growthTable(all: [DatabaseName, Growth][]): string {
  const sessions = all[0]?.[1].sessions ?? []
  const rows = all.flatMap(([database, growth]) =>
    Object.entries(growth.times).flatMap(([operation, own]) =>
      (Object.entries(own) as [ContenderName, number[]][]).map(([name, values]) => [
        `${databaseTitles[database]}: \`${operation}\``,
        contenderTitles[name],
        ...values.map(microseconds),
        times(values.at(-1), values[0]),
      ]),
    ),
  )
  return table(['microseconds', '', ...sessions.map((count) => count.toLocaleString('en')), 'last / first'], rows)
}

export function memorySentence(memory: Memory): string {
  const [first, last] = [memory[0], memory.at(-1)]
  if (!first || !last) return ''
  return `The heap held ${first.heap.toFixed(1)} MB before, and ${last.heap.toFixed(1)} MB after ${last.operations.toLocaleString('en')} operations.`
}
