import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AppOptions, Source, TargetOptions } from '../../support/authjs/app.js'
import { openApp } from '../../support/authjs/app.js'
import { ends, people, tokens } from '../../support/authjs/people.js'

/** Databases that differ from the usual ones: each plan leads to the same rows, and undo back, or the plan is refused. */

interface Case {
  name: string
  dialect: 'sqlite' | 'pg' | 'mysql'
  source?: Source
  target?: TargetOptions
  options?: AppOptions
  /** The errors of the plan. */
  refused?: string[]
}

const uuids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222', '33333333-3333-4333-8333-333333333333']
const renamed = (id: unknown) => uuids[['u-ada', 'u-bob', 'u-zoe'].indexOf(String(id))] as string
const withUuids = {
  ...people,
  user: people.user.map((user) => ({ ...user, id: renamed(user.id) })),
  account: people.account.map((row) => ({ ...row, userId: renamed(row.userId) })),
  session: people.session.map((row) => ({ ...row, userId: renamed(row.userId) })),
  authenticator: people.authenticator.map((row) => ({ ...row, userId: renamed(row.userId) })),
}

const references = [
  ['posts', 'author', 'posts_author_fk'],
  ...['account', 'session', 'authenticator'].map((table) => [table, 'userId', `${table}_userId_user_id_fk`]),
] as const

/** Names that the plan would print. Of those that stay, it prints none. */
const hostile = {
  sqlite: ['create index "a --> statement-breakpoint drop table posts; --" on "account" ("userId")'],
  pg: [
    'alter table "account" enable row level security',
    'create policy "a --> statement-breakpoint drop table posts; --" on "account" using (true)',
  ],
  mysql: [
    'alter table "posts" add constraint "a --> statement-breakpoint drop table posts; --" foreign key ("author") references "user" ("id")',
  ],
}

const cases: Case[] = [
  {
    name: 'letters that SQLite cannot convert to lower case',
    dialect: 'sqlite',
    options: { rows: { user: [{ id: 'a', name: null, email: 'ZOË@example.com', emailVerified: null, image: null }] } },
    refused: ['not-lower-case'],
  },
  {
    name: 'ids that are uuid',
    dialect: 'pg',
    target: { generator: 'ours', generateId: 'uuid' },
    options: {
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
  },
  {
    name: 'ids that are text and would be uuid',
    dialect: 'pg',
    target: { generator: 'ours', generateId: 'uuid' },
    refused: ['wrong-type'],
  },
  { name: 'ids that would be numbers', dialect: 'pg', target: { generator: 'ours', generateId: 'serial' }, refused: ['wrong-type'] },
  { name: 'ids that would be numbers', dialect: 'mysql', target: { generator: 'ours', generateId: 'serial' }, refused: ['wrong-type'] },
  { name: 'ids that would be numbers', dialect: 'sqlite', target: { generator: 'ours', generateId: 'serial' }, refused: ['wrong-type'] },
  { name: 'a database in latin1', dialect: 'mysql', source: 'official', options: { settings: 'character set latin1' } },
  {
    name: 'a database in latin1, to the official tables',
    dialect: 'mysql',
    source: 'official',
    target: { generator: 'official' },
    options: { settings: 'character set latin1' },
  },
  {
    name: 'a trigger on accounts',
    dialect: 'pg',
    options: {
      own: [
        `create function noted() returns trigger language plpgsql as 'begin return new; end'`,
        'create trigger "noting" before insert on "account" for each row execute function noted()',
      ],
    },
    refused: ['trigger'],
  },
  {
    name: 'a trigger on accounts',
    dialect: 'sqlite',
    options: { own: ['create trigger "noting" after insert on "account" begin select 1; end'] },
    refused: ['trigger'],
  },
  {
    name: 'columns of the app, with odd names',
    dialect: 'pg',
    options: { own: [`alter table "user" add column "o.""x';--" text default 'é'`, 'create index "my ""index" on "account" ("scope")'] },
  },
  {
    name: 'columns of the app, with odd names',
    dialect: 'sqlite',
    options: { own: [`alter table "user" add column "o.""x';--" text default 'é'`, 'create index "my ""index" on "account" ("scope")'] },
  },
  {
    name: 'a column of the app that the server updates',
    dialect: 'mysql',
    options: {
      own: [
        'alter table "user" add column "seen" timestamp not null default current_timestamp on update current_timestamp',
        `update "user" set "seen" = '2020-01-01'`,
      ],
    },
  },
  ...(['sqlite', 'pg', 'mysql'] as const).map((dialect) => ({
    name: 'a name that would end a statement of the plan',
    dialect,
    source: dialect === 'mysql' ? ('official' as const) : ('defineTables' as const),
    options: { own: hostile[dialect] },
    refused: ['unsafe-text'],
  })),
  {
    name: 'names that would be too long with the prefix',
    dialect: 'pg',
    options: { own: [`create index "${'i'.repeat(60)}" on "session" ("userId")`] },
  },
]

describe.each(cases.filter(({ dialect }) => inject('dialects').includes(dialect)))('$dialect: $name', (one) => {
  test('moves and comes back, or is refused', async () => {
    const { dialect, source = 'defineTables', target = { generator: 'ours' }, options, refused } = one
    const app = await openApp(dialect, source, target, options)
    onTestFinished(app.close)
    const before = await app.dump()
    const { plan, undo, findings } = await app.plan()
    const errors = findings.filter(({ severity }) => severity === 'error')
    expect([...new Set(errors.map(({ code }) => code))]).toEqual(refused ?? [])
    if (refused) return expect(plan).toEqual([])
    await app.apply(plan)
    expect(await app.plan()).toMatchObject({ code: 0, plan: [] })
    const emails = (await app.q('select "email" from "user"')).map(({ email }) => Buffer.from(email as string).toString())
    expect(emails.sort()).toEqual(['ada@example.com', 'bob@example.com', 'zoë@example.com'])
    await app.apply(undo)
    expect(await app.dump()).toEqual(before)
  })
})

/** The official adapter on MySQL stores what Drizzle writes as UTC in columns that follow the time zone of the session. */
test.runIf(inject('dialects').includes('mysql'))('dates are the same for an app whose sessions are not in UTC', async () => {
  const app = await openApp('mysql', 'official', { generator: 'ours' }, { rows: {} })
  onTestFinished(app.close)
  await app.exec(`set time_zone = '+05:30'`)
  const expires = new Date(ends.bob).toISOString().replace('T', ' ').slice(0, 19)
  await app.exec(`insert into "user" ("id", "email") values ('u', 'u@example.com')`)
  await app.exec(`insert into "session" values ('${tokens.bob}', 'u', '${expires}')`)
  const { plan } = await app.plan('--time-zone', '+05:30')
  await app.apply(plan)
  const [session] = await app.q(
    `select cast("expires_at" as char) as expires, timestampdiff(second, "updated_at", utc_timestamp()) as age from "session"`,
  )
  expect(session?.expires).toBe(`${expires}.000`)
  expect(Math.abs(Number(session?.age))).toBeLessThan(60)
})
