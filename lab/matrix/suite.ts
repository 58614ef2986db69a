import { drizzleAdapter } from '../../src/better-auth/index.js'
import type { Adapter, AdapterOptions } from '../../src/index.js'
import { DrizzleAdapter } from '../../src/index.js'
import type { Topic } from '../../src/testing/index.js'
import { betterAuthCaseOptions, betterAuthCases, casesFor } from '../../src/testing/index.js'
import { extensions, operations, seedPerson } from '../../test/support/operations.js'
import { roundTrips } from '../../test/support/trips.js'
import type { Open, Opened, Outcome, Setting } from './setting.js'

/** The task of a cell, which the runner sends as JSON. */
export interface Task extends Omit<Setting, 'logger' | 'bindings'> {
  /** Whose tables the database has. */
  suite: keyof Tables
  dialect: 'pg' | 'mysql' | 'sqlite'
  options: AdapterOptions
  /** Topics of the contract that are left out for these tables. */
  without: Topic[]
  /** The round trips that the driver needs for one statement. */
  tripsPerStatement: number
  runtime: string
}

/** The tables of the contract, and those that the cases of Better Auth need. */
export interface Tables {
  contract: object
  betterAuth: object
}

const caseTimeout = 60_000

/** Runs the contract and counts round trips, or runs the cases of Better Auth. It uses no module of Node.js, because it also runs in a Worker. */
export async function runSuite(
  task: Task,
  open: Open,
  { contract: tables, betterAuth }: Tables,
  bindings: Record<string, unknown>,
  proxy?: CountingProxy,
): Promise<Outcome> {
  const noLog = { logQuery() {} }
  const first = await open({ ...task, file: `${task.file}contract`, bindings, logger: noLog })
  if (task.suite === 'betterAuth') return { runtime: task.runtime, ...(await betterAuthFailures(first, betterAuth)), excess: {} }
  const failures = await contractFailures(first, tables, task)
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
const adapterOf = ({ db }: Opened, tables: object, { options }: Task) =>
  DrizzleAdapter(db as never, tables as Parameters<typeof DrizzleAdapter>[1], options) as Adapter

async function contractFailures(opened: Opened, tables: object, task: Task): Promise<Pick<Outcome, 'total' | 'failures'>> {
  try {
    const adapter = adapterOf(opened, tables, task)
    const cases = casesFor(adapter).filter(({ topic }) => !task.without.includes(topic))
    return await failuresOf(cases.map(({ name, run }) => ({ name, run: () => run(adapter) })))
  } finally {
    await opened.close()
  }
}

async function betterAuthFailures(opened: Opened, schema: object): Promise<Pick<Outcome, 'total' | 'failures'>> {
  try {
    const adapter = drizzleAdapter(opened.db as object, { schema: { ...schema } })(betterAuthCaseOptions)
    return await failuresOf(betterAuthCases.map(({ name, run }) => ({ name: `Better Auth: ${name}`, run: () => run(adapter) })))
  } finally {
    await opened.close()
  }
}

async function failuresOf(cases: { name: string; run(): Promise<void> }[]): Promise<Pick<Outcome, 'total' | 'failures'>> {
  const failures: Outcome['failures'] = []
  for (const { name, run } of cases)
    await withTimeout(run()).catch((error) => failures.push({ name, error: String(error?.message ?? error) }))
  return { total: cases.length, failures }
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
