import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { run } from '../../support/commands/app.js'
import type { Store } from '../../support/commands/store.js'
import { countRows, newStore, seed } from '../../support/commands/store.js'

const password = 'only-for-this-test'

/** Creates a database user without privileges on the tables. Returns its name and a URL that uses it. */
async function newUser(store: Store, dialect: 'pg' | 'mysql'): Promise<{ name: string; url: string }> {
  const name = `sweeper_${crypto.randomUUID().slice(0, 8)}`
  const role = dialect === 'pg' ? name : `'${name}'@'%'`
  await store.exec(
    dialect === 'pg' ? `create role ${role} login password '${password}'` : `create user ${role} identified by '${password}'`,
  )
  onTestFinished(async () => {
    if (dialect === 'pg') await store.exec(`drop owned by ${role}`)
    await store.exec(`drop ${dialect === 'pg' ? 'role' : 'user'} ${role}`)
  })
  const url = new URL(store.url)
  url.username = name
  url.password = password
  return { name: role, url: url.href }
}

const servers = inject('dialects').filter((dialect) => dialect !== 'sqlite')

/** The privileges that docs/tidying.md tells people to grant. */
const documented = { pg: ['select', 'update', 'delete'], mysql: ['select', 'delete'] }

describe.each(servers)('sweep by a user with few privileges on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await newStore(dialect)
    return store.close
  })

  /** The URL for a new user with these privileges on the two tables. */
  async function urlWith(privileges: string[]): Promise<string> {
    await seed(store, 2)
    const { name, url } = await newUser(store, dialect)
    for (const table of ['session', 'verificationToken']) await store.exec(`grant ${privileges} on ${store.quote(table)} to ${name}`)
    return url
  }

  test('needs the documented ones, and no others', async () => {
    const url = await urlWith(documented[dialect])
    expect(await run(['sweep', '--url', url, '--dry-run'])).toMatchObject({ code: 0 })
    expect(await run(['sweep', '--url', url])).toMatchObject({ code: 0, stdout: 'deleted 2 sessions and 2 verification tokens\n' })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('needs only SELECT to count', async () => {
    expect(await run(['sweep', '--url', await urlWith(['select']), '--dry-run'])).toMatchObject({ code: 0 })
  })

  test.each(documented[dialect])('fails without %s, and names the privileges that it needs', async (missing) => {
    const { code, stderr } = await run(['sweep', '--url', await urlWith(documented[dialect].filter((privilege) => privilege !== missing))])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /the database user lacks the permission; grant it( \(table session.*?\))? \[\w+\]\. This user needs SELECT and DELETE privileges/,
    )
    expect(await countRows(store)).toEqual({ sessions: 3, tokens: 3 })
  })
})
