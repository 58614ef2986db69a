import { AdapterOperationError } from 'drizzle-auth-adapter'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { varchar } from 'drizzle-orm/mysql-core'
import { text as pgText } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { text } from 'drizzle-orm/sqlite-core'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { createTable } from '../../support/ddl.js'
import { createRows, makeAdapter, openDatabase, rowsFor, useDatabase } from './database.js'

/** The sessions get a column that references a table of the app. */
const tablesOf = {
  pg: () => definePg({ columns: { sessions: { tenant: pgText() } } }),
  mysql: () => defineMysql({ columns: { sessions: { tenant: varchar({ length: 99 }) } } }),
  sqlite: () => defineSqlite({ columns: { sessions: { tenant: text() } } }),
}

describe.each(inject('dialects'))('a foreign key violation on %s', (dialect) => {
  const tables = tablesOf[dialect]() as unknown as Record<string, Table>
  const q = dialect === 'mysql' ? '`' : '"'
  const name = (...names: string[]) => names.map((each) => q + each + q).join(', ')
  const [short, long] = dialect === 'mysql' ? ['varbinary(1020)', 'varbinary(2048)'] : ['text', 'text']
  const tenant = `foreign key (tenant) references tenant (id)`
  const ofUser = `foreign key (${name('userId')}) references ${name('user')} (id)`
  const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = tables as Record<string, Table>
  const migrations = [
    `create table tenant (id ${dialect === 'mysql' ? 'varchar(99)' : 'text'} primary key)`,
    createTable(usersTable as Table, q),
    createTable(accountsTable as Table, q, [ofUser, `primary key (${name('provider', 'providerAccountId')})`]),
    createTable(sessionsTable as Table, q, [ofUser, tenant]),
    createTable(verificationTokensTable as Table, q, [`primary key (${name('identifier', 'token')})`]),
    createTable(authenticatorsTable as Table, q, [ofUser]),
    // Application tables that reference rows of the adapter.
    `create table used_account (p ${short}, a ${long}, foreign key (p, a) references account (${name('provider', 'providerAccountId')}))`,
    `create table used_session (s ${short}, foreign key (s) references session (${name('sessionToken')}))`,
    `create table used_token (i ${short}, t ${short}, foreign key (i, t) references ${name('verificationToken')} (identifier, token))`,
    `create table used_user (u ${short}, foreign key (u) references ${name('user')} (id))`,
  ]
  const database = useDatabase(
    () => openDatabase(dialect, { tables, migrations }),
    async ({ adapter, execute }) => {
      await createRows(adapter, 'ada')
      await execute(
        `insert into used_account values ('ada', 'ada')`,
        `insert into used_session values ('ada')`,
        `insert into used_token values ('ada', 'ada')`,
      )
      await adapter.createUser({ id: 'eva', email: 'eva@example.com' })
      await execute(`insert into used_user values ('eva')`)
    },
  )
  const { account, session, token, authenticator } = rowsFor('ada')

  test('is still-referenced when a row is deleted, and the row stays', async () => {
    const { adapter, snapshot } = database()
    const before = await snapshot()
    const kinds = {
      unlinkAccount: await adapter.unlinkAccount(account).catch(({ kind }) => kind),
      useVerificationToken: await adapter.useVerificationToken(token).catch(({ kind }) => kind),
      deleteSession: await adapter.deleteSession(session.sessionToken).catch(({ kind }) => kind),
      deleteUser: await adapter.deleteUser('eva').catch(({ kind }) => kind),
      'deleteUser, referenced through a session': await adapter.deleteUser('ada').catch(({ kind }) => kind),
    }
    expect(kinds).toEqual(Object.fromEntries(Object.keys(kinds).map((operation) => [operation, 'still-referenced'])))
    expect(await snapshot()).toEqual(before)
  })

  test('is unknown-user when a userId was given', async () => {
    const { adapter, snapshot } = database()
    const before = await snapshot()
    const userId = 'nobody'
    const kinds = {
      linkAccount: await adapter.linkAccount({ ...account, providerAccountId: 'other', userId }).catch(({ kind }) => kind),
      createSession: await adapter.createSession({ ...session, sessionToken: 'other', userId }).catch(({ kind }) => kind),
      createAuthenticator: await adapter.createAuthenticator({ ...authenticator, credentialID: 'other', userId }).catch(({ kind }) => kind),
      updateSession: await adapter.updateSession({ sessionToken: session.sessionToken, userId }).catch(({ kind }) => kind),
    }
    expect(kinds).toEqual(Object.fromEntries(Object.keys(kinds).map((operation) => [operation, 'unknown-user'])))
    expect(await snapshot()).toEqual(before)
  })

  test('of a column of the app is invalid, and names the column where the database does', async () => {
    const { adapter, snapshot } = database()
    const before = await snapshot()
    const calls: Promise<unknown>[] = [
      adapter.createSession({ ...session, sessionToken: 'other', tenant: 'none' } as never),
      adapter.updateSession({ sessionToken: 'ada', userId: 'ada', tenant: 'none' } as never),
      adapter.updateSession({ sessionToken: 'ada', tenant: 'none' } as never),
    ]
    for (const error of await Promise.all(calls.map((call) => call.catch((error: unknown) => error)))) {
      expect(error).toBeInstanceOf(AdapterOperationError)
      expect(error).toMatchObject({ kind: 'invalid', column: dialect === 'sqlite' ? undefined : 'tenant' })
    }
    expect(await snapshot()).toEqual(before)
  })
})

describe.runIf(inject('dialects').includes('pg'))(
  'a foreign key violation on PostgreSQL with row level security on the referencing table',
  () => {
    test.each<[name: string, values: object, expected: object]>([
      // A policy hides the key from the message, so that the constraint alone is known.
      ['of the user', { userId: 'nobody' }, { kind: 'unknown-user', constraint: 'session_owner' }],
      ['of the app', { userId: 'ada', tenant: 'none' }, { kind: 'invalid', constraint: 'session_tenant' }],
    ])('names the constraint, also in a transaction of the app: %s', async (_, values, expected) => {
      const tables = tablesOf.pg()
      const { adapter, execute, run, url, close } = await openDatabase('pg', { tables })
      onTestFinished(close)
      const role = `tenant_${crypto.randomUUID().slice(0, 8)}`
      await execute(
        'create table tenant (id text primary key)',
        'alter table session add tenant text constraint session_tenant references tenant (id)',
        'alter table session rename constraint "session_userId_user_id_fk" to session_owner',
        'alter table session enable row level security',
        'create policy everything on session using (true)',
        `create role ${role} login`,
        `grant select, insert on session, "user", tenant to ${role}`,
      )
      await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
      const roleUrl = new URL(url)
      roleUrl.username = role
      const client = postgres(roleUrl.href, { max: 1 })
      onTestFinished(async () => {
        await client.end()
        await execute(`drop owned by ${role}`, `drop role ${role}`)
      })
      const db = drizzlePg({ client })
      const session = { sessionToken: 't', userId: 'ada', expires: new Date(4e12), ...values }
      let failure: unknown
      const transaction = db.transaction(async (tx) => {
        failure = await makeAdapter(tx, tables)
          .createSession(session)
          .catch((error) => error)
        throw failure
      })
      await expect(transaction).rejects.toBeInstanceOf(AdapterOperationError)
      expect(failure).toMatchObject({ table: 'session', code: '23503', ...expected })
      await expect(makeAdapter(db, tables).createSession(session)).rejects.toMatchObject({ table: 'session', code: '23503', ...expected })
      expect(await run('select * from session')).toEqual([])
    })
  },
)
