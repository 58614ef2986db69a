import { createHash } from 'node:crypto'
import type { DialectName } from '../../test/support/dialects.js'
import type { ContenderName } from './contenders/contender.js'

/** The token of a seeded session by its number. It is as long as a UUID, and `seed` computes the same in SQL. */
export const seededToken = (session: number) => createHash('sha256').update(String(session)).digest('hex').slice(0, 36)

/** The tokens of random seeded sessions. */
export function randomTokens(count: number, sessions: number): string[] {
  return Array.from({ length: count }, () => seededToken(Math.floor(Math.random() * sessions)))
}

/** The id of a seeded user by its number. */
export const seededUser = (user: number) => `user-${user}`

export const sessionsPerUser = 10

/** SQL expressions that differ between the dialects. The column `n` is the number of a row. */
interface SeedSql {
  quote: string
  numbers(count: number): string
  text(prefix: string, number: string): string
  token: string
  /** A different instant for each row, counted from the beginning of 2030. */
  instant: string
  /** Updates the statistics, which a database that has been running for a while has done by itself. */
  analyze: (tables: string[]) => string[]
}

const digits = `(${[...'0123456789'].map((digit) => `select ${digit} as d`).join(' union all ')})`
const powers = [1, 10, 100, 1_000, 10_000]

const seedSql: Record<DialectName, SeedSql> = {
  sqlite: {
    quote: '"',
    numbers: (count) =>
      `(with recursive s(n) as (select 0 union all select n + 1 from s where n < ${count - 1}) select n from s) as numbers`,
    text: (prefix, number) => `'${prefix}-' || (${number})`,
    token: 'token(n)',
    instant: `unixepoch('2030-01-01') * 1000 + n * 1000`,
    analyze: () => [],
  },
  pg: {
    quote: '"',
    numbers: (count) => `generate_series(0, ${count - 1}) as numbers(n)`,
    text: (prefix, number) => `'${prefix}-' || (${number})`,
    token: `left(encode(sha256(n::text::bytea), 'hex'), 36)`,
    instant: `timestamp '2030-01-01' + n * interval '1 second'`,
    analyze: () => ['vacuum analyze', 'checkpoint'],
  },
  mysql: {
    quote: '`',
    numbers: (count) => {
      const sum = powers.map((power, index) => `d${index}.d * ${power}`).join(' + ')
      const joined = powers.map((_, index) => `${digits} as d${index}`).join(' cross join ')
      return `(select ${sum} as n from ${joined} having n < ${count}) as numbers`
    },
    text: (prefix, number) => `concat('${prefix}-', ${number})`,
    token: 'left(sha2(n, 256), 36)',
    instant: `timestamp('2030-01-01') + interval n second`,
    analyze: (tables) => [`analyze table ${tables.join()}`],
  },
}

/** Seeds the tables with this number of sessions, ten for each user. */
export async function seed(
  run: (statement: string) => Promise<unknown>,
  dialect: DialectName,
  contender: ContenderName,
  sessions: number,
): Promise<void> {
  const { quote, numbers, text, token, ...expressions } = seedSql[dialect]
  const isKysely = contender === 'kysely'
  const tableOf = (name: string) => quote + (isKysely ? name[0]?.toUpperCase() + name.slice(1) : name) + quote
  const columns = (names: string) => `(${names.split(' ').map((name) => quote + name + quote)})`
  // The Kysely adapter stores dates in SQLite as text.
  const instant = isKysely && dialect === 'sqlite' ? `'2030-01-01T00:00:00.000Z'` : expressions.instant
  const users = sessions / sessionsPerUser
  const user = text('user', 'n')

  const insert = (table: string, names: string, cells: string[], count: number) =>
    run(`insert into ${tableOf(table)} ${columns(names)} select ${cells.join()} from ${numbers(count)}`)
  const email = text('somebody', 'n')
  await insert('user', 'id name email emailVerified image', [user, text('Somebody', 'n'), email, instant, text('image', 'n')], users)
  await insert('session', 'sessionToken userId expires', [token, text('user', `n % ${users}`), instant], sessions)
  for (const statement of expressions.analyze([tableOf('user'), tableOf('session')])) await run(statement)
}
