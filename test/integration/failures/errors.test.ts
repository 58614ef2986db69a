import Database from 'better-sqlite3'
import type { AdapterOptions, FailureKind } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePgNode } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import pg from 'pg'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { expectFailure } from '../../support/fails.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

async function open(dialect: DialectName, options?: AdapterOptions) {
  const { adapter, exec, close } = await openDatabase(dialect)
  onTestFinished(close)
  return { adapter: adapter(options), exec }
}

const secret = () => `secret-${crypto.randomUUID()}`

const codes: Record<DialectName, Partial<Record<FailureKind, RegExp>>> = {
  sqlite: {
    duplicate: /^SQLITE_CONSTRAINT_(UNIQUE|PRIMARYKEY)$/,
    'unknown-user': /^SQLITE_CONSTRAINT_FOREIGNKEY$/,
    'missing-value': /^SQLITE_CONSTRAINT_NOTNULL$/,
  },
  pg: { duplicate: /^23505$/, 'unknown-user': /^23503$/, 'missing-value': /^23502$/, schema: /^42P01$/ },
  mysql: { duplicate: /^1062$/, 'unknown-user': /^1452$/, 'missing-value': /^1048$/, schema: /^1146$/ },
}

describe.each(inject('dialects'))('errors on %s', (dialect) => {
  const code = codes[dialect]

  test('have a kind and the database’s own code, and show no value', async () => {
    const { adapter, exec } = await open(dialect)
    const user = await adapter.createUser({ email: `${secret()}@example.com` })
    const account = {
      userId: user.id,
      type: 'oauth' as const,
      provider: 'p',
      providerAccountId: secret(),
      access_token: secret(),
      refresh_token: secret(),
      id_token: secret(),
    }
    const secrets = [account.providerAccountId, account.access_token, account.refresh_token, account.id_token, user.email]
    await adapter.linkAccount(account)
    await expectFailure(adapter.linkAccount(account), 'linkAccount', 'duplicate', code.duplicate, secrets)
    await expectFailure(adapter.createUser({ email: user.email }), 'createUser', 'duplicate', code.duplicate, secrets)
    await expectFailure(
      adapter.createUser({ email: null as never, name: secrets[0] as string }),
      'createUser',
      'missing-value',
      code['missing-value'],
      secrets,
    )

    const session = { sessionToken: secret(), userId: secret(), expires: new Date() }
    await expectFailure(adapter.createSession(session), 'createSession', 'unknown-user', code['unknown-user'], [
      session.sessionToken,
      session.userId,
    ])
    await expectFailure(adapter.updateUser({ id: session.userId, name: 'x' }), 'updateUser', 'not-found', undefined, [session.userId])
    await expectFailure(
      adapter.updateAuthenticatorCounter(secrets[0] as string, 1),
      'updateAuthenticatorCounter',
      'not-found',
      undefined,
      secrets,
    )
    await expectFailure(adapter.updateUser({ id: user.id, name: `${secrets[0]}\ud800` }), 'updateUser', 'invalid', undefined, secrets)
    if (dialect === 'mysql')
      await expectFailure(adapter.createUser({ email: secrets[0]?.repeat(99) as string }), 'createUser', 'too-long', undefined, secrets)
    if (dialect === 'pg') {
      await expectFailure(adapter.createUser({ email: Array.from({ length: 900 }, secret).join() }), 'createUser', 'too-long', /^54000$/, [
        'secret-',
      ])
    }
    if (dialect !== 'mysql')
      await expectFailure(adapter.createUser({ email: `${secrets[0]}\0` }), 'createUser', 'invalid', undefined, secrets)

    await exec(dialect === 'mysql' ? 'drop table `session`' : 'drop table "session"')
    await expectFailure(adapter.getSessionAndUser(session.sessionToken), 'getSessionAndUser', 'schema', code.schema, [session.sessionToken])
    await expectFailure(adapter.createSession(session), 'createSession', 'schema', code.schema, [session.sessionToken])
  })

  test('are given to onError with the original error, whatever onError throws', async () => {
    const told: [error: unknown, cause: unknown][] = []
    const onError = (error: unknown, cause: unknown) => {
      told.push([error, cause])
      throw new Error('of the hook')
    }
    const { adapter } = await open(dialect, { onError })
    const user = { id: 'u1', email: 'a@example.com' }
    await adapter.createUser(user)
    const thrown = await adapter.createUser(user).catch((error) => error)
    expect(thrown).toMatchObject({ kind: 'duplicate' })
    expect(thrown).not.toHaveProperty('cause')
    expect(told).toEqual([[thrown, expect.objectContaining({ message: expect.stringMatching(/unique|duplicate/i) })]])
  })

  test('are still-referenced if rows of another table prevent the deletion of a user', async () => {
    const { adapter, exec } = await open(dialect)
    const user = await adapter.createUser({ id: 'u1', email: 'a@example.com' })
    const type = dialect === 'mysql' ? 'varbinary(1020)' : 'text'
    const q = dialect === 'mysql' ? '`' : '"'
    await exec(`create table post (author ${type}, foreign key (author) references ${q}user${q}(id))`)
    await exec(`insert into post values ('u1')`)
    await adapter.createSession({ sessionToken: 's1', userId: 'u1', expires: new Date() })
    await expectFailure(adapter.deleteUser(user.id), 'deleteUser', 'still-referenced', undefined, [])
    expect(await adapter.getUser('u1')).toEqual(user)
    expect(await adapter.getSessionAndUser('s1')).toMatchObject({ user })
  })
})

describe('a database that cannot be reached', () => {
  const session = () => ({ sessionToken: secret(), userId: secret(), expires: new Date() })

  test.runIf(inject('dialects').includes('pg'))('is reported as unreachable with postgres.js', async () => {
    const client = postgres('postgres://postgres@127.0.0.1:1/none', { max: 1, connect_timeout: 2 })
    onTestFinished(() => client.end())
    const values = session()
    await expectFailure(
      DrizzleAdapter(drizzlePg({ client }), pgSchema, { retry: false }).createSession(values),
      'createSession',
      'unreachable',
      /^ECONNREFUSED$/,
      [values.sessionToken],
    )
  })

  test.runIf(inject('dialects').includes('pg'))('is reported as unreachable with node-postgres', async () => {
    const client = new pg.Pool({ connectionString: 'postgres://postgres@127.0.0.1:1/none' })
    onTestFinished(() => client.end())
    const values = session()
    await expectFailure(
      DrizzleAdapter(drizzlePgNode({ client }), pgSchema, { retry: false }).createSession(values),
      'createSession',
      'unreachable',
      /^ECONNREFUSED$/,
      [values.sessionToken],
    )
  })

  test.runIf(inject('dialects').includes('mysql'))('is reported as unreachable with mysql2', async () => {
    const client = mysql.createPool('mysql://root@127.0.0.1:1/none')
    onTestFinished(() => client.end())
    const values = session()
    await expectFailure(
      DrizzleAdapter(drizzleMysql({ client }), mysqlSchema, { retry: false }).createSession(values),
      'createSession',
      'unreachable',
      /^ECONNREFUSED$/,
      [values.sessionToken],
    )
  })

  test.runIf(inject('dialects').includes('sqlite'))('is reported as read-only or conflict with better-sqlite3', async () => {
    const { client: writer, db, close } = await openSqlite()
    onTestFinished(close)
    await DrizzleAdapter(db, sqliteSchema).createUser({ id: 'u', email: 'a@example.com' })
    const values = { ...session(), userId: 'u' }
    const client = new Database(writer.name, { readonly: true })
    await expectFailure(
      DrizzleAdapter(drizzleSqlite({ client }), sqliteSchema).createSession(values),
      'createSession',
      'read-only',
      /^SQLITE_READONLY/,
      [values.sessionToken],
    )
    const busy = new Database(writer.name, { timeout: 1 })
    busy.pragma('foreign_keys = on')
    writer.exec('begin immediate')
    await expectFailure(
      DrizzleAdapter(drizzleSqlite({ client: busy }), sqliteSchema, { retry: false }).createSession(values),
      'createSession',
      'conflict',
      /^SQLITE_BUSY/,
      [values.sessionToken],
    )
    writer.exec('commit')
    await DrizzleAdapter(drizzleSqlite({ client: busy }), sqliteSchema).createSession(values)
    client.close()
    busy.close()
  })
})
