import type { Adapter, AdapterOptions } from '../src/index.js'
import { DrizzleAdapter } from '../src/index.js'
import type { Topic } from '../src/testing/index.js'
import { casesFor } from '../src/testing/index.js'
import { extensions, operations, seedPerson } from '../test/helpers/operations.js'
import { roundTrips } from '../test/helpers/trips.js'
import type { Open, Opened, Outcome, Setting } from './setting.js'

/** What the runner tells a cell, as JSON. */
export interface Task extends Omit<Setting, 'logger' | 'bindings'> {
  dialect: 'pg' | 'mysql' | 'sqlite'
  options: AdapterOptions
  /** Topics that these tables are not asked about. */
  without: Topic[]
  /** Round trips that the driver takes for one statement. */
  tripsPerStatement: number
  runtime: string
}

type Tables = Parameters<typeof DrizzleAdapter>[1]

const patience = 60_000

/** Runs the contract, then counts round trips. Nothing here belongs to one runtime: it runs in a Worker, too. */
export async function runSuite(
  task: Task,
  open: Open,
  tables: object,
  bindings: Record<string, unknown>,
  proxy?: CountingProxy,
): Promise<Outcome> {
  const silent = { logQuery() {} }
  const failures = await contractFailures(await open({ ...task, file: `${task.file}contract`, bindings, logger: silent }), tables, task)
  let statements = 0
  // Only sql.js logs what begins and ends a transaction.
  const counting = { logQuery: (query: string) => void (/^(begin|commit)/i.test(query) || statements++) }
  const single = { ...task, file: `${task.file}trips`, bindings, logger: counting, connections: 1 }
  const opened = await open({ ...single, url: proxy?.url ?? task.url })
  const trips = opened.trips ?? proxy?.trips ?? (() => statements)
  const excess = await excessTrips(opened, tables, task, trips)
  return { runtime: task.runtime, ...failures, excess }
}

interface CountingProxy {
  url: string
  trips(): number
}

// Drizzle's types of a database are not known here, where any driver's comes by.
const adapterOf = ({ db }: Opened, tables: object, { options }: Task) => DrizzleAdapter(db as never, tables as Tables, options) as Adapter

async function contractFailures(opened: Opened, tables: object, task: Task): Promise<Pick<Outcome, 'total' | 'failures'>> {
  try {
    const adapter = adapterOf(opened, tables, task)
    const cases = casesFor(adapter).filter(({ topic }) => !task.without.includes(topic))
    const failures: Outcome['failures'] = []
    for (const { name, run } of cases) {
      await within(run(adapter)).catch((error) => failures.push({ name, error: String(error?.message ?? error) }))
    }
    return { total: cases.length, failures }
  } finally {
    await opened.close()
  }
}

async function excessTrips(opened: Opened, tables: object, task: Task, trips: () => number): Promise<Outcome['excess']> {
  try {
    const adapter = adapterOf(opened, tables, task)
    const excess: Outcome['excess'] = {}
    for (const [name, operation] of Object.entries({ ...operations, ...extensions })) {
      // In the first call, the driver may prepare the statement. Only later calls are counted.
      await operation.run(adapter, await seedPerson(adapter, operation))
      const person = await seedPerson(adapter, operation)
      const before = trips()
      await within(Promise.resolve(operation.run(adapter, person)))
      const counted = trips() - before
      const expected = roundTrips[name as keyof Adapter][task.dialect] * task.tripsPerStatement
      // Some drivers send several statements together.
      if (counted > expected) excess[name] = { counted, expected }
    }
    return excess
  } finally {
    await opened.close()
  }
}

function within<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patience / 1000} s`)), patience)
  })
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}
