import { AdapterOperationError } from 'drizzle-auth-adapter'
import { describe, expect, inject, test } from 'vitest'
import { tableSet, typesOf } from '../../support/table-sets.js'
import { createRows, openDatabase, rowsFor, useDatabase } from './database.js'

describe.each(inject('dialects'))('a foreign key violation on %s', (dialect) => {
  // The sessions have a column that references a table of the app.
  const { tables, migrations } = tableSet(dialect, { onDelete: 'restrict', columns: { sessions: { tenant: typesOf[dialect].text() } } })
  const [q, key] = dialect === 'mysql' ? ['`', 'varbinary(1020)'] : ['"', 'text']
  const used = (table: string, column: string) =>
    `create table used_${table} (k ${key}, foreign key (k) references ${q}${table}${q} (${q}${column}${q}))`
  const database = useDatabase(
    () =>
      openDatabase(dialect, {
        tables,
        migrations: [
          `create table tenant (id varchar(99) primary key)`,
          ...migrations.map((statement) =>
            statement.replace(/(create table .session. .*)\)$/, '$1, foreign key (tenant) references tenant (id))'),
          ),
          // Tables of the app that reference rows of the adapter.
          used('session', 'sessionToken'),
          used('user', 'id'),
        ],
      }),
    async ({ adapter, execute }) => {
      await createRows(adapter, 'ada')
      await adapter.createUser({ id: 'eva', email: 'eva@example.com' })
      await execute(`insert into used_session values ('ada')`, `insert into used_user values ('eva')`)
    },
  )
  const { account, session, authenticator } = rowsFor('ada')

  /** The kinds of the errors of calls, none of which changes a row. */
  async function kindsOf(calls: Record<string, () => unknown>) {
    const { snapshot } = database()
    const before = await snapshot()
    const kinds: Record<string, unknown> = {}
    for (const [name, call] of Object.entries(calls)) kinds[name] = await (call() as Promise<unknown>).catch(({ kind }) => kind)
    expect(await snapshot()).toEqual(before)
    return kinds
  }

  test('is still-referenced when a row is deleted, and the row stays', async () => {
    const { adapter } = database()
    const kinds = await kindsOf({
      deleteSession: () => adapter.deleteSession(session.sessionToken),
      deleteUser: () => adapter.deleteUser('eva'),
      'deleteUser, referenced through a session': () => adapter.deleteUser('ada'),
    })
    expect(new Set(Object.values(kinds))).toEqual(new Set(['still-referenced']))
  })

  test('is unknown-user when a userId was given', async () => {
    const { adapter } = database()
    const userId = 'nobody'
    const kinds = await kindsOf({
      linkAccount: () => adapter.linkAccount({ ...account, providerAccountId: 'other', userId }),
      createSession: () => adapter.createSession({ ...session, sessionToken: 'other', userId }),
      createAuthenticator: () => adapter.createAuthenticator({ ...authenticator, credentialID: 'other', userId }),
      updateSession: () => adapter.updateSession({ sessionToken: session.sessionToken, userId }),
    })
    expect(new Set(Object.values(kinds))).toEqual(new Set(['unknown-user']))
  })

  test('of a column of the app is invalid, and names the column where the database does', async () => {
    const { adapter } = database()
    const calls = [
      () => adapter.createSession({ ...session, sessionToken: 'other', tenant: 'none' } as never),
      () => adapter.updateSession({ sessionToken: 'ada', userId: 'ada', tenant: 'none' } as never),
    ]
    for (const call of calls) {
      const error = await Promise.resolve(call()).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(AdapterOperationError)
      expect(error).toMatchObject({ kind: 'invalid', column: dialect === 'sqlite' ? undefined : 'tenant' })
    }
  })
})
