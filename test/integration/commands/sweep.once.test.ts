import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { lines } from '../../../src/cli/progress.js'
import { run } from './app.js'
import type { Store } from './store.js'
import { countRows, newStore, openStore, seed } from './store.js'

/** The number before a word in the output. */
const printedCount = (text: string, word: string) => Number(new RegExp(`([\\d,]+) ${word}`).exec(text)?.[1]?.replaceAll(',', ''))

describe.each(inject('dialects'))('sweep on %s', (dialect) => {
  let store: Store
  beforeAll(async () => {
    store = await newStore(dialect)
    return store.close
  })

  test('deletes expired rows and prints how many', async () => {
    await seed(store, 1_200)
    const { code, stdout, stderr } = await run(['sweep', '--pause', '1'], { env: { DATABASE_URL: store.url } })
    expect(stderr).toMatch(/^sweeping \S+\n$/)
    expect(stdout).toBe('deleted 1,200 sessions and 1,200 verification tokens\n')
    expect(code).toBe(0)
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('only counts in a dry run, can sweep a single table, and can be quiet', async () => {
    await seed(store, 1)
    const sweep = (...args: string[]) => run(['sweep', '--url', store.url, ...args])
    const counted = '1 session and 1 verification token would be deleted\n'
    expect(await sweep('--dry-run')).toEqual({ code: 0, stdout: counted, stderr: expect.stringMatching(/^counting \S+\n$/) })
    expect(await sweep('--before', '2020-01-01')).toMatchObject({ code: 0, stdout: 'deleted 0 sessions and 0 verification tokens\n' })
    expect(await countRows(store)).toEqual({ sessions: 2, tokens: 2 })
    expect(await sweep('--only', 'tokens', '--quiet')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await countRows(store)).toEqual({ sessions: 2, tokens: 1 })
    expect(await sweep('--only', 'sessions')).toMatchObject({ code: 0, stdout: 'deleted 1 session\n' })
  })

  test('counts each row once, however many sweeps run at the same time', async () => {
    await seed(store, 1_000)
    const runs = await Promise.all([1, 2, 3].map(() => run(['sweep', '--url', store.url, '--batch', '20', '--pause', '1'])))
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0])
    const sum = (word: string) => runs.reduce((total, { stdout }) => total + printedCount(stdout, word), 0)
    expect([sum('session'), sum('verification token')]).toEqual([1_000, 1_000])
    expect(await countRows(store)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('stops after a batch at a signal, and continues when started again', async () => {
    await seed(store, 200)
    const ended = run(['sweep', '--url', store.url, '--batch', '10', '--pause', '600000'])
    while ((await countRows(store)).sessions === 201) await sleep(20)
    process.emit('SIGINT', 'SIGINT')
    expect(await ended).toMatchObject({ code: 130, stdout: 'stopped; deleted 10 sessions and 0 verification tokens\n' })
    expect(await countRows(store)).toEqual({ sessions: 191, tokens: 201 })
    expect(process.listenerCount('SIGTERM')).toBe(0)
    const again = await run(['sweep', '--url', store.url, '--pause', '1'])
    expect(again).toMatchObject({ code: 0, stdout: 'deleted 190 sessions and 200 verification tokens\n' })
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

  test('says what to do if a table is missing', async () => {
    const store = await openStore(dialect)
    await seed(store, 3)
    await store.exec(`drop table ${store.quote('verificationToken')}`)
    const { code, stdout, stderr } = await run(['sweep', '--url', store.url])
    expect(code).toBe(1)
    expect(stderr).toMatch(/the table or a column is not in the database.*say so with --sessions and --tokens/s)
    // On SQLite, the tables are examined before anything is deleted.
    expect(stdout).toBe(dialect === 'sqlite' ? '' : 'stopped; deleted 3 sessions and 0 verification tokens\n')
  })
})

describe('sweep', () => {
  test.each([120, 40, 12])('draws its progress on one line of a terminal with %i columns', async (columns) => {
    const store = await openStore('sqlite')
    await seed(store, 50)
    const { stderr, stdout } = await run(['sweep', '--url', store.url, '--batch', '10', '--pause', '1'], { columns })
    const drawn = stderr.split(/[\r\n]+/).filter((line) => line.endsWith('\x1b[K'))
    expect(drawn).toHaveLength(12)
    for (const line of drawn) expect(line.length - '\x1b[K'.length).toBeLessThan(columns)
    if (columns === 120) {
      expect(drawn).toContain(`sessions            ${'█'.repeat(10)}${'░'.repeat(14)}  40 %  20 of 50\x1b[K`)
      expect(drawn).toContain(`verification tokens ${'█'.repeat(24)} 100 %  50 of 50\x1b[K`)
    }
    expect(stdout).toBe('deleted 50 sessions and 50 verification tokens\n')
  })

  test('rejects a column that seems to hold seconds instead of milliseconds', async () => {
    const store = await openStore('sqlite')
    await store.exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
    await store.exec(`insert into "session" values ('live', 'u', unixepoch() + 3600)`)
    const { code, stderr } = await run(['sweep', '--url', `file:${store.url}`])
    expect(code).toBe(1)
    expect(stderr).toMatch(/seems to hold seconds, not milliseconds\. Pass the file that declares it with --schema/)
    expect(await countRows(store)).toMatchObject({ sessions: 1 })
  })

  test('prints plain lines without a terminal', () => {
    let printed = ''
    const progress = lines({ write: (text) => (printed += text) }, 'deleted', 0)
    progress.show('sessions', 1_200)
    progress.show('verification tokens', 3)
    progress.end()
    expect(printed).toBe('sessions: 1,200 deleted\nverification tokens: 3 deleted\n')
  })

  test('draws nothing if the terminal cannot redraw a line', async () => {
    const store = await openStore('sqlite')
    await seed(store, 5)
    const { stderr } = await run(['sweep', '--url', store.url], { columns: 80, env: { TERM: 'dumb' } })
    expect(stderr).toMatch(/^sweeping \S+\n$/)
  })
})
