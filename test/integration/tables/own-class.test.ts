import { defineTables } from 'drizzle-auth-adapter/sqlite'
import { integer, SQLiteText, SQLiteTextBuilder, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeAdapter, openSqlite } from '../../support/databases.js'

const reverse = (value: string) => [...value].reverse().join('')

/** A column of text that an app stores in another form, such as encrypted. */
class ReversedText extends (SQLiteText as never as new (table: unknown, config: unknown) => object) {
  mapToDriverValue = reverse
  mapFromDriverValue = reverse
}
class ReversedBuilder extends (SQLiteTextBuilder as never as new (name: string, config: object) => object) {
  build(table: unknown) {
    return new ReversedText(table, (this as unknown as { config: unknown }).config)
  }
}

describe.runIf(inject('dialects').includes('sqlite'))('a text column of an own class', () => {
  test('is decoded by its mapFromDriverValue, as it is encoded by its mapToDriverValue', async () => {
    const { db, client, close } = await openSqlite()
    onTestFinished(close)
    const usersTable = sqliteTable('user', {
      id: text().primaryKey(),
      name: new ReversedBuilder('name', {}) as ReturnType<typeof text>,
      email: text().unique(),
      emailVerified: integer({ mode: 'timestamp_ms' }),
      image: text(),
    })
    const adapter = makeAdapter(db, { ...defineTables(), usersTable })
    const user = await adapter.createUser({ name: 'Ada', email: 'ada@example.com' })
    expect(client.prepare('select name from user').get()).toEqual({ name: 'adA' })
    expect(await db.select({ name: usersTable.name }).from(usersTable)).toEqual([{ name: 'Ada' }])
    expect(user.name).toBe('Ada')
  })
})
