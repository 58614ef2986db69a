import { drizzleAdapter } from '../../src/better-auth/index.js'
import type { AdapterOptions } from '../../src/index.js'
import { DrizzleAdapter } from '../../src/index.js'
import { betterAuthCaseOptions, betterAuthCases, casesFor } from '../../src/testing/index.js'
import type { Open, Outcome, Setting } from './setting.js'

/** The task of a cell, which the runner sends as JSON. */
export interface Task extends Omit<Setting, 'logger' | 'bindings'> {
  /** Whose tables the database has. */
  suite: keyof Tables
  dialect: 'pg' | 'mysql' | 'sqlite'
  options: AdapterOptions
  runtime: string
}

/** The tables of the contract, and those that the cases of Better Auth need. */
export interface Tables {
  contract: object
  betterAuth: object
}

const caseTimeout = 60_000

/** Runs the contract or the cases of Better Auth. It uses no module of Node.js, because it also runs in a Worker. */
export async function runSuite(task: Task, open: Open, tables: Tables, bindings: Record<string, unknown>): Promise<Outcome> {
  const { db, close } = await open({ ...task, file: `${task.file}database`, bindings, logger: { logQuery() {} } })
  try {
    const cases = task.suite === 'contract' ? contractCases(db, tables.contract, task) : casesOfBetterAuth(db, tables.betterAuth)
    const failures: Outcome['failures'] = []
    for (const { name, run } of cases)
      await withTimeout(run()).catch((error) => failures.push({ name, error: String(error?.message ?? error) }))
    return { runtime: task.runtime, total: cases.length, failures }
  } finally {
    await close()
  }
}

interface Case {
  name: string
  run(): Promise<void>
}

function contractCases(db: unknown, tables: object, { options }: Task): Case[] {
  // The database can be of any driver, so its type is not known here.
  const adapter = DrizzleAdapter(db as never, tables as Parameters<typeof DrizzleAdapter>[1], options)
  return casesFor(adapter).map(({ name, run }) => ({ name, run: () => run(adapter) }))
}

function casesOfBetterAuth(db: unknown, schema: object): Case[] {
  const adapter = drizzleAdapter(db as object, { schema: { ...schema } })(betterAuthCaseOptions)
  return betterAuthCases.map(({ name, run }) => ({ name: `Better Auth: ${name}`, run: () => run(adapter) }))
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${caseTimeout / 1000} s`)), caseTimeout)
  })
  return Promise.race([work, end]).finally(() => clearTimeout(timer))
}
