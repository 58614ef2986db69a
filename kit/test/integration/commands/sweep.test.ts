import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { run } from '../../support/commands/app.js'
import type { Store } from '../../support/commands/store.js'
import { countRows, newStore, openStore, seed } from '../../support/commands/store.js'

describe.each(inject('dialects'))('sweep on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await newStore(dialect)
    return store.close
  })

  test('deletes expired rows and prints how many', async () => {
    await seed(store, 1_200)
    expect(await run(['sweep', '--pause', '1'], { env: { DATABASE_URL: store.url } })).toEqual({
      code: 0,
      stdout: 'deleted 1,200 sessions and 1,200 verification tokens\n',
      stderr: expect.stringMatching(/^sweeping the tables of Auth\.js in \S+\n$/),
    })
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('only counts in a dry run, can sweep a single table, and can be quiet', async () => {
    await seed(store, 1)
    const sweep = (...args: string[]) => run(['sweep', '--url', store.url, ...args])
    const stderr = expect.stringMatching(/^counting the tables of Auth\.js in \S+\n$/)
    expect(await sweep('--dry-run')).toEqual({ code: 0, stdout: '1 session and 1 verification token would be deleted\n', stderr })
    expect(await sweep('--before', '2020-01-01')).toMatchObject({ code: 0, stdout: 'deleted 0 sessions and 0 verification tokens\n' })
    expect(await countRows(store)).toEqual({ sessions: 2, tokens: 2 })
    expect(await sweep('--only', 'tokens', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await countRows(store)).toEqual({ sessions: 2, tokens: 1 })
    expect(await sweep('--only', 'sessions')).toMatchObject({ code: 0, stdout: 'deleted 1 session\n' })
  })

  test('accepts tables with other names', async () => {
    const tables = dialect === 'pg' ? { sessions: 'auth.logins', tokens: 'auth.links' } : { sessions: 'logins', tokens: 'links' }
    const path = (name: string) => name.split('.').map(store.quote).join('.')
    if (dialect === 'pg') await store.exec('create schema auth')
    await store.exec(`create table ${path(tables.sessions)} as select * from ${store.quote('session')}`)
    await store.exec(`create table ${path(tables.tokens)} as select * from ${store.quote('verificationToken')}`)
    await seed(store, 3, tables)
    const named = await run(['sweep', '--url', store.url, '--sessions', tables.sessions, '--tokens', tables.tokens])
    expect(named).toMatchObject({ code: 0, stdout: 'deleted 3 sessions and 3 verification tokens\n' })
  })

  test('says what it has deleted and what to do if a table is missing', async () => {
    const store = await openStore(dialect)
    await seed(store, 3)
    await store.exec(`drop table ${store.quote('verificationToken')}`)
    const { code, stdout, stderr } = await run(['sweep', '--url', store.url])
    expect(code).toBe(1)
    expect(stderr).toMatch(/the table or a column is not in the database.*pass them with --sessions and --tokens/s)
    // On SQLite, the tables are examined before anything is deleted.
    expect(stdout).toBe(dialect === 'sqlite' ? '' : 'stopped; deleted 3 sessions and 0 verification tokens\n')
  })
})

/** The privileges that docs/tidying.md tells people to grant. */
const documented = { pg: ['select', 'update', 'delete'], mysql: ['select', 'delete'] }
const password = 'only-for-this-test'

describe.each(inject('dialects').filter((dialect) => dialect !== 'sqlite'))('sweep by a user with few privileges on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await newStore(dialect)
    return store.close
  })

  /** Runs the command as a new user with these privileges on the two tables. */
  async function sweepWith(privileges: string[], ...args: string[]) {
    await seed(store, 2)
    const name = `sweeper_${crypto.randomUUID().slice(0, 8)}`
    const [role, created] = dialect === 'pg' ? [name, `login password '${password}'`] : [`'${name}'@'%'`, `identified by '${password}'`]
    const kind = dialect === 'pg' ? 'role' : 'user'
    await store.exec(`create ${kind} ${role} ${created}`)
    onTestFinished(async () => {
      if (dialect === 'pg') await store.exec(`drop owned by ${role}`)
      await store.exec(`drop ${kind} ${role}`)
    })
    for (const table of ['session', 'verificationToken']) await store.exec(`grant ${privileges} on ${store.quote(table)} to ${role}`)
    const url = Object.assign(new URL(store.url), { username: name, password })
    return run(['sweep', '--url', url.href, ...args])
  }

  test('needs the documented ones, and only SELECT to count', async () => {
    expect(await sweepWith(['select'], '--dry-run')).toMatchObject({ code: 0 })
    expect(await sweepWith(documented[dialect])).toMatchObject({ code: 0, stdout: 'deleted 2 sessions and 2 verification tokens\n' })
  })

  test.each(documented[dialect])('fails without %s, and names the privileges that it needs', async (missing) => {
    const { code, stderr } = await sweepWith(documented[dialect].filter((privilege) => privilege !== missing))
    expect(code).toBe(1)
    const denied = /the database user lacks the permission; grant it( \(table session.*?\))? \[\w+\]\. This user needs SELECT and DELETE/
    expect(stderr).toMatch(denied)
    expect(await countRows(store)).toEqual({ sessions: 3, tokens: 3 })
  })
})

test('sweep rejects a column that seems to store seconds instead of milliseconds', async () => {
  const store = await openStore('sqlite')
  await store.exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
  await store.exec(`insert into "session" values ('live', 'u', unixepoch() + 3600)`)
  const { code, stderr } = await run(['sweep', '--url', `file:${store.url}`])
  expect(code).toBe(1)
  expect(stderr).toMatch(/the column expires seems to store seconds instead of milliseconds\. Pass --schema with the file that declares it/)
  expect(await store.run('select 1 from "session"')).toHaveLength(1)
})
