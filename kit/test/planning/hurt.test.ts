import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../../test/support/connections.js'
import type { AppOptions, Planned, Source, TargetOptions } from '../authjs/app.js'
import { openApp } from '../authjs/app.js'
import { ends, people, tokens } from '../authjs/people.js'

/** What a plan must never do to the only database of an app: each case is refused before the first statement, or done right. */

const target: TargetOptions = { generator: 'ours', camelCase: true }
const errorsOf = ({ findings }: Planned) => findings.filter(({ severity }) => severity === 'error')
const codes = (planned: Planned) => [...new Set(errorsOf(planned).map(({ code }) => code))]
const dialects = inject('dialects')
const on = (...names: string[]) => dialects.filter((name) => names.includes(name))

async function open(dialect: (typeof dialects)[number], options: AppOptions = {}, source: Source = 'official', to = target) {
  const app = await openApp(dialect, source, to, options)
  onTestFinished(app.close)
  const there = async (...more: string[]) => {
    const planned = await app.plan(...more)
    expect(errorsOf(planned)).toEqual([])
    await app.apply(planned.plan)
    return planned
  }
  return {
    ...app,
    there,
    /** The plan and its way back lead to the same rows and tables. */
    async thereAndBack(...more: string[]) {
      const before = await app.dump()
      const { undo } = await there(...more)
      await app.apply(undo)
      expect(await app.dump()).toEqual(before)
    },
    /** The plan is refused, and has not changed anything. */
    async refused(code: string, ...more: string[]) {
      const before = await app.dump()
      const planned = await app.plan(...more)
      expect(codes(planned)).toContain(code)
      expect(planned).toMatchObject({ code: 1, plan: [], undo: [], cleanup: [] })
      expect(await app.dump()).toEqual(before)
      return errorsOf(planned).find((one) => one.code === code) as Planned['findings'][number] & {
        run?: { before: string[]; after: string[] }
      }
    },
  }
}

const user = (id: string, more: object = {}) => ({ id, name: null, email: `${id}@example.com`, emailVerified: null, image: null, ...more })
const only = { ...people, account: [], session: [], verificationToken: [], authenticator: [] }

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
        `select relname as name, relrowsecurity as closed from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
      )
    )
      .filter(({ name }) => name !== 'posts' && name !== 'authjs_undo')
      .map(({ name, closed }) => ({ name: String(name), closed }))
    expect(all.map(({ name }) => name)).toEqual(expect.arrayContaining(['session', 'authjs_session', 'passkey', 'verification', 'user']))
    const canRead = async (who: string) =>
      (
        await Promise.all(
          all.map(async ({ name }) => [name, (await app.q(`select has_table_privilege('${who}', '"${name}"', 'select') as can`))[0]?.can]),
        )
      ).filter(([, can]) => can)
    expect(await canRead(anon)).toEqual([])
    expect(await canRead('public')).toEqual([])
    expect((await canRead(own)).length).toBe(all.length)
    expect(all.filter(({ closed }) => !closed)).toEqual([])
    await app.exec(`set role ${own}`)
    expect(await app.q('select "token" from "session"')).toHaveLength(hasPolicies ? 3 : 0)
    await app.exec('reset role')
    await app.apply(undo)
    await app.exec(`set role ${own}`)
    expect(await app.q('select "sessionToken" from "session"')).toHaveLength(hasPolicies ? 3 : 0)
    await app.exec('reset role')
  })

  test('a policy whose columns the new table does not have leaves it closed, and the plan says so', async () => {
    const app = await open(dialect, {
      own: ['alter table "account" enable row level security', 'create policy "by provider" on "account" using ("provider" <> \'x\')'],
    })
    const { findings } = await app.there()
    expect(
      findings
        .filter(({ code }) => code === 'policies')
        .map(({ message }) => message)
        .join(),
    ).toContain('by provider')
    expect(await app.q(`select relrowsecurity as closed from pg_class where oid = 'account'::regclass`)).toEqual([{ closed: true }])
  })
})

describe.each(on('mysql', 'pg'))('the way back on %s', (dialect) => {
  test.each([
    [
      'a name that is longer than the old column',
      `insert into "user" ("id", "name", "email", "createdAt", "updatedAt") values ('n', '${'n'.repeat(90)}', 'n@example.com', '2030-01-01', '2030-01-01')`,
    ],
    ...(dialect === 'mysql'
      ? [
          [
            'an address that the old column takes for another one',
            `insert into "user" ("id", "name", "email", "createdAt", "updatedAt") values ('n', '', 'jos\u00e9@example.com', '2030-01-01', '2030-01-01'), ('m', '', 'jose@example.com', '2030-01-01', '2030-01-01')`,
          ],
        ]
      : []),
  ])('fails at its first statement because of %s', async (_, statement) => {
    const app = await open(dialect, {
      own: [
        dialect === 'pg'
          ? 'alter table "user" alter "name" type varchar(20)'
          : 'alter table "user" modify "name" varchar(20) character set utf8mb4',
      ],
    })
    const { undo } = await app.there()
    await app.exec(statement as string)
    const before = await app.dump()
    await expect(app.apply(undo.map(({ about, sql }) => ({ about, sql: sql.slice(0, 1) })).slice(0, 1))).rejects.toThrow()
    expect(await app.dump()).toEqual(before)
    const later = await app.plan()
    expect({ undo: later.undo, said: later.findings.map(({ code }) => code) }).toEqual({
      undo: [],
      said: expect.arrayContaining(['no-way-back']),
    })
    await app.exec(`delete from "user" where "id" in ('n', 'm')`)
    await app.apply((await app.plan()).undo)
    expect(await app.q('select "sessionToken" from "session"')).toHaveLength(3)
  })
})

describe.each(on('mysql'))('foreign keys on %s', (dialect) => {
  test('that only hold without case are refused', async () => {
    const app = await open(dialect, { rows: { user: [user('u1')] }, own: [`update "posts" set "author" = 'U1'`] })
    expect((await app.refused('orphans')).table).toBe('posts')
  })

  test('dates are the same in whatever session each statement runs', async () => {
    const app = await open(dialect, { rows: {} })
    await app.exec(`set time_zone = '+02:00'`)
    await app.exec(`insert into "user" ("id", "email") values ('u', 'u@example.com')`)
    await app.exec(
      `insert into "session" values ('${tokens.bob}', 'u', '${new Date(ends.bob).toISOString().slice(0, 19).replace('T', ' ')}')`,
    )
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
    expect(await app.q('select cast("expiresAt" as char) as e from "session"')).toEqual([
      { e: `${new Date(ends.bob).toISOString().slice(0, 19).replace('T', ' ')}.000` },
    ])
    await apart(undo)
    expect(await app.dump()).toEqual(before)
  })
})

describe.each(dialects)('rows that stop a plan half-way on %s', (dialect) => {
  test('ends of tokens in milliseconds', async () => {
    const app = await open(dialect, {
      rows: only,
      own:
        dialect === 'sqlite'
          ? []
          : [
              dialect === 'pg'
                ? 'alter table "account" alter "expires_at" type bigint'
                : 'alter table "account" modify "expires_at" bigint',
            ],
    })
    await app.exec(
      `insert into "account" ("userId", "type", "provider", "providerAccountId", "expires_at") values ('u-ada', 'oidc', 'p', '1', 1900000000000)`,
    )
    const { fix } = await app.refused('too-large')
    await app.exec(fix as string)
    await app.thereAndBack()
  })

  test.runIf(dialect !== 'sqlite')('counters of passkeys above 2\u00b3\u00b9', async () => {
    const app = await open(dialect, {
      rows: { ...people, authenticator: [] },
      own: [
        dialect === 'pg'
          ? 'alter table "authenticator" alter "counter" type bigint'
          : 'alter table "authenticator" modify "counter" bigint not null',
      ],
    })
    await app.exec(
      `insert into "authenticator" ("credentialID", "userId", "providerAccountId", "credentialPublicKey", "counter", "credentialDeviceType", "credentialBackedUp") values ('c', 'u-ada', 'p', 'k', 4294967295, 'd', true)`,
    )
    await app.refused('too-large')
  })

  test.runIf(dialect === 'mysql')('tokens above 64 KB, and those that the collation of the target takes for one', async () => {
    const app = await open(dialect, { rows: only, own: ['alter table "account" modify "access_token" longtext'] }, 'defineTables')
    await app.exec(
      `insert into "account" ("userId", "type", "provider", "providerAccountId", "access_token") values ('u-ada', 'oidc', 'p', '1', repeat('x', 70000))`,
    )
    expect((await app.refused('too-long')).message).toContain('1 row')
    const alike = await open(
      dialect,
      {
        rows: {
          ...only,
          session: [
            { sessionToken: 'a', userId: 'u-ada', expires: new Date() },
            { sessionToken: 'A', userId: 'u-ada', expires: new Date() },
          ],
        },
      },
      'defineTables',
      { generator: 'official' },
    )
    await alike.refused('duplicates')
    const emails = await open(
      dialect,
      { rows: { user: [user('a', { email: 'jos\u00e9@example.com' }), user('b', { email: 'jose@example.com' })] } },
      'defineTables',
      { generator: 'official' },
    )
    await emails.refused('case-collisions')
  })

  test('a foreign key of the app to addresses with capital letters', async () => {
    const type = dialect === 'mysql' ? 'varchar(255)' : 'text'
    const app = await open(dialect, {
      own: [
        `create table "invited" ("by" ${type}, constraint "invited_fk" foreign key ("by") references "user" ("email"))`,
        `insert into "invited" values ('Ada@Example.com')`,
      ],
    })
    await app.refused('in-use')
    const calm = await open(dialect, {
      rows: { ...only, user: [user('u-ada')] },
      own: [
        `create table "invited" ("by" ${type}, constraint "invited_fk" foreign key ("by") references "user" ("email"))`,
        `insert into "invited" values ('u-ada@example.com')`,
      ],
    })
    if (dialect === 'mysql') await calm.there()
    else await calm.thereAndBack()
    expect(await calm.q('select "by" from "invited"')).toHaveLength(1)
  })
})

describe.each(dialects)('what depends on emailVerified on %s', (dialect) => {
  const stored =
    dialect === 'pg'
      ? 'boolean generated always as ("emailVerified" is not null) stored'
      : dialect === 'mysql'
        ? 'boolean as ("emailVerified" is not null) stored'
        : 'integer as ("emailVerified" is not null)'

  test('an index, a check and a generated column stay with what it held', async () => {
    const app = await open(dialect, {
      own: [
        `alter table "user" add "seen" ${stored}`,
        'create index "both" on "user" ("emailVerified", "name")',
        ...(dialect === 'sqlite' ? [] : [`alter table "user" add constraint "late" check ("emailVerified" > '2000-01-01')`]),
      ],
    })
    const before = await app.dump()
    const { undo } = await app.there()
    const rows = await app.q('select "id", "seen", "emailVerified" as "now" from "user" order by "id"')
    expect(rows.map(({ id, seen, now }) => [String(id), Boolean(Number(seen)), Boolean(Number(now))])).toEqual([
      ['u-ada', true, true],
      ['u-bob', false, false],
      ['u-zoe', false, false],
    ])
    await app.apply(undo)
    expect(await app.dump()).toEqual(before)
  })

  test('a view shows the same, or refuses the plan', async () => {
    const app = await open(dialect, {
      own: ['create view "verified" as select "id", "emailVerified" as "at" from "user" where "emailVerified" is not null'],
    })
    if (dialect === 'mysql') return void (await app.refused('in-use'))
    const shown = () => app.q('select * from "verified"')
    const before = await shown()
    expect(before).toHaveLength(1)
    const { undo } = await app.there()
    expect(await shown()).toEqual(before)
    await app.apply(undo)
    expect(await shown()).toEqual(before)
  })

  test.runIf(dialect === 'pg')('a policy follows it', async () => {
    const app = await open(dialect, {
      own: ['alter table "user" enable row level security', 'create policy "p" on "user" using ("emailVerified" is not null)'],
    })
    await app.thereAndBack()
    expect(await app.q(`select pg_get_expr(polqual, polrelid) as e from pg_policy`)).toEqual([{ e: '("emailVerified" IS NOT NULL)' }])
  })
})

describe.each(on('pg', 'mysql'))('triggers on %s', (dialect) => {
  test('on users refuse the plan, which prints what to run', async () => {
    const app = await open(dialect, {
      own: [
        'create table "log" ("n" int)',
        ...(dialect === 'pg'
          ? [
              `create function logged() returns trigger language plpgsql as 'begin insert into log values (1); return new; end'`,
              'create trigger "logging" after update on "user" for each row execute function logged()',
            ]
          : ['create trigger "logging" after update on "user" for each row insert into "log" values (1)']),
      ],
    })
    const { run } = await app.refused('trigger')
    for (const statement of run?.before ?? []) await app.exec(statement)
    await app.thereAndBack()
    expect(await app.q('select * from "log"')).toEqual([])
    for (const statement of run?.after ?? []) await app.exec(statement)
    await app.exec(`update "user" set "name" = 'x' where "id" = 'u-ada'`)
    expect(await app.q('select * from "log"')).toHaveLength(1)
  })
})

describe.each(dialects)('rows on %s', (dialect) => {
  test('of no user are counted, and the printed statement deletes them', async () => {
    const none = {
      sqlite: [
        'drop table "session"',
        'create table "session" ("sessionToken" text primary key, "userId" text, "expires" integer not null)',
      ],
      pg: ['alter table "session" alter "userId" drop not null'],
      mysql: ['alter table "session" modify "userId" varchar(255) null'],
    }[dialect]
    const app = await open(dialect, {
      rows: only,
      own: [
        ...none,
        `insert into "session" ("sessionToken", "expires") values ('s', ${dialect === 'sqlite' ? '1900000000000' : `'2030-01-01'`})`,
      ],
    })
    const { fix, message } = await app.refused('orphans')
    expect(message).toMatch(/1 row$/)
    await app.exec(fix as string)
    await app.thereAndBack()
  })

  test('own columns that both tables have are copied', async () => {
    const app = await open(dialect, {
      own: ['alter table "session" add "ipAddress" varchar(40)', `update "session" set "ipAddress" = '::1'`],
    })
    const { undo } = await app.there()
    expect((await app.q('select "ipAddress" as ip from "session"')).map(({ ip }) => String(ip))).toEqual(['::1', '::1', '::1'])
    await app.apply(undo)
    expect((await app.q('select "ipAddress" as ip from "session"')).map(({ ip }) => String(ip))).toEqual(['::1', '::1', '::1'])
  })

  test.runIf(dialect === 'sqlite')('with an empty date or 0 are not verified', async () => {
    const app = await open(dialect, {
      rows: { user: [user('a'), user('b')] },
      own: [`update "user" set "emailVerified" = '' where "id" = 'a'`, `update "user" set "emailVerified" = 0 where "id" = 'b'`],
    })
    await app.thereAndBack()
    await app.there()
    expect(await app.q('select "emailVerified" as v from "user"')).toEqual([{ v: 0 }, { v: 0 }])
  })

  test.runIf(dialect === 'mysql')('with zero dates are refused, and lengths are counted in characters', async () => {
    const app = await open(dialect, {
      rows: { user: [user('a')] },
      own: [`set sql_mode = ''`, `update "user" set "emailVerified" = '0000-00-00'`, 'set sql_mode = default'],
    })
    await app.refused('unreadable-dates')
    const long = await open(dialect, { rows: { user: [user('a', { name: '\u00e9'.repeat(200) })] } })
    await long.there()
    expect(String((await long.q('select "name" as n from "user"'))[0]?.n)).toHaveLength(200)
  })

  test.runIf(dialect === 'sqlite')('get no default that older versions of SQLite lack', async () => {
    const app = await open(dialect)
    const { plan } = await app.there()
    expect(JSON.stringify(plan)).not.toMatch(/unixepoch/)
    expect(JSON.stringify(plan)).toContain("cast((julianday('now') - 2440587.5) * 86400000 as integer)")
  })

  test('that were written since are counted, and stay beside the old tables when the plan is undone later', async () => {
    const app = await open(dialect)
    const sessions = await app.q('select * from "session"')
    const { undo, cleanup } = await app.there()
    expect(await app.plan()).toMatchObject({ code: 0, plan: [], undo, cleanup })
    const later = dialect === 'sqlite' ? 1 : `'2030-01-01'`
    await app.exec(
      `insert into "session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt") values ('s', 'since', 'u-ada', ${later}, ${later}, ${later})`,
    )
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
    const moved = await app.dump()
    const firstOf = (steps: Planned['plan']) => [{ about: '', sql: (steps[0]?.sql ?? []).slice(0, 1) }]
    await expect(app.apply(firstOf(plan))).rejects.toThrow()
    expect(await app.dump()).toEqual(moved)
    await app.apply(undo)
    const back = await app.dump()
    await expect(app.apply(firstOf(undo))).rejects.toThrow()
    expect(await app.dump()).toEqual(back)
  })
})
