import type { Database, DialectName } from 'drizzle-auth-adapter/internal'
import type { SQL, Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { Problem } from './command.js'
import { failureOf } from './core.js'
import type { Client, Driver } from './drivers.js'
import { driversOf } from './drivers.js'
import { explain } from './failures.js'
import type { Settings } from './settings.js'
import type { Target } from './url.js'

export interface Opened {
  db: Database
  dialect: DialectName
  close(): Promise<void>
}

/** Connects to the database through the first of its drivers that is installed. */
export async function openDatabase({ target, casing }: Pick<Settings, 'target' | 'casing'>): Promise<Opened> {
  const { driver, drizzle } = await findDriver(target)
  if (target.hosts.length > 1 && !driver.takesSeveralHosts)
    throw new Problem(
      `${target.source} has several hosts, but the driver ${driver.package} supports only one. ${oneHost[target.dialect]}`,
      2,
    )
  let db: Connected
  try {
    db = drizzle({ connection: driver.connection(target), casing })
  } catch (error) {
    throw unopened(error, target, driver)
  }
  const { $client: client } = db
  // The pool replaces an idle connection that is lost. Without a listener, the error would end the process.
  client.on?.('error', () => {})
  const close = async () => {
    // The work is done by now, and a lost connection need not be closed.
    await driver.end(client).catch(() => {})
  }
  try {
    await (target.dialect === 'sqlite' ? db.all(sql`select count(*) from sqlite_master`) : db.execute(sql`select 1`))
  } catch (error) {
    await close()
    const failure = failureOf('connect', error, target.dialect)
    if (failure.code === 'HANDSHAKE_NO_SSL_SUPPORT' && target.isTlsOptional)
      return openDatabase({ target: { ...target, ssl: undefined, isTlsOptional: false }, casing })
    const [, tlsProblem] = tlsProblems.find(([codes]) => codes.test(failure.code ?? '')) ?? []
    if (tlsProblem) throw new Problem(`${tlsProblem(target)} [${failure.code}].`)
    // Do not print the host: it may be part of a password that was not percent-encoded.
    if (failure.code === 'ENOTFOUND' || failure.code === 'EAI_AGAIN')
      throw new Problem(`the host in ${target.source} cannot be resolved [${failure.code}]. Is its name right, and does DNS work?`)
    const part = target.parameters.size > 0 ? 'the parameters after the ? in' : 'the address in'
    throw explain(failure, target, { unknown: `Check ${part} ${target.source}.` })
  }
  return { db, dialect: target.dialect, close }
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

/** Messages for TLS errors, by the codes of servers and drivers. */
const tlsProblems: [codes: RegExp, problem: (target: Target) => string][] = [
  [/^3159$/, ({ source }) => `the server requires TLS. Add ?ssl-mode=REQUIRED to ${source}`],
  [/^HANDSHAKE_NO_SSL_SUPPORT$/, ({ source }) => `the server does not support TLS, which ${source} requires`],
  [
    /^(HANDSHAKE_SSL_ERROR|\w*(CERT|LEAF_SIGNATURE)\w*)$/,
    ({ source }) =>
      `the certificate of the server in ${source} is not trusted, or is for another host. If you use your own certificate authority, set NODE_EXTRA_CA_CERTS to the file with its certificate`,
  ],
]

const oneHost: Record<DialectName, string> = {
  pg: 'Use only the primary, or run: npm install postgres',
  mysql: 'Use only the primary.',
  sqlite: 'Use only the primary.',
}

type Connected = Database & { $client: Client; all(query: unknown): unknown; execute(query: unknown): unknown }
type Drizzle = (config: object) => Connected

async function findDriver(target: Target): Promise<{ driver: Driver; drizzle: Drizzle }> {
  const drivers = driversOf(target)
  for (const driver of drivers) {
    const drizzle = await drizzleFor(driver)
    if (drizzle) return { driver, drizzle }
  }
  const [first, ...others] = drivers.map((driver) => driver.package)
  const or = others.length > 0 ? ` (or ${others.join(', ')})` : ''
  throw new Problem(`no driver for ${target.scheme}: is installed. Run: npm install ${first}${or}`)
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

function unopened(error: unknown, target: Target, { package: name }: Driver): Error {
  const failure = failureOf('connect', error, target.dialect)
  if (failure.kind !== 'unknown') return explain(failure, target)
  return target.scheme === 'file'
    ? new Problem(`the package ${name} cannot open a database. Run: npm rebuild ${name}`)
    : new Problem(`the driver ${name} does not accept ${target.source}. Check the parameters after the ?.`, 2)
}
