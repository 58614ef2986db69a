import type { ContenderName } from './contenders/contender.js'
import type { DialectName } from './databases.js'
import { sessionsPerUser } from './keys.js'
import type { Store } from './stores.js'

/** What a dialect writes in its own way. The column `n` holds the number of a row. */
interface Words {
  quote: string
  numbers(from: number, to: number): string
  text(prefix: string, number: string): string
  token: string
  /** An instant of its own for each row, after the beginning of a year. */
  instant: (year: string) => string
  /** Brings the statistics up to date, as a database that lives longer does by itself. */
  settle: (tables: string[]) => string[]
}

const digits = `(${[...'0123456789'].map((digit) => `select ${digit} as d`).join(' union all ')})`
const powers = [1, 10, 100, 1_000, 10_000]

const words: Record<DialectName, Words> = {
  sqlite: {
    quote: '"',
    numbers: (from, to) =>
      `(with recursive s(n) as (select ${from} union all select n + 1 from s where n < ${to - 1}) select n from s) as numbers`,
    text: (prefix, number) => `'${prefix}-' || (${number})`,
    token: 'token(n)',
    instant: (year) => `unixepoch((${year}) || '-01-01') * 1000 + n * 1000`,
    settle: () => [],
  },
  pg: {
    quote: '"',
    numbers: (from, to) => `generate_series(${from}, ${to - 1}) as numbers(n)`,
    text: (prefix, number) => `'${prefix}-' || (${number})`,
    token: `left(encode(sha256(n::text::bytea), 'hex'), 36)`,
    instant: (year) => `make_timestamp(${year}, 1, 1, 0, 0, 0) + n * interval '1 second'`,
    settle: () => ['vacuum analyze', 'checkpoint'],
  },
  mysql: {
    quote: '`',
    numbers: (from, to) => {
      const sum = powers.map((power, index) => `d${index}.d * ${power}`).join(' + ')
      const joined = powers.map((_, index) => `${digits} as d${index}`).join(' cross join ')
      return `(select ${from} + ${sum} as n from ${joined} having n < ${to}) as numbers`
    },
    text: (prefix, number) => `concat('${prefix}-', ${number})`,
    token: 'left(sha2(n, 256), 36)',
    instant: (year) => `timestamp(makedate(${year}, 1)) + interval n second`,
    settle: (tables) => [`analyze table ${tables.join()}`],
  },
}

// One statement for all would hold a million rows in one transaction; five digits count this far.
const atOnce = 100_000

/**
 * Fills the tables with so many sessions, ten for each user, and one passkey for each user where the tables have them.
 * The year of a session's expiry is SQL, which may go by its number `n`.
 */
export async function fill(
  store: Store,
  dialect: DialectName,
  contender: ContenderName,
  sessions: number,
  expiryYear = '2030',
): Promise<void> {
  const { quote, numbers, text, token, ...own } = words[dialect]
  const isKysely = contender === 'kysely'
  const tableOf = (name: string) => quote + (isKysely ? name[0]?.toUpperCase() + name.slice(1) : name) + quote
  const columns = (names: string) => `(${names.split(' ').map((name) => quote + name + quote)})`
  // The Kysely adapter keeps dates in SQLite as text.
  const instant = (year: string) => (isKysely && dialect === 'sqlite' ? `'2030-01-01T00:00:00.000Z'` : own.instant(year))
  const users = sessions / sessionsPerUser
  const user = text('user', 'n')

  const insert = async (table: string, names: string, cells: string[], count: number) => {
    for (let from = 0; from < count; from += atOnce) {
      const rows = numbers(from, Math.min(from + atOnce, count))
      await store.run(`insert into ${tableOf(table)} ${columns(names)} select ${cells.join()} from ${rows}`)
    }
  }
  const email = text('somebody', 'n')
  await insert(
    'user',
    'id name email emailVerified image',
    [user, text('Somebody', 'n'), email, instant('2030'), text('image', 'n')],
    users,
  )
  await insert('session', 'sessionToken userId expires', [token, text('user', `n % ${users}`), instant(expiryYear)], sessions)
  if (!isKysely) {
    const names = 'credentialID userId providerAccountId credentialPublicKey counter credentialDeviceType credentialBackedUp transports'
    const cells = [text('credential', 'n'), user, text('passkey', 'n'), `'a public key'`, '0', `'singleDevice'`, 'true', `'internal'`]
    await insert('authenticator', names, cells, users)
  }
  for (const statement of own.settle([tableOf('user'), tableOf('session')])) await store.run(statement)
}
