import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { sql } from 'drizzle-orm'
import type { Open } from '../../matrix/setting.js'
import * as tables from '../schema/sqlite.js'

/** What the app is asked to do. */
export type Request =
  | { call: string; args: unknown[] }
  /** A statement of the app's own, on the client that the adapter uses. */
  | { own: string }
  /** A transaction of the app's own, which does this statement at its begin and then takes its time. */
  | { transaction: string; milliseconds: number }
  /** All of them at once, or one after the other. */
  | { together: Request[] }
  | { inTurn: Request[] }
  /** How many operations were called so far, and how many statements the database got. */
  | { count: true }

export type Answer = { value: unknown } | { error: { name: string; message: string; kind?: string } }

type Operation = (...args: unknown[]) => Promise<unknown>

/** The part of a database of Drizzle's that is the same for drivers that answer at once and for the others. */
interface AppDatabase {
  all(query: object): unknown
  run(query: object): unknown
  transaction(run: (tx: AppDatabase) => Promise<unknown>): Promise<unknown>
}

const isDate = (text: unknown) => typeof text === 'string' && /^\d{4}-\d\d-\d\dT/.test(text)

/** An app, which does what each line of its input asks for, and answers with a line, whatever comes first. */
export async function runApp(open: Open): Promise<void> {
  const { file, statements, connections } = JSON.parse(process.env.APP_TASK ?? '')
  const counts = { calls: 0, statements: 0 }
  const logger = { logQuery: () => void counts.statements++ }
  const setting = { file, statements, foreignKeys: true, url: '', connections, prepare: true, logger, bindings: {} }
  const db = (await insist(() => open(setting))).db as AppDatabase
  // Some drivers wait for a lock themselves, and block their process meanwhile.
  await db.all(sql`pragma busy_timeout = 0`)
  counts.statements = 0
  const adapter = DrizzleAdapter(db as never, tables) as unknown as Record<string, Operation>

  const run = async (request: Request): Promise<unknown> => {
    if ('count' in request) return counts
    if ('call' in request) {
      counts.calls++
      return adapter[request.call]?.(...request.args)
    }
    if ('together' in request) return Promise.all(request.together.map(answer))
    if ('inTurn' in request) {
      const answers: Answer[] = []
      for (const each of request.inTurn) answers.push(await answer(each))
      return answers
    }
    if ('own' in request) return /^(select|pragma)/.test(request.own) ? db.all(sql.raw(request.own)) : db.run(sql.raw(request.own))
    return db.transaction(async (tx) => {
      await tx.run(sql.raw(request.transaction))
      await sleep(request.milliseconds)
    })
  }
  const answer = async (request: Request): Promise<Answer> => {
    try {
      const value = await run(request)
      // What drivers say of a statement without rows is theirs.
      return { value: 'own' in request && !Array.isArray(value) ? null : value }
    } catch (error) {
      const { name, message, kind, cause } = error as Error & { kind?: string }
      // What Drizzle throws has the driver's error for its cause.
      return { error: { name, message: cause instanceof Error ? `${message}: ${cause.message}` : message, ...(kind && { kind }) } }
    }
  }

  process.stdout.write('{"id":0,"value":null}\n')
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, ...request } = JSON.parse(line, (_, value) => (isDate(value) ? new Date(value) : value))
    answer(request).then((answered) => process.stdout.write(`${JSON.stringify({ id, ...answered })}\n`))
  }
  process.exit()
}

/** A file may be locked when it is opened. */
async function insist<T>(open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!/database is locked/.test(`${error} ${(error as Error).cause}`)) throw error
      await sleep(5)
    }
  }
}
