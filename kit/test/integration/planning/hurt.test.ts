import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../../../test/support/connections.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import type { AppOptions, Planned, Source, TargetOptions } from '../../support/authjs/app.js'
import { openApp } from '../../support/authjs/app.js'
import { ends, people, tokens } from '../../support/authjs/people.js'

/** What a plan must never do to the only database of an app: each case is refused before the first statement, or done right and undone. */

const ours: TargetOptions = { generator: 'ours', camelCase: true }
const official: TargetOptions = { generator: 'official' }
const errorsOf = ({ findings }: Planned) => findings.filter(({ severity }) => severity === 'error')
const codes = (planned: Planned) => [...new Set(errorsOf(planned).map(({ code }) => code))]
const dialects = inject('dialects')
const on = (...names: string[]) => dialects.filter((name) => names.includes(name))

type App = Awaited<ReturnType<typeof open>>

async function open(dialect: DialectName, options: AppOptions = {}, source: Source = 'official', target = ours) {
  const app = await openApp(dialect, source, target, options)
  onTestFinished(app.close)
  const there = async (...more: string[]) => {
    const planned = await app.plan(...more)
    expect(errorsOf(planned)).toEqual([])
    await app.apply(planned.plan)
    return planned
  }
  return { ...app, there }
}

interface Case {
  name: string
  on?: DialectName[]
  source?: Source
  target?: TargetOptions
  rows?: AppOptions['rows']
  settings?: string
  own?: string[] | ((dialect: DialectName) => string[])
  /** The code of an error, and what its messages say. */
  refused?: string
  says?: RegExp
  /** Whether what the error prints makes the plan possible. */
  isMended?: boolean
  /** Queries with their rows once the plan has run, as JSON. */
  after?: [query: string, rows: unknown[][]][]
  /** A query with the same rows before and after. */
  kept?: string
}

const user = (id: string, more: object = {}) => ({ id, name: null, email: `${id}@example.com`, emailVerified: null, image: null, ...more })
const only = { ...people, account: [], session: [], verificationToken: [], authenticator: [] }
const account = (provider: string, more = {}) => ({ userId: 'u-ada', type: 'oidc', provider, providerAccountId: provider, ...more })
const insertAccount = (columns: string, values: string) =>
  `insert into "account" ("userId", "type", "provider", "providerAccountId", ${columns}) values ('u-ada', 'oidc', 'p', '1', ${values})`
const wider = (table: string, column: string, type: string) => (dialect: DialectName) =>
  dialect === 'sqlite' ? [] : [`alter table "${table}" ${dialect === 'pg' ? `alter "${column}" type` : `modify "${column}"`} ${type}`]
const keyType = (dialect: DialectName) => (dialect === 'mysql' ? 'varchar(255)' : 'text')
const invited = (email: string) => (dialect: DialectName) => [
  `create table "invited" ("by" ${keyType(dialect)}, constraint "invited_fk" foreign key ("by") references "user" ("email"))`,
  `insert into "invited" values ('${email}')`,
]
const logging = (dialect: DialectName) => [
  'create table "log" ("n" int)',
  ...(dialect === 'pg'
    ? [
        `create function logged() returns trigger language plpgsql as 'begin insert into log values (1); return new; end'`,
        'create trigger "logging" after update on "user" for each row execute function logged()',
      ]
    : ['create trigger "logging" after update on "user" for each row insert into "log" values (1)']),
]
const stored = {
  pg: 'boolean generated always as ("emailVerified" is not null) stored',
  mysql: 'boolean as ("emailVerified" is not null) stored',
  sqlite: 'integer as ("emailVerified" is not null)',
}
const session = (token: string) => ({ sessionToken: token, userId: 'u-ada', expires: new Date() })
const nowhere = {
  sqlite: ['drop table "session"', 'create table "session" ("sessionToken" text primary key, "userId" text, "expires" integer not null)'],
  pg: ['alter table "session" alter "userId" drop not null'],
  mysql: ['alter table "session" modify "userId" varchar(255) null'],
}
const uuids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333']
const renamed = (id: unknown) => uuids[['u-ada', 'u-bob', 'u-zoe'].indexOf(String(id))] as string
const withUuids = Object.fromEntries(
  Object.entries(people).map(([name, rows]) => [
    name,
    rows.map((row: object) => ({
      ...row,
      ...('userId' in row && { userId: renamed(row.userId) }),
      ...('id' in row && { id: renamed(row.id) }),
    })),
  ]),
)
const references = [
  ['posts', 'author', 'posts_author_fk'],
  ...['account', 'session', 'authenticator'].map((table) => [table, 'userId', `${table}_userId_user_id_fk`]),
]
/** The name of an object that would end a statement of the plan. */
const hostile = '"a --> statement-breakpoint drop table posts; --"'
const required = (dialect: DialectName) =>
  dialect === 'sqlite'
    ? [
        ...['posts', 'account', 'session', 'authenticator', 'user'].map((table) => `drop table "${table}"`),
        'create table "user" ("id" text primary key not null, "name" text, "email" text not null unique, "emailVerified" integer, "image" text, "team" text not null)',
        'create table "account" ("userId" text not null references "user" ("id"), "type" text not null, "provider" text not null, "providerAccountId" text not null)',
        'create table "session" ("sessionToken" text primary key not null, "userId" text not null references "user" ("id"), "expires" integer not null)',
      ]
    : [`alter table "user" add column "team" varchar(20) default 'x' not null`, 'alter table "user" alter column "team" drop default']

const cases: Case[] = [
  // Rows that would stop a plan half-way.
  {
    name: 'ends of tokens in milliseconds',
    rows: only,
    own: (dialect) => [...wider('account', 'expires_at', 'bigint')(dialect), insertAccount('"expires_at"', '1900000000000')],
    refused: 'too-large',
    isMended: true,
  },
  {
    name: 'counters of passkeys above 2\u00b3\u00b9',
    on: ['pg', 'mysql'],
    rows: { ...people, authenticator: people.authenticator.map((row) => ({ ...row, counter: 4294967295 })) },
    source: 'defineTables',
    refused: 'too-large',
  },
  {
    name: 'tokens above 64 KB',
    on: ['mysql'],
    source: 'defineTables',
    rows: only,
    own: ['alter table "account" modify "access_token" longtext', insertAccount('"access_token"', `repeat('x', 70000)`)],
    refused: 'too-long',
    says: /1 row/,
  },
  {
    name: 'tokens that the collation of the target takes for one',
    on: ['mysql'],
    source: 'defineTables',
    target: official,
    rows: { ...only, session: [session('a'), session('A')] },
    refused: 'duplicates',
  },
  {
    name: 'addresses that the collation of the target takes for one',
    on: ['mysql'],
    source: 'defineTables',
    target: official,
    rows: { user: [user('a', { email: 'jos\u00e9@example.com' }), user('b', { email: 'jose@example.com' })] },
    refused: 'case-collisions',
  },
  {
    name: 'addresses that are the same in lower case',
    source: 'defineTables',
    rows: { user: [user('a'), user('b', { email: 'A@example.com' })] },
    refused: 'case-collisions',
    says: /: 1 row$/,
  },
  {
    name: 'letters that SQLite cannot convert to lower case',
    on: ['sqlite'],
    rows: { user: [user('a', { email: 'ZO\u00cb@example.com' })] },
    refused: 'not-lower-case',
  },
  { name: 'users without an address', rows: { user: [user('a', { email: '' })] }, refused: 'no-email', says: /: 1 row$/ },
  {
    name: 'a provider that is called credential',
    rows: { ...only, account: [account('credential')] },
    refused: 'reserved-provider',
    says: /: 1 row$/,
  },
  {
    name: 'encrypted tokens of renamed providers',
    rows: { ...only, account: [account('azure-ad', { access_token: 'e1.k.A' }), account('microsoft-entra-id', { id_token: 'e1.k.A' })] },
    refused: 'encrypted-tokens',
    says: /: 2 rows$/,
  },
  {
    name: 'two accounts that become one',
    rows: { ...only, account: ['azure-ad', 'microsoft-entra-id'].map((provider) => account(provider, { providerAccountId: 'same' })) },
    refused: 'duplicates',
    says: /: 1 row$/,
  },
  {
    name: 'rows of no user',
    rows: only,
    own: (dialect) => [
      ...nowhere[dialect],
      `insert into "session" ("sessionToken", "expires") values ('s', ${dialect === 'sqlite' ? '1900000000000' : `'2030-01-01'`})`,
    ],
    refused: 'orphans',
    says: /1 row$/,
    isMended: true,
  },
  {
    name: 'foreign keys that only hold without case',
    on: ['mysql'],
    rows: { user: [user('u1')] },
    own: [`update "posts" set "author" = 'U1'`],
    refused: 'orphans',
  },
  {
    name: 'zero dates',
    on: ['mysql'],
    rows: { user: [user('a')] },
    own: [`set sql_mode = ''`, `update "user" set "emailVerified" = '0000-00-00'`, 'set sql_mode = default'],
    refused: 'unreadable-dates',
  },
  { name: 'a foreign key of the app to addresses with capital letters', own: invited('Ada@Example.com'), refused: 'in-use' },
  {
    name: 'a foreign key of the app to addresses',
    rows: { ...only, user: [user('u-ada')] },
    on: ['sqlite', 'pg'],
    own: invited('u-ada@example.com'),
    kept: 'select "by" from "invited"',
  },
  {
    name: 'names whose bytes are more than the column has characters',
    on: ['mysql'],
    rows: { user: [user('a', { name: '\u00e9'.repeat(200) })] },
    after: [['select char_length("name") as n from "user"', [[200]]]],
  },
  {
    name: 'an empty date, and 0',
    on: ['sqlite'],
    rows: { user: [user('a'), user('b')] },
    own: [`update "user" set "emailVerified" = '' where "id" = 'a'`, `update "user" set "emailVerified" = 0 where "id" = 'b'`],
    after: [['select "emailVerified" as v from "user"', [[0], [0]]]],
  },
  // What depends on tables and columns.
  {
    name: 'an index, a check and a generated column of emailVerified',
    own: (dialect) => [
      `alter table "user" add "seen" ${stored[dialect]}`,
      'create index "both" on "user" ("emailVerified", "name")',
      ...(dialect === 'sqlite' ? [] : [`alter table "user" add constraint "late" check ("emailVerified" > '2000-01-01')`]),
    ],
    kept: 'select "id", "seen" from "user" order by "id"',
  },
  {
    name: 'a view of emailVerified',
    on: ['sqlite', 'pg'],
    own: ['create view "verified" as select "id", "emailVerified" as "at" from "user" where "emailVerified" is not null'],
    kept: 'select * from "verified"',
  },
  {
    name: 'a view of emailVerified',
    on: ['mysql'],
    own: ['create view "verified" as select "id", "emailVerified" as "at" from "user"'],
    refused: 'in-use',
  },
  {
    name: 'a policy of emailVerified',
    on: ['pg'],
    own: ['alter table "user" enable row level security', 'create policy "p" on "user" using ("emailVerified" is not null)'],
    after: [['select pg_get_expr(polqual, polrelid) as e from pg_policy', [['("authjs_emailVerified" IS NOT NULL)']]]],
  },
  {
    name: 'a trigger on users',
    on: ['pg', 'mysql'],
    own: logging,
    refused: 'trigger',
    isMended: true,
    after: [['select * from "log"', []]],
  },
  {
    name: 'a trigger on accounts',
    on: ['sqlite'],
    own: ['create trigger "noting" after insert on "account" begin select 1; end'],
    refused: 'trigger',
  },
  {
    name: 'a table that references sessions',
    own: (dialect) => [
      `create table "device" ("session" ${keyType(dialect)}, constraint "device_fk" foreign key ("session") references "session" ("sessionToken"))`,
    ],
    refused: 'in-use',
    says: /device/,
  },
  { name: 'a view of accounts', own: ['create view "linked" as select count(*) as "n" from "account"'], refused: 'in-use', says: /linked/ },
  {
    name: 'a required column of the app',
    source: 'defineTables',
    rows: {},
    own: required,
    refused: 'required-column',
    says: /nobody could sign up/,
  },
  {
    name: 'a name that the plan needs',
    own: ['create table "authjs_session" ("id" int primary key)'],
    refused: 'name-in-use',
    says: /authjs_session/,
  },
  {
    name: 'a table that the new one would replace',
    own: ['create table "verification" ("id" int primary key)'],
    refused: 'name-in-use',
    says: /verification/,
  },
  { name: 'names that would be too long with the prefix', on: ['pg'], own: [`create index "${'i'.repeat(60)}" on "session" ("userId")`] },
  {
    name: 'a name that would end a statement of the plan',
    on: ['sqlite'],
    own: [`create index ${hostile} on "account" ("userId")`],
    refused: 'unsafe-text',
  },
  {
    name: 'a name that would end a statement of the plan',
    on: ['pg'],
    own: ['alter table "account" enable row level security', `create policy ${hostile} on "account" using (true)`],
    refused: 'unsafe-text',
  },
  {
    name: 'a name that would end a statement of the plan',
    on: ['mysql'],
    own: [`alter table "posts" add constraint ${hostile} foreign key ("author") references "user" ("id")`],
    refused: 'unsafe-text',
  },
  // Columns and types.
  {
    name: 'own columns that both tables have',
    own: ['alter table "session" add "ipAddress" varchar(40)', `update "session" set "ipAddress" = '::1'`],
    kept: 'select "ipAddress" from "session"',
  },
  {
    name: 'columns of the app, with odd names',
    on: ['sqlite', 'pg'],
    own: [`alter table "user" add column "o.""x';--" text default '\u00e9'`, 'create index "my ""index" on "account" ("scope")'],
  },
  {
    name: 'a column of the app that the server updates',
    on: ['mysql'],
    own: [
      'alter table "user" add column "seen" timestamp not null default current_timestamp on update current_timestamp',
      `update "user" set "seen" = '2020-01-01'`,
    ],
    kept: 'select "seen" from "user"',
  },
  { name: 'a database in latin1', on: ['mysql'], settings: 'character set latin1' },
  { name: 'a database in latin1, to the official tables', on: ['mysql'], settings: 'character set latin1', target: official },
  { name: 'ids that would be numbers', target: { generator: 'ours', generateId: 'serial' }, refused: 'wrong-type' },
  { name: 'ids that are text and would be uuid', on: ['pg'], target: { generator: 'ours', generateId: 'uuid' }, refused: 'wrong-type' },
  {
    name: 'ids that are uuid',
    on: ['pg'],
    source: 'defineTables',
    target: { generator: 'ours', generateId: 'uuid' },
    rows: withUuids,
    own: [
      ...references.map(([table, , name]) => `alter table "${table}" drop constraint "${name}"`),
      'alter table "user" alter column "id" type uuid using "id"::uuid',
      ...references.flatMap(([table, column, name]) => [
        `alter table "${table}" alter column "${column}" type uuid using "${column}"::uuid`,
        `alter table "${table}" add constraint "${name}" foreign key ("${column}") references "user" ("id") on delete cascade`,
      ]),
    ],
  },
]

async function check(
  dialect: DialectName,
  { rows, settings, own = [], source, target, refused, says = /./, isMended, after = [], kept }: Case,
) {
  const options = { own: typeof own === 'function' ? own(dialect) : own, ...(rows && { rows }), ...(settings && { settings }) }
  const app = await open(dialect, options, source, target)
  const plain = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString() : value)
  const read = async (query: string) => JSON.stringify((await app.q(query)).map((row) => Object.values(row).map(plain)))
  if (refused) {
    const before = await app.dump()
    const planned = await app.plan()
    expect(planned).toMatchObject({ code: 1, plan: [], undo: [], cleanup: [] })
    const found = errorsOf(planned).filter(({ code }) => code === refused) as (Planned['findings'][number] & {
      run?: { before: string[]; after: string[] }
    })[]
    expect(found.map(({ message }) => message).join('\n')).toMatch(says)
    expect(codes(planned)).toContain(refused)
    expect(await app.dump()).toEqual(before)
    if (!isMended) return
    for (const statement of found.flatMap(({ fix, run }) => run?.before ?? fix ?? [])) await app.exec(statement)
  }
  const [before, shown] = [await app.dump(), kept && (await read(kept))]
  const { undo, cleanup } = await app.there()
  if (kept) expect(await read(kept)).toBe(shown)
  for (const [query, expected] of after) expect(await read(query), query).toBe(JSON.stringify(expected))
  expect(await app.plan()).toMatchObject({ code: 0, plan: [], undo, cleanup })
  await app.apply(undo)
  expect(await app.dump()).toEqual(before)
}

describe.each(dialects)('on %s, a plan refuses or does right, and comes back', (dialect) => {
  for (const one of cases) if (!one.on || one.on.includes(dialect)) test(one.name, () => check(dialect, one))
})

describe.each(on('pg'))('rights on %s', (dialect) => {
  const tables = ['account', 'session', 'verificationToken', 'authenticator', 'user']

  test.each(['with', 'without'])('nobody can read more than before, and the app can read what it could, %s policies', async (given) => {
    const role = `r${crypto.randomUUID().replaceAll('-', '')}`
    const [anon, own] = [`${role}_anon`, `${role}_app`]
    const hasPolicies = given === 'with'
    const app = await open(dialect, {
      own: [
        `create role ${anon}`,
        `create role ${own}`,
        ...tables.map((name) => `alter table "${name}" enable row level security`),
        ...(hasPolicies ? tables.map((name) => `create policy "own rows" on "${name}" to ${own} using (true)`) : []),
        ...tables.map((name) => `grant select, insert, update, delete on "${name}" to ${own}`),
        `alter default privileges in schema public grant select on tables to ${anon}, public`,
      ],
    })
    onTestFinished(async () => {
      await app.exec(`drop owned by ${anon}, ${own}`)
      await app.exec(`drop role ${anon}, ${own}`)
    })
    const { findings, undo } = await app.there()
    expect(findings.filter(({ code }) => code === 'policies')).toEqual([])
    const all = (
      await app.q(
        `select relname::text as name, relrowsecurity as closed from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
      )
    )
      .map(({ name, closed }) => ({ name: String(name), closed }))
      .filter(({ name }) => name !== 'posts')
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['session', 'authjs_session', 'passkey', 'verification', 'user']))
    const readable = async (who: string) => {
      const can = async (name: string) => (await app.q(`select has_table_privilege('${who}', '"${name}"', 'select') as can`))[0]?.can
      return (await Promise.all(all.map(async ({ name }) => ((await can(name)) ? [name] : [])))).flat()
    }
    expect([await readable(anon), await readable('public')]).toEqual([[], []])
    // Nobody but the owner reads and writes what a person will run.
    expect(await readable(own)).toEqual(all.map(({ name }) => name).filter((name) => name !== 'authjs_undo'))
    expect(all.filter(({ closed, name }) => !closed && name !== 'authjs_undo')).toEqual([])
    const tokensOf = async (column: string) => {
      await app.exec(`set role ${own}`)
      const rows = await app.q(`select "${column}" from "session"`)
      await app.exec('reset role')
      return rows.length
    }
    expect(await tokensOf('token')).toBe(hasPolicies ? 3 : 0)
    await app.exec(`grant insert on "authjs_undo" to ${own}`)
    expect({ ...(await app.plan()) }).toMatchObject({ code: 1, undo: [], findings: [{ code: 'privileges' }] })
    await app.apply(undo)
    expect(await tokensOf('sessionToken')).toBe(hasPolicies ? 3 : 0)
  })

  test('a policy whose columns the new table does not have leaves it closed, and the plan says so', async () => {
    const app = await open(dialect, {
      own: ['alter table "account" enable row level security', 'create policy "by provider" on "account" using ("provider" <> \'x\')'],
    })
    const { findings } = await app.there()
    expect(findings.find(({ code }) => code === 'policies')?.message).toContain('by provider')
    expect(await app.q(`select relrowsecurity as closed from pg_class where oid = 'account'::regclass`)).toEqual([{ closed: true }])
  })
})

const newUser = (id: string, name: string, email: string) => `('${id}', '${name}', '${email}@example.com', '2030-01-01', '2030-01-01')`
const misfits: [DialectName, string, string][] = [
  ['pg', 'a name that is longer than the old column', newUser('n', 'n'.repeat(90), 'n')],
  ['mysql', 'a name that is longer than the old column', newUser('n', 'n'.repeat(90), 'n')],
  ['mysql', 'an address that the old column takes for another one', `${newUser('n', '', 'jos\u00e9')}, ${newUser('m', '', 'jose')}`],
]

test.each(misfits.filter(([dialect]) => dialects.includes(dialect)))(
  'the way back on %s fails at its first statement because of %s',
  async (dialect, _, rows) => {
    const short = dialect === 'pg' ? 'alter "name" type varchar(20)' : 'modify "name" varchar(20) character set utf8mb4'
    const app = await open(dialect, { own: [`alter table "user" ${short}`] })
    const { undo } = await app.there()
    await app.exec(`insert into "user" ("id", "name", "email", "createdAt", "updatedAt") values ${rows}`)
    const before = await app.dump()
    await expect(app.apply(undo.slice(0, 1))).rejects.toThrow()
    expect(await app.dump()).toEqual(before)
    const later = await app.plan()
    expect({ undo: later.undo, said: later.findings.map(({ code }) => code) }).toEqual({
      undo: [],
      said: expect.arrayContaining(['no-way-back']),
    })
    await app.exec(`delete from "user" where "id" in ('n', 'm')`)
    await app.apply((await app.plan()).undo)
    expect(await app.q('select "sessionToken" from "session"')).toHaveLength(3)
  },
)

test.runIf(dialects.includes('mysql'))(
  'dates are the same in whatever session each statement runs, for an app that is not in UTC',
  async () => {
    const app: App = await open('mysql', { rows: {} })
    const expires = new Date(ends.bob).toISOString().slice(0, 19).replace('T', ' ')
    await app.exec(`set time_zone = '+02:00'`)
    await app.exec(`insert into "user" ("id", "email") values ('u', 'u@example.com')`)
    await app.exec(`insert into "session" values ('${tokens.bob}', 'u', '${expires}')`)
    const { plan, undo } = await app.plan('--time-zone', '+02:00')
    const before = await app.dump()
    const apart = async (all: Planned['plan']) => {
      for (const [index, statement] of all.flatMap(({ sql }) => sql).entries()) {
        const { exec, close } = await connect.mysql(app.url, { connections: 1 })
        await exec(`set time_zone = '${index % 2 ? '-07:00' : '+11:00'}'`)
        await exec(statement).finally(close)
      }
    }
    await apart(plan)
    const age = 'abs(timestampdiff(minute, "updatedAt", utc_timestamp())) < 2'
    expect(await app.q(`select cast("expiresAt" as char) as e, ${age} as now from "session"`)).toEqual([{ e: `${expires}.000`, now: 1 }])
    await apart(undo)
    expect(await app.dump()).toEqual(before)
  },
)

describe.each(dialects)('on %s', (dialect) => {
  test('rows that were written since are counted, and stay beside the old tables when the plan is undone later', async () => {
    const app = await open(dialect)
    const sessions = await app.q('select * from "session"')
    await app.there()
    const later = dialect === 'sqlite' ? 1 : `'2030-01-01'`
    const columns = '"id", "token", "userId", "expiresAt", "createdAt", "updatedAt"'
    await app.exec(`insert into "session" (${columns}) values ('s', 'since', 'u-ada', ${later}, ${later}, ${later})`)
    const planned = await app.plan()
    expect(planned.findings.find(({ code }) => code === 'written-since')?.message).toMatch(/has run: 1 session\. /)
    expect(planned.plan).toEqual([])
    await app.apply(planned.undo)
    expect(await app.q('select * from "session"')).toEqual(sessions)
    expect(await app.q(`select "id" from "authjs_session" where "id" = 's'`)).toHaveLength(1)
    // The old app does not fill the columns that the plan has added to users.
    await app.exec(`insert into "user" ("id", "email") values ('n', 'n@example.com')`)
    expect(codes(await app.plan())).toEqual(['name-in-use'])
    expect(Object.keys((await app.dump()).rows).filter((name) => /^new_|_undo$/.test(name))).toEqual([])
  })

  test('run twice, the plan and its way back fail before they change anything', async () => {
    const app = await open(dialect)
    const { plan, undo } = await app.there()
    if (dialect === 'sqlite') {
      // Older versions of SQLite do not have unixepoch('subsecond').
      expect(JSON.stringify(plan)).not.toMatch(/unixepoch/)
      expect(JSON.stringify(plan)).toContain("cast((julianday('now') - 2440587.5) * 86400000 as integer)")
    }
    for (const steps of [plan, undo]) {
      const before = await app.dump()
      await expect(app.apply([{ about: '', sql: (steps[0]?.sql ?? []).slice(0, 1) }])).rejects.toThrow()
      expect(await app.dump()).toEqual(before)
      if (steps === plan) await app.apply(undo)
    }
  })
})
