import { drizzle } from 'drizzle-orm/pg-proxy'
import { describe, expect, test } from 'vitest'
import type { LiveTable, TableName } from '../../src/doctor/inspector.js'
import { pg } from '../../src/doctor/pg.js'
import type { Database } from '../../src/query/drizzle.js'

// What a statement selects is answered with rows as PostgreSQL 15 gives them. test/doctor/*.test.ts read them from a server.

interface Catalog {
  oid: string
  /** Name, type, whether it is required, whether its default is the current time, and its nondeterministic collation. */
  columns?: [name: string, type: string, required: number, clock: number | null, loose: string | null][]
  /** Whether it is unique, and the definitions of its columns. */
  indexes?: [unique: number, columns: string][]
  foreignKeys?: [columns: string, references: string, rule: string][]
  owner?: boolean
  privileges?: string
  isClosed?: number
}

interface Server {
  /** By the name that a statement uses. */
  tables?: Record<string, Catalog>
  settings?: Record<string, string>
  isReplica?: number
  offset?: number
  role?: { super: number; more: string }
}

const defaults = { transaction_read_only: 'off', DateStyle: 'ISO, MDY', server_encoding: 'UTF8', client_encoding: 'UTF8' }
const malformed = /select\s*(,|from)|,\s*(,|from\b|\))|\bfrom\s*($|where)|\b(where|and|=)\s*(and\b|$)|\(\s*\)::/

/** A database whose server knows only this. Like a server, it rejects a statement that is not SQL or asks for what is not there. */
function connect(server: Server): Database {
  const tableIn = (text: string) => {
    const name = /to_regclass\('((?:[^']|'')*)'\)/.exec(text)?.[1]?.replaceAll("''", "'")
    if (name === undefined) throw new Error(`no table in ${text}`)
    return server.tables?.[name]
  }
  const settingsIn = (text: string) =>
    [...text.matchAll(/current_setting\('(\w*)'\)/g)].map(([, name = '']) => {
      const value = { ...defaults, ...server.settings }[name]
      if (value === undefined) throw new Error(`unrecognized configuration parameter "${name}"`)
      return value
    })
  const answers: [RegExp, (text: string) => unknown[][] | undefined][] = [
    [/^select to_regclass\(.*\)::oid::text from \(select 1\)/, (text) => [[tableIn(text)?.oid ?? null]]],
    [/ from pg_attribute a join pg_type t .* where a\.attrelid = to_regclass/s, (text) => tableIn(text)?.columns],
    [/ from pg_index i where i\.indrelid = to_regclass/, (text) => tableIn(text)?.indexes],
    [/ from pg_constraint f where f\.contype = 'f' and f\.conrelid = to_regclass/, (text) => tableIn(text)?.foreignKeys],
    [/pg_is_in_recovery\(\)/, (text) => [[server.isReplica ?? 0, ...settingsIn(text)]]],
    [/extract\(timezone from now\(\)\)/, (text) => [[...settingsIn(text), server.offset ?? 0]]],
    [/server_encoding.*client_encoding.* from \(select 1\)/, (text) => [settingsIn(text)]],
    [/rolsuper.*rolcreaterole.* from \(select \* from pg_roles where/s, () => [[server.role?.super ?? 0, server.role?.more ?? '']]],
    [/relowner.* from \(select 1\)/s, (text) => [[tableIn(text)?.owner ? 'owner' : null]]],
    [/has_table_privilege.* from \(select 1\)/s, (text) => [[tableIn(text)?.privileges ?? null]]],
    [/row_security_active.* from \(select 1\)/s, (text) => [[tableIn(text)?.isClosed ?? 0]]],
  ]
  return drizzle(async (text) => {
    const answer = answers.find(([pattern]) => pattern.test(text))
    if (!answer || malformed.test(text)) throw new Error(`syntax error in ${text}`)
    return { rows: answer[1](text) ?? [] }
  }) as unknown as Database
}

const user: TableName = { schema: undefined, name: 'user' }
const session: TableName = { schema: 'auth', name: 'session' }
const inspect = (catalog: Partial<Catalog>) => pg.inspect(connect({ tables: { '"user"': { oid: '16385', ...catalog } } }), user)

describe('a table of PostgreSQL', () => {
  test('has its columns, keys and foreign keys', async () => {
    const table = await inspect({
      columns: [
        ['id', 'text', 1, null, null],
        ['made', 'timestamp(3) without time zone', 0, 1, null],
        ['seen', 'timestamp with time zone', 0, 1, null],
        ['until', 'timestamp without time zone', 0, 0, null],
        ['born', 'timestamp without time zone', 0, null, null],
      ],
      indexes: [
        [1, 'id'],
        [0, 'tenant\x1fmade'],
      ],
      foreignKeys: [
        ['tenant', '16400', 'c'],
        ['team\x1fpart', '16410', 'a'],
      ],
    })
    const date = { holds: 'date', isRequired: false, looseCollation: undefined }
    expect(table).toEqual({
      id: '16385',
      columns: [
        { name: 'id', type: 'text', holds: 'text', isRequired: true, isLocalTime: false, looseCollation: undefined },
        { ...date, name: 'made', type: 'timestamp(3) without time zone', fraction: 3, isLocalTime: true },
        { ...date, name: 'seen', type: 'timestamp with time zone', holds: 'zoned date', fraction: 6, isLocalTime: false },
        { ...date, name: 'until', type: 'timestamp without time zone', fraction: 6, isLocalTime: false },
        { ...date, name: 'born', type: 'timestamp without time zone', fraction: 6, isLocalTime: false },
      ],
      unique: [['id']],
      indexes: [['id'], ['tenant', 'made']],
      foreignKeys: [
        { columns: ['tenant'], references: '16400', cascades: true },
        { columns: ['team', 'part'], references: '16410', cascades: false },
      ],
    })
  })

  test.each([
    [{ schema: undefined, name: 'user' }, '"user"'],
    [{ schema: 'auth', name: 'user' }, '"auth"."user"'],
    [{ schema: `o'neil`, name: 'a"b' }, `"o'neil"."a""b"`],
  ])('is found by its name %j', async (name, path) => {
    expect(await pg.inspect(connect({ tables: { [path]: { oid: '7' } } }), name)).toMatchObject({ id: '7' })
  })

  test('may not exist', async () => expect(await pg.inspect(connect({}), user)).toBeUndefined())

  test.each([
    ['citext', null, 'citext'],
    ['text', 'ignore_case', 'ignore_case'],
    ['text', null, undefined],
  ])('has in a column of type %s with the collation %s the loose collation %s', async (type, loose, expected) => {
    const table = await inspect({ columns: [['email', type, 1, null, loose]] })
    expect(table?.columns[0]?.looseCollation).toBe(expected)
  })

  test.each([
    ['email', 'email'],
    ['lower(email)', 'email'],
    ['lower(email::text)', 'email'],
    ['"userId"', 'userId'],
    ['lower("eMail")', 'eMail'],
    ['lower("eMail"::text)', 'eMail'],
    ['"a""b""c"', 'a"b"c'],
    // Other expressions are not taken for a column.
    ['upper(email)', 'upper(email)'],
    ['lower(email) || id', 'lower(email) || id'],
    ['(1 + lower(email))', '(1 + lower(email))'],
    ['(id || "eMail")', '(id || "eMail")'],
    ['id || "eMail"', 'id || "eMail"'],
  ])('has an index on %s as one on %s', async (definition, column) => {
    expect(await inspect({ indexes: [[1, definition]] })).toMatchObject({ unique: [[column]], indexes: [[column]] })
  })
})

describe('a server of PostgreSQL', () => {
  const live: LiveTable = { id: '1', columns: [], unique: [], indexes: [], foreignKeys: [] }
  const tables = new Map<TableName, LiveTable>([
    [
      user,
      {
        ...live,
        columns: [
          { name: 'made', type: 'timestamp', holds: 'date', isRequired: false, isLocalTime: true },
          { name: 'seen', type: 'timestamp', holds: 'date', isRequired: false, isLocalTime: false },
        ],
      },
    ],
    [session, live],
  ])
  const catalogs = (user: Partial<Catalog>, session: Partial<Catalog> = {}) => ({
    '"user"': { oid: '1', ...user },
    '"auth"."session"': { oid: '2', ...session },
  })
  const ask = async (server: Server) => {
    const db = connect({ tables: catalogs({}), ...server })
    return (await Promise.all(pg.questions.map((question) => question.ask(db, tables)))).flat()
  }

  test('with usual settings and a role that has no other rights has no findings', async () => expect(await ask({})).toEqual([]))

  test.each<[string, Server, object[]]>([
    ['is a replica', { isReplica: 1 }, [{ code: 'read-only', message: expect.stringContaining('replica') }]],
    [
      'takes no writes by default',
      { settings: { transaction_read_only: 'on' } },
      [{ code: 'read-only', message: expect.stringContaining('default_transaction_read_only') }],
    ],
    ['has the date style German', { settings: { DateStyle: 'German, DMY' } }, [{ code: 'date-style' }]],
    ['has another style with ISO in it', { settings: { DateStyle: 'SQL, ISO' } }, [{ code: 'date-style' }]],
    ['has another time zone', { offset: 18_000 }, [{ code: 'time-zone', table: 'user', column: 'made' }]],
    [
      'stores Latin characters only',
      { settings: { server_encoding: 'LATIN1' } },
      [{ code: 'character-set', message: expect.stringContaining('of the database') }],
    ],
    [
      'sends Latin characters only',
      { settings: { client_encoding: 'LATIN1' } },
      [{ code: 'character-set', message: expect.stringContaining('of the connection') }],
    ],
    [
      'has a role that is a superuser, whose other rights do not matter',
      { role: { super: 1, more: 'CREATEDB' }, tables: catalogs({ owner: true }) },
      [{ code: 'excess-rights', message: expect.stringContaining('superuser') }],
    ],
    [
      'has a role that may make databases',
      { role: { super: 0, more: 'CREATEDB' } },
      [{ code: 'excess-rights', message: expect.stringMatching(/: CREATEDB$/) }],
    ],
    [
      'has a role that owns a table, and may do more with another',
      { tables: catalogs({ owner: true, privileges: 'TRUNCATE' }, { privileges: 'TRIGGER' }) },
      [
        { code: 'excess-rights', table: 'user', message: expect.stringMatching(/owns the table$/) },
        { code: 'excess-rights', table: 'session', message: expect.stringMatching(/: TRIGGER$/) },
      ],
    ],
    [
      'has a table with row level security that the role cannot read',
      { tables: catalogs({}, { isClosed: 1 }) },
      [{ code: 'row-security', table: 'session', fix: expect.stringContaining('ON "auth"."session" TO') }],
    ],
  ])('%s', async (_name, server, expected) => {
    const findings = await ask(server)
    expect(findings).toEqual(expected.map((each) => expect.objectContaining({ severity: 'warning', fix: expect.any(String), ...each })))
  })

  test('has no table to say more about', async () => {
    const db = connect({ isReplica: 1, offset: 60 })
    const findings = await Promise.all(pg.questions.map((question) => question.ask(db, new Map())))
    expect(findings.flat()).toEqual([expect.objectContaining({ code: 'read-only' })])
  })
})
