import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, DialectName } from 'drizzle-auth-adapter/internal'
import { detectDialect, kindsOf } from 'drizzle-auth-adapter/internal'
import type { SQL, Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { Problem } from './command.js'
import { failureOf } from './core.js'
import type { Credentials, Driver, Target } from './drivers.js'
import { explain, messageOf } from './failures.js'
import { loadModule } from './modules.js'
import type { Settings } from './settings.js'

export interface Opened {
  db: Database
  dialect: DialectName
  close(): Promise<void>
}

/** Opens the database, and sends a first statement. */
export async function openDatabase({ target, casing }: Pick<Settings, 'target' | 'casing'>, cwd: string): Promise<Opened> {
  const { from } = target
  const { db, driver } = 'module' in from ? await importDatabase(from.module, cwd) : await connect(from, target, casing)
  const dialect = detectDialect(db, '--db').name
  // The pool replaces an idle connection that is lost. Without a listener, the error would end the process.
  db.$client?.on?.('error', () => {})
  const close = async () => {
    // The work is done by now: a lost connection need not be closed, and the app may still use one of its own.
    await Promise.race([end(db.$client), sleep(5_000)]).catch(() => {})
  }
  try {
    await (dialect === 'sqlite' ? db.all(sql`select count(*) from sqlite_master`) : db.execute(sql`select 1`))
  } catch (error) {
    await close()
    throw unreached(error, target, dialect, driver)
  }
  return { db, dialect, close }
}

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
type Drizzle = (config: object) => Connected

async function end(client: Client | undefined): Promise<void> {
  // Drizzle 0.45 creates a client of mysql2 with callbacks, 1.0 one with promises.
  const own = client?.promise?.() ?? client
  await (own?.end ? own.end() : own?.close?.())
}

/** The app's own database. */
async function importDatabase(file: string, cwd: string): Promise<{ db: Connected; driver?: undefined }> {
  const { db } = (await loadModule(file, cwd)) as { db?: Connected }
  if (!db || kindsOf(db.dialect).length === 0) throw new Problem('the file of --db exports no Drizzle database with the name db.', 2)
  return { db }
}

/** Connects through the first of the drivers that is installed. */
async function connect(
  { drivers, credentials }: { drivers: Driver[]; credentials: Credentials },
  target: Target,
  casing: Settings['casing'],
): Promise<{ db: Connected; driver: Driver }> {
  for (const driver of drivers) {
    const drizzle = await drizzleFor(driver)
    if (!drizzle) continue
    try {
      return { db: drizzle({ connection: driver.connection(credentials), casing }), driver }
    } catch (error) {
      throw unreached(error, target, driver.dialect, driver)
    }
  }
  const [first, ...others] = drivers.map((driver) => driver.package)
  const or = others.length > 0 ? ` (or ${others.join(', ')})` : ''
  throw new Problem(`no driver for ${target.source} is installed. Run: npm install ${first}${or}`)
}

/** Returns undefined if the driver is not installed. */
async function drizzleFor({ package: name, load }: Driver): Promise<Drizzle | undefined> {
  try {
    return (await load()).drizzle as Drizzle
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_MODULE_NOT_FOUND' && message.includes(`'${name}'`)) return undefined
    throw new Problem(`the package ${name} is installed, but cannot be loaded. Run: npm rebuild ${name}`)
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
    : messageOf(explain(failure, target, { unknown: `Check ${source}.` }))
  const hint = ` The driver ${name} read ${source} as it is. If your app connects differently, pass --db with the file that exports db.`
  return new Problem(`${message}${name ? hint : ''}`)
}
