import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openApp } from '../../support/authjs/app.js'

/** Many users with accounts and sessions move in one run, and back. Prints how long each part takes. `SIZE` is their number. */

const size = Number(process.env.SIZE ?? 10_000)
const numbers: Record<string, string> = {
  sqlite: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${size})`,
  pg: `with n (i) as (select generate_series(1, ${size}))`,
  mysql: `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${size})`,
}

describe.each(inject('dialects'))('%s', (dialect) => {
  test.each(['ours', 'official'] as const)('many users move to the tables of %s generator, and back', async (generator) => {
    const id = dialect === 'mysql' ? `concat('user-', i)` : `'user-' || i`
    const expires = dialect === 'sqlite' ? '1900000000000' : `'2030-01-01'`
    const insert = (table: string, columns: string, values: string) => {
      const text = numbers[dialect] ?? ''
      const statement = `insert into "${table}" (${columns})`
      return dialect === 'mysql' ? `${statement} ${text} select ${values} from n` : `${text} ${statement} select ${values} from n`
    }
    const concat = (prefix: string, suffix = '') =>
      dialect === 'mysql' ? `concat('${prefix}', i, '${suffix}')` : `'${prefix}' || i || '${suffix}'`
    const app = await openApp(dialect, 'official', { generator }, { rows: {} })
    onTestFinished(app.close)
    if (dialect === 'mysql')
      await app.exec('set session cte_max_recursion_depth = 100000').catch(() => app.exec('set session max_recursive_iterations = 100000'))
    for (const statement of [
      insert('user', '"id", "name", "email"', `${id}, ${concat('Name ')}, ${concat('Mail-', '@Example.com')}`),
      insert(
        'account',
        '"userId", "type", "provider", "providerAccountId", "scope"',
        `${id}, 'oidc', 'google', ${concat('g')}, 'openid email'`,
      ),
      insert(
        'account',
        '"userId", "type", "provider", "providerAccountId", "expires_at"',
        `${id}, 'oauth', 'github', ${concat('h')}, 1900000000`,
      ),
      insert('session', '"sessionToken", "userId", "expires"', `${concat('token-')}, ${id}, ${expires}`),
    ])
      await app.exec(statement)
    const before = await app.dump()
    const times: Record<string, number> = {}
    const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
      const start = performance.now()
      const result = await work()
      times[name] = Math.round(performance.now() - start)
      return result
    }
    const { plan, undo } = await timed('planning', () => app.plan())
    await timed('plan', () => app.apply(plan))
    for (const [table, rows] of [
      ['user', size],
      ['account', 2 * size],
      ['session', size],
      ['verification', size],
    ] as const)
      expect(Number((await app.q(`select count(*) as n from "${table}"`))[0]?.n), table).toBe(rows)
    await timed('planning again', () => app.plan())
    await timed('undo', () => app.apply(undo))
    console.log(`${dialect}, to the tables of the ${generator} generator, milliseconds:`, times)
    expect(await app.dump()).toEqual(before)
  })
})
