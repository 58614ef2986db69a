import { examine } from 'drizzle-auth-kit'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import * as mysqlTables from '../../../../test/support/schema/mysql.js'
import * as pgTables from '../../../../test/support/schema/pg.js'
import * as sqliteTables from '../../../../test/support/schema/sqlite.js'

/** Measures how long the doctor takes on many sessions. The database generates them, about two gigabytes, and is dropped afterwards. */

const digits = 7
const sessions = 10 ** digits

const numbers =
  '(select 0 as d union select 1 union select 2 union select 3 union select 4 union select 5 union select 6 union select 7 union select 8 union select 9)'
const places = Array.from({ length: digits }, (_, place) => `p${place}.d * ${10 ** place}`).join(' + ')
const joined = Array.from({ length: digits }, (_, place) => `${numbers} p${place}`).join(' cross join ')

const seedStatements: Record<DialectName, string> = {
  pg: `insert into "session" select 's1.' || lpad(n::text, 12, '0'), 'u' || (n % 1000), timestamp '2020-01-01' + n * interval '30 seconds' from generate_series(1, ${sessions}) n`,
  mysql: `insert into session select concat('s1.', lpad(n, 12, '0')), concat('u', n % 1000), date_add('2020-01-01', interval n * 30 second) from (select ${places} as n from ${joined}) as numbers order by n`,
  sqlite: `insert into session with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${sessions})
    select printf('s1.%012d', n), 'u' || (n % 1000), (1577836800 + n * 30) * 1000 from numbers`,
}

// Collects statistics, which the tables of an app have that has been running for a while.
const analyze: Record<DialectName, string> = { pg: 'vacuum analyze "session"', mysql: 'analyze table session', sqlite: 'analyze' }

const schemas = { pg: pgTables, mysql: mysqlTables, sqlite: sqliteTables }

describe.each(inject('dialects'))('the doctor on %s', (dialect) => {
  test(`answers within seconds on ${sessions.toLocaleString('en')} sessions`, { timeout: 1_800_000 }, async () => {
    const { db, exec, run, close } = await openDatabase(dialect, { connections: 1 })
    onTestFinished(close, 300_000)
    const table = dialect === 'pg' ? '"user"' : 'user'
    for (let n = 0; n < 1000; n++) await exec(`insert into ${table} (id, email) values ('u${n}', 'u${n}@example.com')`)
    await exec(seedStatements[dialect])
    await exec(analyze[dialect])
    expect(Number((await run('select count(*) as n from session'))[0]?.n)).toBe(sessions)
    const start = performance.now()
    const findings = await examine(db as never, schemas[dialect] as never)
    const seconds = (performance.now() - start) / 1_000
    process.stdout.write(`${dialect}: ${seconds.toFixed(1)} s\n`)
    const expired = findings.find(({ code }) => code === 'expired')
    expect(expired?.message).toBe('expired and not deleted: 50,000 of the 50,000 rows that were read')
    expect(seconds).toBeLessThan(20)
  })
})
