import { AdapterOperationError } from 'drizzle-auth-adapter'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { expectFailure } from '../../support/fails.js'
import type { AnyAdapter, Opened } from './database.js'
import { changes, createRows, inserts, openDatabase, useDatabase } from './database.js'

/** Errors that the triggers raise, as codes. SQLite has one code for all triggers, so there they differ in their messages. */
const raised: Record<DialectName, string[]> = {
  pg: ['22P02', '23503', '23514', 'P0001'],
  mysql: ['1267', '1366', '1452', '1644'],
  sqlite: ['audit failed', 'datatype mismatch', 'FOREIGN KEY constraint failed'],
}

const keys = { user: 'id', account: 'provider', session: 'sessionToken', verificationToken: 'token', authenticator: 'credentialID' }

/** Each event of each table, with the key of the affected row as the trigger refers to it. */
const events = (q: string) =>
  Object.entries(keys).flatMap(([table, key]) => [
    { table, event: 'insert', key: `new.${q}${key}${q}` },
    { table, event: 'update', key: `new.${q}${key}${q}` },
    { table, event: 'delete', key: `old.${q}${key}${q}` },
  ])

/** Creates triggers that raise the error named in the key of the row. */
const createTriggers: Record<DialectName, (opened: Opened) => Promise<void>> = {
  async pg({ execute }) {
    await execute(`create function audit() returns trigger language plpgsql as $$
      declare
        entry jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
        code text := substring(entry::text from 'raise (\\w{5})');
      begin
        if code is not null then raise exception 'audit failed' using errcode = code; end if;
        return case tg_op when 'DELETE' then old else new end;
      end $$`)
    for (const table of Object.keys(keys))
      await execute(`create trigger audit before insert or update or delete on "${table}" for each row execute function audit()`)
  },
  async mysql({ execute }) {
    for (const { table, event, key } of events('`'))
      await execute(`create trigger audit_${table}_${event} before ${event} on \`${table}\` for each row
        if ${key} like 'raise %' then
          begin
            declare code int default cast(substr(${key}, 7, 4) as unsigned);
            signal sqlstate '45000' set message_text = 'audit failed', mysql_errno = code;
          end;
        end if`)
  },
  async sqlite({ execute }) {
    for (const { table, event, key } of events('"'))
      for (const [index, message] of raised.sqlite.entries())
        await execute(`create trigger audit_${table}_${event}_${index} before ${event} on "${table}"
          when trim(${key}) = 'raise ${message}' begin select raise(abort, '${message}'); end`)
  },
}

describe.each(inject('dialects'))('a failing trigger on %s', (dialect) => {
  const keysToFail = raised[dialect].map((error) => `raise ${error}`)
  const database = useDatabase(
    () => openDatabase(dialect),
    async (opened) => {
      for (const key of keysToFail) await createRows(opened.adapter, key)
      await createTriggers[dialect](opened)
    },
  )

  /** Runs an operation on each row: the database's error code, or the result if it did not fail. */
  async function outcomes(run: (adapter: AnyAdapter, key: string) => Promise<unknown>) {
    const { adapter } = database()
    const found: Record<string, unknown> = {}
    for (const key of keysToFail) {
      found[key] = await run(adapter, key).then(
        (answer) => ({ answer }),
        (error) => (error instanceof AdapterOperationError ? codeOf(error, key) : error),
      )
    }
    return found
  }

  // Codes that do not depend on the raised error.
  const codeOf = ({ code }: AdapterOperationError, key: string) =>
    code === 'SQLITE_CONSTRAINT_TRIGGER' || code === 'ER_SIGNAL_EXCEPTION' ? key : `raise ${code}`
  const failed = Object.fromEntries(keysToFail.map((key) => [key, key]))

  test.each(Object.entries(changes))('makes %s fail without a change', async (_operation, run) => {
    const { snapshot } = database()
    const before = await snapshot()
    expect(await outcomes(run)).toEqual(failed)
    expect(await snapshot()).toEqual(before)
  })

  test.each(Object.entries(inserts))('makes %s fail without a new row', async (_operation, run) => {
    const { snapshot } = database()
    const before = await snapshot()
    // A key that does not exist yet.
    expect(await outcomes((adapter, key) => run(adapter, `${key} `))).toEqual(failed)
    expect(await snapshot()).toEqual(before)
  })
})

test.runIf(inject('dialects').includes('pg')).each(['23502', '23503'])(
  'what a trigger of PostgreSQL calls a column, a table or a constraint may be a value, and is not shown: %s',
  async (code) => {
    const { adapter, execute, close } = await openDatabase('pg')
    onTestFinished(close)
    await execute(`create function audit() returns trigger language plpgsql as $$ begin
      raise exception 'audit failed' using errcode = '${code}', column = new.name, table = new.name, constraint = new.name,
        detail = format('Key (%s)=(%s) is not present in table "%s".', new.name, new.name, new.name);
    end $$`)
    await execute('create trigger audit before insert on "user" for each row execute function audit()')
    const kind = code === '23502' ? 'missing-value' : 'invalid'
    await expectFailure(adapter.createUser({ email: 'ada@example.com', name: 'secret' }), 'createUser', kind, new RegExp(code), ['secret'])
  },
)
