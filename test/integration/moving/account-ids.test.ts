import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openSqlite } from '../../support/databases.js'
import * as schema from '../../support/schema/sqlite.js'
import { documentedFile } from './app.js'

/** Tests the statement of docs/moving.md for account ids that other adapters stored as numbers. */

// Ids that resemble a number that SQLite stored with ".0", but are other text. They must not change.
const texts = [
  '4711',
  'abc.0',
  '1.2.0',
  '12.05',
  '12.0 ',
  ' 12.0',
  '12.00',
  '007.0',
  '0.0',
  '.0',
  '-5.0',
  '1e5.0',
  '12a.0',
  '1.0e+17',
  '\u0663.0',
]

async function openOldDatabase() {
  const { db, client, close } = await openSqlite()
  onTestFinished(close)
  const adapter = DrizzleAdapter(db, schema)
  // Like an adapter that passes a number to the driver.
  const insert = client.prepare('insert into account ("userId", type, provider, "providerAccountId") values (?, ?, ?, ?)')
  const link = (userId: string, provider: string, id: string | number) => insert.run(userId, 'oauth', provider, id)
  const ids = (provider: string) =>
    client.prepare('select "providerAccountId" from account where provider = ? order by rowid').pluck().all(provider)
  for (const id of ['ada', 'bob']) await adapter.createUser({ id, email: `${id}@example.com` })
  return { adapter, link, ids, correct: async () => client.exec(await documentedFile('account-ids.sql')) }
}

describe.runIf(inject('dialects').includes('sqlite'))('account ids that SQLite stored as numbers', () => {
  test('are corrected, and find their users', async () => {
    const { adapter, link, ids, correct } = await openOldDatabase()
    link('ada', 'wordpress', 78972699)
    link('bob', 'wordpress', 7)
    link('bob', 'zoho', 78972699)
    link('ada', 'large', Number.MAX_SAFE_INTEGER)
    expect(ids('wordpress')).toEqual(['78972699.0', '7.0'])
    for (const _ of ['once', 'again']) {
      await correct()
      expect(ids('wordpress')).toEqual(['78972699', '7'])
      expect(ids('large')).toEqual(['9007199254740991'])
      for (const providerAccountId of ['78972699', 78972699 as unknown as string]) {
        expect(await adapter.getUserByAccount({ provider: 'wordpress', providerAccountId })).toMatchObject({ id: 'ada' })
        expect(await adapter.getUserByAccount({ provider: 'zoho', providerAccountId })).toMatchObject({ id: 'bob' })
      }
    }
  })

  test('are not changed if they are other text', async () => {
    const { link, ids, correct } = await openOldDatabase()
    for (const id of texts) link('ada', 'text', id)
    await correct()
    expect(ids('text')).toEqual(texts)
  })

  test('are not changed if the provider has the same account as text', async () => {
    const { adapter, link, ids, correct } = await openOldDatabase()
    link('ada', 'strava', 4711)
    link('bob', 'strava', '4711')
    link('ada', 'zoho', 4711)
    await correct()
    expect(ids('strava')).toEqual(['4711.0', '4711'])
    expect(ids('zoho')).toEqual(['4711'])
    expect(await adapter.getUserByAccount({ provider: 'strava', providerAccountId: '4711' })).toMatchObject({ id: 'bob' })
  })
})
