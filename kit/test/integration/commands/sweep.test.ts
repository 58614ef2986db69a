import { beforeAll, describe, expect, inject, test } from 'vitest'
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
    const { code, stdout, stderr } = await run(['sweep', '--pause', '1'], { env: { DATABASE_URL: store.url } })
    expect(stderr).toMatch(/^sweeping the tables of Auth\.js in \S+\n$/)
    expect(stdout).toBe('deleted 1,200 sessions and 1,200 verification tokens\n')
    expect(code).toBe(0)
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('only counts in a dry run, can sweep a single table, and can be quiet', async () => {
    await seed(store, 1)
    const sweep = (...args: string[]) => run(['sweep', '--url', store.url, ...args])
    const counted = '1 session and 1 verification token would be deleted\n'
    expect(await sweep('--dry-run')).toEqual({
      code: 0,
      stdout: counted,
      stderr: expect.stringMatching(/^counting the tables of Auth\.js in \S+\n$/),
    })
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

test('sweep rejects a column that seems to store seconds instead of milliseconds', async () => {
  const store = await openStore('sqlite')
  await store.exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
  for (const table of ['session', 'verificationToken'] as const) {
    const values = table === 'session' ? `'live', 'u'` : `'u', 'live'`
    await store.exec(`insert into "${table}" values (${values}, unixepoch() + 3600)`)
    const { code, stderr } = await run(['sweep', '--url', `file:${store.url}`])
    expect(code).toBe(1)
    expect(stderr).toMatch(/seems to store seconds instead of milliseconds\. Pass --schema with the file that declares it/)
    expect(await store.run(`select 1 from "${table}"`)).toHaveLength(1)
    await store.exec(`delete from "${table}"`)
  }
})
