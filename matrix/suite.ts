import type { Adapter, AdapterOptions } from '../src/index.js'
import { DrizzleAdapter } from '../src/index.js'
import type { Topic } from '../src/testing/index.js'
import { casesFor } from '../src/testing/index.js'
import { extensions, operations, seedPerson } from '../test/support/operations.js'
import { roundTrips } from '../test/support/trips.js'
import type { Open, Opened, Outcome, Setting } from './setting.js'

/** The task of a cell, which the runner sends as JSON. */
export interface Task extends Omit<Setting, 'logger' | 'bindings'> {
  dialect: 'pg' | 'mysql' | 'sqlite'
  options: AdapterOptions
  /** Topics of the contract that are left out for these tables. */
  without: Topic[]
  /** The round trips that the driver needs for one statement. */
  tripsPerStatement: number
  runtime: string
}

type Tables = Parameters<typeof DrizzleAdapter>[1]

const caseTimeout = 60_000

/** Runs the contract, and then counts round trips. It uses no module of Node.js, because it also runs in a Worker. */
export async function runSuite(
  task: Task,
  open: Open,
  tables: object,
  bindings: Record<string, unknown>,
  proxy?: CountingProxy,
): Promise<Outcome> {
  const noLog = { logQuery() {} }
  const failures = await contractFailures(await open({ ...task, file: `${task.file}contract`, bindings, logger: noLog }), tables, task)
  let statements = 0
  // Only sql.js logs the statements that begin and end a transaction, so they are not counted.
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

// The database can be of any driver, so its type is not known here.
const adapterOf = ({ db }: Opened, tables: object, { options }: Task) => DrizzleAdapter(db as never, tables as Tables, options) as Adapter

async function contractFailures(opened: Opened, tables: object, task: Task): Promise<Pick<Outcome, 'total' | 'failures'>> {
  try {
    const adapter = adapterOf(opened, tables, task)
    const cases = casesFor(adapter).filter(({ topic }) => !task.without.includes(topic))
    const failures: Outcome['failures'] = []
    for (const { name, run } of cases) {
      await withTimeout(run(adapter)).catch((error) => failures.push({ name, error: String(error?.message ?? error) }))
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
      await withTimeout(Promise.resolve(operation.run(adapter, person)))
      const counted = trips() - before
      const expected = roundTrips[name as keyof Adapter][task.dialect] * task.tripsPerStatement
      // Fewer are allowed, because some drivers send several statements together.
      if (counted > expected) excess[name] = { counted, expected }
    }
    return excess
  } finally {
    await opened.close()
  }
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${caseTimeout / 1000} s`)), caseTimeout)
  })
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}
