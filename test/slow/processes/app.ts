import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { sql } from 'drizzle-orm'
import type { Open } from '../../../lab/matrix/setting.js'
import * as tables from '../../support/schema/sqlite.js'

/** A request to the app. */
export type Request =
  /** Calls an operation of the adapter. */
  | { call: string; args: unknown[] }
  /** Runs a statement of the app, on the client that the adapter uses. */
  | { own: string }
  /** Returns how many operations were called so far, and how many statements were sent. */
  | { count: true }

export type Answer = { value: unknown } | { error: { name: string; message: string; kind?: string } }

type Operation = (...args: unknown[]) => Promise<unknown>

/** The part of a Drizzle database that synchronous and asynchronous drivers have in common. */
interface AppDatabase {
  all(query: object): unknown
  run(query: object): unknown
}

const isDate = (text: unknown) => typeof text === 'string' && /^\d{4}-\d\d-\d\dT/.test(text)

/** Runs an app that reads one request per line from its input, and writes one answer per line as soon as it has it. */
export async function runApp(open: Open): Promise<void> {
  const { file, statements, connections } = JSON.parse(process.env.APP_TASK ?? '')
  const counts = { calls: 0, statements: 0 }
  const logger = { logQuery: () => void counts.statements++ }
  const setting = { file, statements, foreignKeys: true, url: '', connections, prepare: true, logger, bindings: {} }
  const db = (await openWithRetry(() => open(setting))).db as AppDatabase
  // Otherwise, some drivers wait for a lock themselves and block the process.
  await db.all(sql`pragma busy_timeout = 0`)
  counts.statements = 0
  const adapter = DrizzleAdapter(db as never, tables) as unknown as Record<string, Operation>

  const run = async (request: Request): Promise<unknown> => {
    if ('count' in request) return counts
    if ('call' in request) {
      counts.calls++
      return adapter[request.call]?.(...request.args)
    }
    return /^(select|pragma)/.test(request.own) ? db.all(sql.raw(request.own)) : db.run(sql.raw(request.own))
  }
  const answer = async (request: Request): Promise<Answer> => {
    try {
      const value = await run(request)
      // The result of a statement without rows differs between drivers.
      return { value: 'own' in request && !Array.isArray(value) ? null : value }
    } catch (error) {
      const { name, message, kind, cause } = error as Error & { kind?: string }
      // Drizzle's errors have the driver's error as their cause.
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

/** Retries while the file is locked. */
async function openWithRetry<T>(open: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await open()
    } catch (error) {
      if (!/database is locked/.test(`${error} ${(error as Error).cause}`)) throw error
      await sleep(5)
    }
  }
}
