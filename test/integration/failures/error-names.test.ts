import { inspect } from 'node:util'
import type { FailureKind } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { tableSet, typesOf } from '../../support/table-sets.js'
import type { AnyAdapter } from './database.js'
import { openDatabase, useDatabase } from './database.js'

/** Tables and columns whose names in the database differ from those in the code. Errors must use the database's names. */
function createTables(dialect: DialectName) {
  const { text, custom } = typesOf[dialect]
  const { tables, migrations } = tableSet(dialect, {
    prefix: 'app_',
    onDelete: 'restrict',
    columns: {
      users: {
        handle: text('handle_name').unique('handle_key'),
        nick: text('nick_name'),
        role: text('role_name').notNull(),
        mood: custom({ dataType: () => ({ pg: 'mood', mysql: 'int', sqlite: 'text' })[dialect] }, 'mood_now'),
      },
      verificationTokens: { note: text('note_text') },
    },
  })
  const before = dialect === 'pg' ? [`create type mood as enum ('sad')`] : []
  // The database lacks the column `note_text`.
  return { tables, migrations: [...before, ...migrations.map((each) => each.replace(/, .note_text. [^,]*/, '')), ...alterations[dialect]] }
}

/** Makes the database itself reject values, and names a constraint as Drizzle does. */
const alterations: Record<DialectName, string[]> = {
  pg: [
    'alter table app_user rename constraint app_user_handle_name_key to handle_key',
    'alter table app_user alter nick_name type varchar(10)',
  ],
  mysql: ['alter table app_user rename index handle_name to handle_key, modify nick_name varchar(10)'],
  sqlite: [],
}

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
  const { tables, migrations } = createTables(dialect)
  const database = useDatabase(
    () => openDatabase(dialect, { tables, migrations }),
    async ({ adapter, execute }) => {
      await adapter.createUser(user({ id: 'ada', handle: 'secret' }))
      // A table of the app, which the Drizzle tables do not define.
      const type = dialect === 'mysql' ? 'varbinary(1020)' : 'text'
      await execute(`create table hidden_post (author ${type}, constraint hidden_post_key foreign key (author) references app_user (id))`)
    },
  )
  const expectError = (run: (adapter: AnyAdapter) => Promise<unknown>, expected: Expected) =>
    expectFailure(dialect, run(database().adapter), expected)

  test('names the column that must be unique', async () => {
    const expected = { kind: 'duplicate', table: 'app_user', column: 'handle_name' } as const
    const printed = await expectError(({ createUser }) => createUser(user({ handle: 'secret' })), expected)
    expect(printed).not.toContain('secret')
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
    const expected = { kind: 'missing-value', table: 'app_user' } as const
    await expectError(({ createUser }) => createUser(user({ email: null })), { ...expected, column: 'email' })
    await expectError(({ createUser }) => createUser(user({ role: undefined })), { ...expected, column: 'role_name' })
    await expectError(({ updateUser }) => updateUser({ id: 'ada', role: null } as never), { ...expected, column: 'role_name' })
  })

  test('names the missing table or column', async () => {
    const { execute } = database()
    await execute('alter table app_account rename to elsewhere')
    onTestFinished(() => execute('alter table elsewhere rename to app_account'))
    await expectError(({ getAccount }) => getAccount('x', 'x'), { kind: 'schema', table: 'app_account' })
    const missing = { kind: 'schema', table: 'app_verificationToken', column: 'note_text' } as const
    await expectError(({ createVerificationToken }) => createVerificationToken(token({ note: 'secret' })), missing)
    await expectError(({ useVerificationToken }) => useVerificationToken(token({})), missing)
  })

  test.runIf(dialect !== 'sqlite')('names the column of a value that is too long, if the database does', async () => {
    const expected = { kind: 'too-long', table: 'app_user', column: { mysql: 'nick_name' } } as const
    const printed = await expectError(({ createUser }) => createUser(user({ nick: 'secret'.repeat(9) })), expected)
    expect(printed).not.toContain('secret')
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
    const printed = await expectError(({ deleteUser }) => deleteUser(id), { kind: 'still-referenced', table: 'app_user' })
    if (dialect === 'sqlite') expect(printed).not.toContain('refers to it')
    else expect(printed).toMatch(/constraint hidden_post_key\); the table hidden_post refers to it/)
  })

  // Databases quote values in their messages.
  test.each(['role_name', `x' for key 'app_user.role_name`, `role_name' for key 'handle_key`, `x" violates "role_name`])(
    'does not mistake a value for a column name: %s',
    async (value) => {
      const { adapter } = database()
      await adapter.createUser(user({ handle: value }))
      const expected = { kind: 'duplicate', table: 'app_user', column: 'handle_name' } as const
      const printed = await expectError(({ createUser }) => createUser(user({ handle: value })), expected)
      expect(printed).not.toContain('role_name')
      if (dialect === 'sqlite') return
      const mood = await expectError(({ createUser }) => createUser(user({ mood: value } as never)), {
        kind: 'invalid',
        table: 'app_user',
        column: { mysql: 'mood_now' },
      })
      expect(mood).not.toContain('role_name')
    },
  )
})
