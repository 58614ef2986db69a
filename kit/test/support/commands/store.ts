import { onTestFinished } from 'vitest'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'

/** A new database with the default tables. */
export interface Store {
  url: string
  exec(statement: string): Promise<void>
  run(statement: string): Promise<Record<string, unknown>[]>
  /** A date as a literal in this database's SQL. */
  date(date: Date): string
  quote(name: string): string
  close(): Promise<void>
}

const dates: Record<DialectName, (date: Date) => string> = {
  sqlite: (date) => `${date.getTime()}`,
  pg: (date) => `'${date.toISOString().replace('T', ' ').replace('Z', '')}'`,
  mysql: (date) => `'${date.toISOString().replace('T', ' ').replace('Z', '')}'`,
}

/** Opens a store that is closed at the end of the test. */
export async function openStore(dialect: DialectName): Promise<Store> {
  const store = await newStore(dialect)
  onTestFinished(store.close)
  return store
}

/** Opens a store that the caller must close. */
export async function newStore(dialect: DialectName): Promise<Store> {
  return { ...(await openDatabase(dialect, { connections: 1 })), date: dates[dialect] }
}

/** Replaces all rows by this number of expired sessions and tokens, and one of each that has not expired. */
export async function seed({ exec, quote, date }: Store, expired: number, tables = { sessions: 'session', tokens: 'verificationToken' }) {
  const [past, future] = [date(new Date(Date.now() - 1_000)), date(new Date(Date.now() + 3_600_000))]
  const path = (name: string) => name.split('.').map(quote).join('.')
  for (const table of [tables.sessions, tables.tokens, 'user']) await exec(`delete from ${path(table)}`)
  await exec(`insert into ${quote('user')} (id, email) values ('u', 'u@example.com')`)
  const rows = [...Array.from({ length: expired }, (_, index) => [`t${index}`, past]), ['live', future]]
  for (let from = 0; from < rows.length; from += 500) {
    const some = rows.slice(from, from + 500)
    await exec(`insert into ${path(tables.sessions)} values ${some.map(([token, time]) => `('${token}', 'u', ${time})`)}`)
    await exec(`insert into ${path(tables.tokens)} values ${some.map(([token, time]) => `('u', '${token}', ${time})`)}`)
  }
}

export async function countRows({ run, quote }: Store): Promise<{ sessions: number; tokens: number }> {
  const countIn = async (table: string) => Number((await run(`select count(*) as n from ${quote(table)}`))[0]?.n)
  return { sessions: await countIn('session'), tokens: await countIn('verificationToken') }
}
