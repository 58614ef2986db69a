import { inspect } from 'node:util'
import type { FailureKind } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle as drizzleSqlite } from 'drizzle-orm/sqlite-proxy'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { expectFailure } from '../../support/fails.js'
import * as sqliteTables from '../../support/schema/sqlite.js'

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
    const { adapter: createAdapter, exec, close } = await openDatabase(dialect)
    onTestFinished(close)
    const adapter = createAdapter()
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
    await expect(adapter.createUser({ email: user.email })).rejects.toMatchObject({ table: 'user', column: 'email' })
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
})

test('a value that a proxy puts into the code of its error is not shown', async () => {
  const db = drizzleSqlite(async (_sql, values) => {
    throw Object.assign(new Error('refused'), { code: `REFUSED ${values.join()}` })
  })
  const failure = await DrizzleAdapter(db, sqliteTables)
    .getUserByEmail('ada@example.com')
    .catch((error) => error)
  expect(failure).toMatchObject({ name: 'AdapterOperationError', operation: 'getUserByEmail' })
  expect(inspect(failure)).not.toContain('ada@example.com')
})
