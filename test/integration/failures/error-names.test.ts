import { inspect } from 'node:util'
import type { FailureKind } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import type { AnyAdapter } from './database.js'
import { openDatabase, useDatabase } from './database.js'
import { defineRenamedTables } from './renamed-tables.js'

interface Expected {
  kind: FailureKind
  table: string
  /** The column, by its name in the database; per dialect, where not all of them name it. */
  column?: string | Partial<Record<DialectName, string>>
}

/** Checks kind, table and column, in the properties and in the message. Returns the printed error. */
async function expectFailure(dialect: DialectName, call: Promise<unknown>, { kind, table, column }: Expected): Promise<string> {
  const error = await call.then(
    () => expect.unreachable('it must fail'),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(AdapterOperationError)
  const found = error as AdapterOperationError & { table?: string }
  const named = typeof column === 'object' ? column[dialect] : column
  expect({ kind: found.kind, table: found.table, column: found.column }).toEqual({ kind, table, column: named })
  expect(found.message).toContain(table)
  if (named) expect(found.message).toContain(named)
  return [String(error), found.stack, JSON.stringify(error), inspect(error, { depth: 20, showHidden: true })].join('\n')
}

const user = (more: object) => ({ id: crypto.randomUUID(), email: `${crypto.randomUUID()}@example.com`, role: 'member', ...more })
const session = (more: object) => ({ sessionToken: crypto.randomUUID(), userId: 'ada', expires: new Date(4e12), ...more })
const token = (more: object) => ({ identifier: crypto.randomUUID(), token: crypto.randomUUID(), expires: new Date(4e12), ...more })

describe.each(inject('dialects'))('an error on %s', (dialect) => {
  const { tables, migrations } = defineRenamedTables(dialect)
  const database = useDatabase(
    () => openDatabase(dialect, { tables, migrations }),
    async ({ adapter, execute }) => {
      await adapter.createUser(user({ id: 'ada', email: 'ada@example.com' }))
      // A table of the app, which the Drizzle tables do not define.
      const type = dialect === 'mysql' ? 'varchar(99)' : 'text'
      await execute(
        `create table hidden_post (author ${type}, constraint hidden_post_key foreign key (author) references app_people (person_id))`,
      )
    },
  )
  const expectError = (run: (adapter: AnyAdapter) => Promise<unknown>, expected: Expected) =>
    expectFailure(dialect, run(database().adapter), expected)

  test('names the column that must be unique', async () => {
    const column = 'mail_address'
    const printed = await expectError(({ createUser }) => createUser(user({ email: 'ada@example.com' })), {
      kind: 'duplicate',
      table: 'app_people',
      column,
    })
    expect(printed).not.toContain('ada@example.com')
    const { adapter } = database()
    const twice = session({})
    await adapter.createSession(twice)
    // The primary key has no name in the Drizzle table.
    await expectError(({ createSession }) => createSession(twice), {
      kind: 'duplicate',
      table: 'app_session',
      column: { sqlite: 'sessionToken' },
    })
  })

  test('names the column that must not be null', async () => {
    const expected = { kind: 'missing-value', table: 'app_people' } as const
    await expectError(({ createUser }) => createUser(user({ email: null })), { ...expected, column: 'mail_address' })
    await expectError(({ createUser }) => createUser(user({ role: undefined })), { ...expected, column: 'role_name' })
    await expectError(({ updateUser }) => updateUser({ id: 'ada', role: null } as never), { ...expected, column: 'role_name' })
  })

  test('names the missing table or column', async () => {
    const { execute } = database()
    await execute('alter table app_account rename to elsewhere')
    onTestFinished(() => execute('alter table elsewhere rename to app_account'))
    await expectError(({ getAccount }) => getAccount('x', 'x'), { kind: 'schema', table: 'app_account' })
    await expectError(({ getUserByAccount }) => getUserByAccount({ provider: 'x', providerAccountId: 'x' }), {
      kind: 'schema',
      table: 'app_account',
    })
    const missing = { kind: 'schema', table: 'app_verificationToken', column: 'note_text' } as const
    await expectError(({ createVerificationToken }) => createVerificationToken(token({ note: 'secret' })), missing)
    await expectError(({ useVerificationToken }) => useVerificationToken(token({})), missing)
  })

  test.runIf(dialect !== 'sqlite')('names the column of a value that is too long, if the database does', async () => {
    const expected = { kind: 'too-long', table: 'app_people', column: { mysql: 'nick_name' } } as const
    const printed = await expectError(({ createUser }) => createUser(user({ nick: 'secret'.repeat(9) })), expected)
    expect(printed).not.toContain('secret')
  })

  test('names the table of a violated check constraint', async () => {
    const expected = { kind: 'invalid', table: 'app_people' } as const
    await expectError(({ createUser }) => createUser(user({ age: -1 })), expected)
    await expectError(({ updateUser }) => updateUser({ id: 'ada', age: -1 } as never), expected)
  })

  test('names the column that refers to an unknown user', async () => {
    const expected = { kind: 'unknown-user', table: 'app_session', column: 'userId' } as const
    const printed = await expectError(({ createSession }) => createSession(session({ userId: 'nobody' })), expected)
    expect(printed).not.toContain('nobody')
  })

  test('names the table and the constraint that still refer to a user, if the database does', async () => {
    const { adapter, execute } = database()
    const { id } = await adapter.createUser(user({ nick: 'eva' }))
    await execute(`insert into hidden_post values ('${id}')`)
    const printed = await expectError(({ deleteUser }) => deleteUser(id), { kind: 'still-referenced', table: 'app_people' })
    if (dialect !== 'sqlite') expect(printed).toMatch(/constraint hidden_post_key\); the table hidden_post refers to it/)
  })

  // Databases quote values in their messages.
  test.each(['full_name', `x' for key 'app_people.full_name`, `full_name' for key 'people_mail_key`, `x" violates "full_name`])(
    'does not take a value for a column name: %s',
    async (value) => {
      const { adapter } = database()
      await adapter.createUser(user({ email: value }))
      const column = 'mail_address'
      const printed = await expectError(({ createUser }) => createUser(user({ email: value })), {
        kind: 'duplicate',
        table: 'app_people',
        column,
      })
      expect(printed).not.toContain('full_name')
      if (dialect === 'sqlite') return
      const mood = await expectError(({ createUser }) => createUser(user({ mood: value } as never)), {
        kind: 'invalid',
        table: 'app_people',
        column: { mysql: 'mood_now' },
      })
      expect(mood).not.toContain('full_name')
    },
  )
})
