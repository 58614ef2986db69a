import { drizzle } from 'drizzle-orm/mysql-proxy'
import { describe, expect, test } from 'vitest'
import type { LiveTable, TableName } from '../../src/doctor/inspector.js'
import { mysql } from '../../src/doctor/mysql.js'
import type { Database } from '../../src/query/drizzle.js'

// What a statement selects is answered with rows as MariaDB 10.11 gives them. test/doctor/*.test.ts read them from a server.

interface Catalog {
  columns: [name: string, type: string, required: number, clock: number, collation: string | null, characters: string | null][]
  indexes?: [name: string, isLoose: number, column: string | null][]
  foreignKeys?: [name: string, column: string, schema: string, table: string, rule: string][]
}

interface Server {
  version?: string
  /** The tables of each database. The current one is `app`. */
  tables?: Record<string, Record<string, Catalog>>
  variables?: Record<string, string | number | null>
  offset?: number
  rights?: { server?: number; database?: number; tables?: Record<string, number> }
  /** Gives texts as their bytes, as some drivers do. */
  inBytes?: boolean
}

const variables = {
  sql_mode: 'STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION',
  character_set_client: 'utf8mb4',
  character_set_results: 'utf8mb4',
  foreign_key_checks: 1,
  read_only: 'OFF',
  innodb_read_only: 'OFF',
  tx_read_only: 'OFF',
}
const mariadb = '10.11.19-MariaDB-0+deb12u1'
const malformed = /select\s*(,|from)|,\s*(,|from\b|\))|\bfrom\s*($|where)|\b(where|and|=)\s*(and\b|$)/

/** A database whose server knows only this. Like a server, it rejects a statement that is not SQL or asks for what is not there. */
function connect({ version = mariadb, tables = {}, offset = 0, rights = {}, inBytes, ...server }: Server): Database {
  const known: Record<string, string | number | null> = { ...variables, ...server.variables }
  const catalogOf = (text: string, params: unknown[]) => {
    const [schema, name] = text.includes('database()') ? ['app', ...params] : params
    return tables[String(schema)]?.[String(name)]
  }
  const variablesIn = (text: string) =>
    [...text.matchAll(/@@(?:session\.)?(\w*)/g)].map(([, name = '']) => {
      if (known[name] === undefined) throw new Error(`Unknown system variable '${name}'`)
      return known[name]
    })
  const here = '\\w\\.table_schema = (database\\(\\)|\\?) and \\w\\.table_name = \\?'
  const named = version === mariadb ? 'information_schema' : 'performance_schema'
  const granted = (view: string, where: string) =>
    new RegExp(`select count\\(\\*\\) from information_schema\\.${view} v where v\\.grantee = .* not in \\('USAGE',.*\\) and ${where}`)
  const answers: [RegExp, (text: string, params: unknown[]) => unknown[][] | undefined][] = [
    [new RegExp(` from information_schema\\.columns c where ${here}`), (text, params) => catalogOf(text, params)?.columns],
    [new RegExp(` from information_schema\\.statistics s where ${here} order by`), (text, params) => catalogOf(text, params)?.indexes],
    [new RegExp(` from information_schema\\.key_column_usage k join .* where ${here}`, 's'), (t, p) => catalogOf(t, p)?.foreignKeys],
    [/^select (database\(\)|\?) from \(select 1\)/, (_text, [schema = 'app']) => [[schema]]],
    [/^select version\(\) from \(select 1\)/, () => [[version]]],
    [
      new RegExp(
        `^select lower\\(v.variable_name\\), v.variable_value from ${named}.session_variables v where lower\\(v.variable_name\\) in`,
      ),
      (_text, names) => names.flatMap((name) => (String(name) in known ? [[name, known[String(name)]]] : [])),
    ],
    [/^select @@.* from \(select 1\)/, (text) => [variablesIn(text)]],
    [/^select timestampdiff\(.*\) from \(select 1\)/, () => [[offset]]],
    [granted('user_privileges', '1 = 1'), () => [[rights.server ?? 0]]],
    [granted('schema_privileges', '\\(v.table_schema'), () => [[rights.database ?? 0]]],
    [
      granted('table_privileges', 'v.table_name in \\(\\?'),
      (_text, names) => [[names.reduce((sum: number, name) => sum + (rights.tables?.[String(name)] ?? 0), 0)]],
    ],
  ]
  const encode = (value: unknown) => (inBytes && typeof value === 'string' ? new TextEncoder().encode(value) : value)
  return drizzle(async (text, params) => {
    const answer = answers.find(([pattern]) => pattern.test(text))
    if (!answer || malformed.test(text)) throw new Error(`syntax error in ${text}`)
    return { rows: (answer[1](text, params) ?? []).map((row) => row.map(encode)) }
  }) as unknown as Database
}

const user: TableName = { schema: undefined, name: 'user' }

const people: Catalog = {
  columns: [
    ['id', 'varbinary(1020)', 1, 0, null, null],
    ['made', 'datetime(3)', 0, 1, null, null],
    ['stamp', 'timestamp', 0, 1, null, null],
    ['until', 'datetime', 0, 0, null, null],
  ],
  indexes: [
    ['PRIMARY', 0, 'id'],
    ['made_idx', 1, 'made'],
    ['made_idx', 1, null],
  ],
  foreignKeys: [
    ['team_fk', 'team', 'app', 'teams', 'CASCADE'],
    ['team_fk', 'part', 'app', 'teams', 'CASCADE'],
    ['tenant_fk', 'tenant', 'other', 'tenants', 'RESTRICT'],
  ],
}

describe('a table of MySQL', () => {
  test.each([false, true])('has its columns, keys and foreign keys (texts as bytes: %s)', async (inBytes) => {
    const table = await mysql.inspect(connect({ tables: { app: { user: people } }, inBytes }), user)
    const column = { isLocalTime: false, looseCollation: undefined, narrowCharacterSet: undefined }
    const date = { ...column, holds: 'date', isRequired: false }
    expect(table).toEqual({
      id: 'app.user',
      columns: [
        { ...column, name: 'id', type: 'varbinary(1020)', holds: 'text', length: 1020, isBinary: true, isRequired: true },
        { ...date, name: 'made', type: 'datetime(3)', fraction: 3, isLocalTime: true },
        { ...date, name: 'stamp', type: 'timestamp', fraction: 0, endsIn2038: true },
        { ...date, name: 'until', type: 'datetime', fraction: 0 },
      ],
      unique: [['id']],
      indexes: [['id'], ['made', '']],
      foreignKeys: [
        { columns: ['team', 'part'], references: 'app.teams', cascades: true },
        { columns: ['tenant'], references: 'other.tenants', cascades: false },
      ],
    })
  })

  test('is found in a database of its own', async () => {
    const db = connect({ tables: { auth: { user: people } } })
    expect(await mysql.inspect(db, { schema: 'auth', name: 'user' })).toMatchObject({ id: 'auth.user' })
    expect(await mysql.inspect(db, user)).toBeUndefined()
  })

  test.each([
    ['utf8mb4_bin', 'utf8mb4', {}],
    ['utf8mb4_general_ci', 'utf8mb4', { looseCollation: 'utf8mb4_general_ci' }],
    ['utf8mb4_bin_ci', 'utf8mb4', { looseCollation: 'utf8mb4_bin_ci' }],
    ['utf16_bin', 'utf16', {}],
    ['utf16le_bin', 'utf16le', {}],
    ['utf32_bin', 'utf32', {}],
    ['utf8mb3_bin', 'utf8mb3', { narrowCharacterSet: 'utf8mb3' }],
    ['latin1_swedish_ci', 'latin1', { looseCollation: 'latin1_swedish_ci', narrowCharacterSet: 'latin1' }],
    ['x_bin', 'utf8mb4x', { narrowCharacterSet: 'utf8mb4x' }],
    ['x_bin', 'xutf32', { narrowCharacterSet: 'xutf32' }],
  ])('has in a column with the collation %s and the character set %s: %j', async (collation, characters, expected) => {
    const catalog: Catalog = { columns: [['name', 'varchar(9)', 0, 0, collation, characters]] }
    const table = await mysql.inspect(connect({ tables: { app: { user: catalog } } }), user)
    expect(table?.columns[0]).toMatchObject({ looseCollation: undefined, narrowCharacterSet: undefined, ...expected })
  })
})

describe('a server of MySQL', () => {
  const live: LiveTable = { id: 'app.user', columns: [], unique: [], indexes: [], foreignKeys: [] }
  const made = { name: 'made', type: 'datetime', holds: 'date' as const, isRequired: false, isLocalTime: true }
  const tables = new Map<TableName, LiveTable>([
    [user, { ...live, columns: [made, { ...made, name: 'until', isLocalTime: false }] }],
    [{ schema: undefined, name: 'session' }, live],
  ])
  const ask = async (server: Server, about = tables) => {
    const db = connect(server)
    return (await Promise.all(mysql.questions.map((question) => question.ask(db, about)))).flat()
  }
  const cluster = { wsrep_on: 'ON', wsrep_cluster_address: 'gcomm://a,b', wsrep_sync_wait: '0' }

  test.each<[string, Server]>([
    ['MariaDB with usual settings', {}],
    ['MySQL with usual settings', { version: '8.0.36' }],
    ['a server whose texts come as bytes', { inBytes: true }],
    ['a server that is strict for all tables', { variables: { sql_mode: 'STRICT_ALL_TABLES' } }],
    ['a server whose clock is read a little later', { offset: -4 }],
    ['a cluster whose reads wait', { variables: { ...cluster, wsrep_sync_wait: '1' } }],
    ['a cluster whose reads and writes wait', { variables: { ...cluster, wsrep_sync_wait: '7' } }],
    ['a server that could be in a cluster and is not', { variables: { ...cluster, wsrep_cluster_address: '' } }],
    ['a server whose cluster has no address', { variables: { ...cluster, wsrep_cluster_address: null } }],
    ['a server whose cluster is off', { variables: { ...cluster, wsrep_on: 'OFF' } }],
    ['a user with rights on other tables', { rights: { tables: { invoices: 3 } } }],
  ])('finds nothing about %s', async (_name, server) => expect(await ask(server)).toEqual([]))

  test.each<[string, Server, object]>([
    ['takes no writes', { variables: { read_only: 'ON' } }, { code: 'read-only', message: expect.stringContaining(': read_only is on') }],
    [
      'is a replica of MySQL',
      { version: '8.0.36', variables: { read_only: '1', super_read_only: 'ON' } },
      { code: 'read-only', message: expect.stringContaining(': read_only, super_read_only is on') },
    ],
    ['has storage that takes no writes', { variables: { innodb_read_only: 'ON' } }, { code: 'read-only' }],
    ['reads only in transactions', { variables: { tx_read_only: 'ON' } }, { code: 'read-only' }],
    ['reads only in transactions of MySQL', { version: '8.4.0', variables: { transaction_read_only: 'ON' } }, { code: 'read-only' }],
    ['is not strict', { variables: { sql_mode: 'NO_ENGINE_SUBSTITUTION' } }, { code: 'sql-mode' }],
    ['is five minutes ahead', { offset: 5 }, { code: 'time-zone', table: 'user', column: 'made' }],
    ['is hours behind', { offset: -300 }, { code: 'time-zone', table: 'user', column: 'made' }],
    ['reads Latin characters', { variables: { character_set_client: 'latin1' } }, { code: 'character-set' }],
    ['sends Latin characters', { variables: { character_set_results: 'latin1' } }, { code: 'character-set' }],
    ['sends characters as they are stored', { variables: { character_set_results: null } }, { code: 'character-set' }],
    ['does not enforce foreign keys', { variables: { foreign_key_checks: 0 } }, { code: 'not-enforced' }],
    ['does not let reads wait in a cluster', { variables: cluster }, { code: 'sync-wait' }],
    ['lets only writes wait in a cluster', { variables: { ...cluster, wsrep_sync_wait: '6' } }, { code: 'sync-wait' }],
    [
      'has a user with rights on the server',
      { rights: { server: 34, database: 3, tables: { user: 1 } } },
      { code: 'excess-rights', message: expect.stringMatching(/: 34 on the whole server$/) },
    ],
    [
      'has a user with rights on the database',
      { rights: { database: 3, tables: { user: 1 } } },
      { code: 'excess-rights', message: expect.stringMatching(/: 3 on the database$/) },
    ],
    [
      'has a user with rights on the tables',
      { rights: { tables: { user: 1, session: 2, invoices: 4 } } },
      { code: 'excess-rights', message: expect.stringMatching(/: 3 on the tables$/) },
    ],
  ])('%s', async (_name, server, expected) => {
    expect(await ask(server)).toEqual([expect.objectContaining({ severity: 'warning', fix: expect.any(String), ...expected })])
  })

  test.each(['sql_mode', 'foreign_key_checks'])('may not tell its %s, which is named', async (name) => {
    const db = connect({ variables: { [name]: undefined as never } })
    const unread = mysql.questions.map(({ about, ask }) =>
      ask(db, tables).then(
        () => [],
        () => about,
      ),
    )
    expect((await Promise.all(unread)).flat()).toEqual([name])
  })

  test('has no table of the app', async () => expect(await ask({ offset: 60 }, new Map())).toEqual([]))
})
