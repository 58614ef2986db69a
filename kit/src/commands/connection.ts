import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, DialectName, FailureKind } from 'drizzle-auth-adapter/internal'
import { AdapterOperationError, detectDialect, dialects, kindsOf, operationError } from 'drizzle-auth-adapter/internal'
import type { SQL, Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { withoutHook } from '../doctor/finding.js'
import type { Context } from './command.js'
import { Problem } from './command.js'
import type { Driver, Target } from './drivers.js'
import { loadModule } from './modules.js'
import type { Given, Settings } from './settings.js'
import { findSettings } from './settings.js'

export interface Opened {
  db: Database
  dialect: DialectName
}

/** What a command gets once the database is open. */
export interface Work {
  opened: Opened
  settings: Settings
  /** Prints a line to standard error, unless --quiet is set. */
  say(line: string): void
}

/** What to do next, by the kind of failure. */
export type Advice = Partial<Record<FailureKind, string>>

interface Options extends Given {
  quiet: boolean
}

/** Opens the database, runs the command and closes the database. `prepare` runs before anything is opened. */
export async function onDatabase(
  options: Options,
  context: Context,
  work: (work: Work) => Promise<number>,
  advice: Advice = {},
  prepare: () => void = () => {},
): Promise<number> {
  const settings = await findSettings(options, context)
  prepare()
  const say = (line: string) => {
    if (!options.quiet) context.stderr.write(`${line}\n`)
  }
  if (settings.unread) say(`${settings.unread.message}\nIts schema setting is ignored.`)
  const { db, driver } = await connect(settings, context.cwd)
  const dialect = detectDialect(db, '--db').name
  // The pool replaces an idle connection that is lost. Without a listener, the error would end the process.
  db.$client?.on?.('error', () => {})
  try {
    await checkConnection(db, dialect, settings.target, driver)
    return await work({ opened: { db, dialect }, settings, say })
  } catch (error) {
    throw explain(error, settings.target, advice)
  } finally {
    // A connection that was lost may never close.
    await Promise.race([end(db.$client), sleep(5_000)]).catch(() => {})
  }
}

/** Converts an error of Drizzle or a driver to one that contains no values. */
export const failureOf = (operation: string, error: unknown, dialect: DialectName) =>
  operationError(operation, error, dialects[dialect].failures)

/** The number of rows of a table, or of those that fulfil a condition. */
export async function countRows(operation: string, { db, dialect }: Opened, table: Table, condition?: SQL): Promise<number> {
  try {
    const query = db.select({ count: sql`count(*)` }).from(table)
    const [row] = (await (condition ? query.where(condition) : query)) as unknown as [{ count: unknown }]
    return Number(row.count)
  } catch (error) {
    throw failureOf(operation, error, dialect)
  }
}

/** The methods of the drivers' clients. Each driver has some of them. */
interface Client {
  on?: (event: 'error', listener: () => void) => unknown
  promise?: () => Client
  end?: () => Promise<unknown>
  close?: () => unknown
}

type Connected = Database & { $client?: Client; all(query: unknown): unknown; execute(query: unknown): unknown }

async function end(client: Client | undefined): Promise<void> {
  // Drizzle 0.45 creates a client of mysql2 with callbacks, 1.0 one with promises.
  const own = client?.promise?.() ?? client
  await (own?.end ? own.end() : own?.close?.())
}

/** Imports the app's own database, or connects through the first of the drivers that is installed. */
async function connect({ target, casing }: Settings, cwd: string): Promise<{ db: Connected; driver?: Driver }> {
  const { from, source } = target
  if ('module' in from) {
    const { db } = (await loadModule(from.module, cwd)) as { db?: Connected }
    if (!db || kindsOf(db.dialect).length === 0) throw new Problem('the file of --db exports no Drizzle database with the name db.', 2)
    return { db }
  }
  for (const driver of from.drivers) {
    const drizzle = await drizzleFor(driver)
    if (!drizzle) continue
    try {
      return { db: drizzle({ connection: driver.connection(from.credentials), casing }), driver }
    } catch (error) {
      throw unreached(error, target, driver.dialect, driver)
    }
  }
  const [first, ...others] = from.drivers.map((driver) => driver.package)
  const or = others.length > 0 ? ` (or ${others.join(', ')})` : ''
  throw new Problem(`no driver for ${source} is installed. Run: npm install ${first}${or}`)
}

/** Returns undefined if the driver is not installed. */
async function drizzleFor({ package: name, load }: Driver): Promise<((config: object) => Connected) | undefined> {
  try {
    return (await load()).drizzle as (config: object) => Connected
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)) return undefined
    throw new Problem(`the package ${name} is installed, but cannot be loaded. Run: npm rebuild ${name}`)
  }
}

/** Sends a first statement. */
async function checkConnection(db: Connected, dialect: DialectName, target: Target, driver: Driver | undefined): Promise<void> {
  try {
    await (dialect === 'sqlite' ? db.all(sql`select count(*) from sqlite_master`) : db.execute(sql`select 1`))
  } catch (error) {
    throw unreached(error, target, dialect, driver)
  }
}

/** Why the database could not be opened. */
function unreached(error: unknown, target: Target, dialect: DialectName, driver: Driver | undefined): Problem {
  const failure = failureOf('connect', error, dialect)
  const { source } = target
  const name = driver?.package
  if (failure.kind === 'unknown' && name === 'better-sqlite3')
    return new Problem(`the package ${name} cannot open a database. Run: npm rebuild ${name}`)
  // Do not print the host: it may be part of a password that was not percent-encoded.
  const message = /^(ENOTFOUND|EAI_AGAIN)$/.test(failure.code ?? '')
    ? `the host in ${source} cannot be resolved [${failure.code}]. Is its name right, and does DNS work?`
    : withoutHook(explain(failure, target, { unknown: `Check ${source}.` }).message)
  const hint = ` The driver ${name} read ${source} as it is. If your app connects differently, pass --db with the file that exports db.`
  return new Problem(`${message}${name ? hint : ''}`)
}

/** Adds advice to the error of a failed operation. */
function explain(error: unknown, { source }: Target, own: Advice): Error {
  if (!(error instanceof AdapterOperationError)) return error as Error
  const general: Advice = {
    unreachable: `The address is in ${source}.`,
    timeout: 'Check that the server is reachable from this machine and not overloaded.',
    login: `They are in ${source}.`,
    tls: `The settings are in ${source}.`,
    'no-database': `The name is in ${source}.`,
    'read-only':
      'If it is a replica, use the address of the primary. If it is a file, check that this user can write to it and to its folder.',
    schema: 'If your tables have other names or columns, pass --schema.',
  }
  const next = own[error.kind] ?? general[error.kind]
  return next ? new Problem(`${withoutHook(error.message)}. ${next}`) : error
}
