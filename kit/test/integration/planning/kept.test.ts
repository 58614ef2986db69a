import { mysqlTableCreator } from 'drizzle-orm/mysql-core'
import { pgSchema as pgSchemaOf, pgTableCreator } from 'drizzle-orm/pg-core'
import { integer, sqliteTable, sqliteTableCreator, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { defineTables as defineMysql } from '../../../../src/mysql/tables.js'
import { defineTables as definePg } from '../../../../src/pg/tables.js'
import { defineTables as defineSqlite } from '../../../../src/sqlite/tables.js'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { statementsOf } from '../../../../test/support/migrations.js'
import * as mysqlSchema from '../../../../test/support/schema/mysql.js'
import * as pgSchema from '../../../../test/support/schema/pg.js'
import * as sqliteSchema from '../../../../test/support/schema/sqlite.js'
import { planMove, scriptOf } from '../../../src/planning/index.js'
import { describeTables } from '../../support/moving/shape.js'

/**
 * What an app has of its own beside the tables of the old adapter: the plan keeps it, or refuses before its first statement. A plan that
 * is not refused runs to its end, and leaves nothing for a second one.
 */

interface Case {
  name: string
  /** Changes to the statements that create the tables. */
  changes?: [string | RegExp, string][]
  /** Statements of the app, after the tables. Names are in double quotes, which become backticks on MySQL. */
  own?: string[]
  source?: 'official' | 'prisma'
  /** The tables to move to, if they are not those of test/support/schema. */
  tables?: Partial<Record<DialectName, object>>
  /** What the errors of the plan say. It has no statements then. */
  refused?: RegExp[]
  /** What the plan warns of. */
  warned?: RegExp
  /** A query whose result is the same before and after. */
  kept?: string
  /** Statements that fail before and after. */
  rejected?: string[]
  /** Statements that succeed after the plan. */
  accepted?: string[]
  /** A statement that removes what is outside of the database. */
  finally?: string
  /** Queries after the plan, with their only value. */
  after?: [query: string, value: unknown][]
}

const schemas = { sqlite: sqliteSchema, pg: pgSchema, mysql: mysqlSchema }
const types: Record<DialectName, Record<'KEY' | 'TEXT' | 'DATE', string>> = {
  pg: { KEY: 'text', TEXT: 'text', DATE: 'timestamp' },
  mysql: { KEY: 'varchar(255)', TEXT: 'varchar(255)', DATE: 'timestamp(3) null' },
  sqlite: { KEY: 'text', TEXT: 'text', DATE: 'integer' },
}

/** The tables of the official adapter. */
const tables = [
  'create table "user" ("id" KEY primary key not null, "name" TEXT, "email" KEY unique, "emailVerified" DATE, "image" TEXT)',
  `create table "account" ("userId" KEY not null, "type" TEXT not null, "provider" KEY not null, "providerAccountId" KEY not null, "refresh_token" TEXT,
    "access_token" TEXT, "expires_at" int, "token_type" TEXT, "scope" TEXT, "id_token" TEXT, "session_state" TEXT, primary key ("provider", "providerAccountId"),
    constraint "account_userId_user_id_fk" foreign key ("userId") references "user" ("id") on delete cascade)`,
  `create table "session" ("sessionToken" KEY primary key not null, "userId" KEY not null, "expires" DATE,
    constraint "session_userId_user_id_fk" foreign key ("userId") references "user" ("id") on delete cascade)`,
  'create table "verificationToken" ("identifier" KEY not null, "token" KEY not null, "expires" DATE, primary key ("identifier", "token"))',
]

function statementsFor(dialect: DialectName, { changes = [], own = [] }: Case): string[] {
  const created = tables.map((table) => {
    const changed = changes.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), table)
    return changed.replaceAll(/\b(KEY|TEXT|DATE)\b(?! \()/g, (type, _, at) =>
      /primary $|foreign $/.test(changed.slice(0, at)) ? type : types[dialect][type as 'KEY'],
    )
  })
  const quoted = (text: string) => (dialect === 'mysql' ? text.replaceAll('"', '`') : text)
  return [...created, ...own].map(quoted)
}

async function open(dialect: DialectName, one: Case) {
  const setup = dialect === 'mysql' ? ['alter database character set utf8mb4'] : []
  const { db, exec, run, close } = await openDatabase(dialect, { migrations: [...setup, ...statementsFor(dialect, one)], connections: 1 })
  onTestFinished(async () => {
    if (one.finally) await exec(one.finally)
    await close()
  })
  const all = (one.tables?.[dialect] ?? schemas[dialect]) as never
  const quoted = (text: string) => (dialect === 'mysql' ? text.replaceAll('"', '`') : text)
  return {
    exec: (statement: string) => exec(quoted(statement)),
    run: (query: string) => run(quoted(query)),
    plan: () =>
      planMove(db as never, dialect, {
        source: one.source ?? 'official',
        tables: { authjs: all, others: {}, all },
        schemaSource: '',
        expiresIn: 0,
      }),
    async apply(statements: string[]) {
      // As the script says: in one transaction.
      if (dialect === 'pg') await exec('begin')
      for (const statement of statements) await exec(statement)
      if (dialect === 'pg') await exec('commit')
    },
    /** Every row of every table, and the shape of the tables. */
    async dump() {
      const shape = await describeTables(dialect, run)
      const names = [...new Set(shape[0]?.map((row) => String(row.name ?? row.table_name ?? row.t)))]
      const row = (name: string) => run(quoted(dialect === 'pg' ? `select t::text as row from "${name}" t` : `select * from "${name}"`))
      const rows =
        dialect === 'pg' && one.tables
          ? []
          : await Promise.all(names.map(async (name) => [name, (await row(name)).map((each) => JSON.stringify(each)).sort()]))
      // SQLite writes the names of tables that were renamed in other quotes.
      return { shape: JSON.parse(JSON.stringify(shape).replaceAll(/`|\\"/g, "'")), rows, kept: one.kept ? await run(quoted(one.kept)) : [] }
    },
  }
}

async function check(dialect: DialectName, one: Case) {
  const { exec, run, plan, apply } = await open(dialect, one)
  const read = async () => (one.kept ? await run(one.kept) : [])
  const expectRejected = async () => {
    for (const statement of one.rejected ?? []) await expect(exec(statement), statement).rejects.toThrow()
  }

  const planned = await plan()
  const said = (severity: string) => planned.notices.filter((notice) => notice.severity === severity).map(({ message }) => message)
  if (one.refused) {
    for (const pattern of one.refused) expect(said('error').join('\n')).toMatch(pattern)
    expect(planned).toMatchObject({ plan: [], undo: [], cleanup: [] })
    return
  }
  expect(said('error')).toEqual([])
  if (one.warned) expect(said('warning').join('\n')).toMatch(one.warned)
  const before = await read()
  await expectRejected()
  await apply(statementsOf(scriptOf(planned, dialect, '')))
  // Once it has run, the same way back is printed, and nothing is left to do when the old tables are gone.
  const { plan: rest, undo, cleanup } = await plan()
  expect({ rest, undo, cleanup }).toEqual({ rest: [], undo: planned.undo, cleanup: planned.cleanup })
  await apply(cleanup.flatMap(({ sql }) => sql))
  expect((await plan()).plan).toEqual([])
  expect(await read()).toEqual(before)
  await expectRejected()
  for (const statement of one.accepted ?? []) await exec(statement)
  for (const [query, value] of one.after ?? []) expect(Object.values((await run(query))[0] ?? {}), query).toEqual([value])
}

/** The way back leads to the same tables with the same rows. */
async function checkUndo(dialect: DialectName, one: Case) {
  const { plan, apply, dump } = await open(dialect, one)
  const before = await dump()
  const { plan: there, undo } = await plan()
  await apply(there.flatMap(({ sql }) => sql))
  await apply(undo.flatMap(({ sql }) => sql))
  expect(await dump()).toEqual(before)
}

const ada = `insert into "user" ("id", "name", "email") values ('a', 'Ada', 'ada@example.com')`

const numbered = sqliteTable('user', { id: integer().primaryKey({ autoIncrement: true }), name: text(), email: text().notNull().unique() })
const numberedTables = { ...defineSqlite({ usersTable: numbered as never }), usersTable: numbered }

const withPrefix = (name: string) => `the_${name}`
const prefixedTables = {
  pg: definePg({ table: pgTableCreator(withPrefix), casing: 'snake_case' }),
  mysql: defineMysql({ table: mysqlTableCreator(withPrefix), casing: 'snake_case' }),
  sqlite: defineSqlite({ table: sqliteTableCreator(withPrefix), casing: 'snake_case' }),
}

const otherDatabase = `other_${crypto.randomUUID().replaceAll('-', '')}`

const everywhere: Case[] = [
  {
    name: 'rows of tables that get a prefix and columns in snake_case',
    tables: prefixedTables,
    changes: [[/(create table|references) "(\w+)"/g, '$1 "$2s"']],
    own: [ada.replace('"user"', '"users"'), `insert into "sessions" values ('s', 'a', '2030-01-01')`],
    after: [[`select 1 from "the_session" where "session_token" = 's' and "user_id" = 'a'`, 1]],
  },
  {
    name: 'a name that a new index needs',
    own: [`create index "session_userId_idx" on "session" ("userId", "expires")`],
    refused: [/session_userId_idx/],
  },
  {
    name: 'nulls in a column that becomes required',
    own: [ada, `insert into "session" ("sessionToken", "userId") values ('s', 'a')`],
    refused: [/no value/],
  },
  {
    name: 'duplicates that a new key forbids',
    changes: [[', primary key ("identifier", "token")', '']],
    own: ['t', 't', 't', 'other'].map((token) => `insert into "verificationToken" values ('i', '${token}', '2030-01-01')`),
    refused: [/^duplicate rows, which the new key does not allow: 2 rows$/],
  },
  {
    name: 'rows of users who do not exist, which a new foreign key forbids',
    changes: [[/,\s*constraint "session_userId_user_id_fk" .* on delete cascade/, '']],
    own: [ada, `insert into "session" values ('s', 'a', '2030-01-01'), ('t', 'gone', '2030-01-01')`],
    refused: [/^rows of users that do not exist, which the new foreign key does not allow: 1 row$/],
  },
  {
    name: 'rows of tables without primary keys, which the official documentation declares so that Drizzle ignores them',
    changes: [[/, primary key \([^)]*\)/, '']],
    own: [ada, `insert into "account" ("userId", "type", "provider", "providerAccountId") values ('a', 'oauth', 'p', '1')`],
    warned: /no primary key/,
    kept: 'select "type" from "account"',
  },
  {
    name: 'references to a primary key that another one replaces',
    changes: [['"sessionToken" KEY primary key', '"id" KEY primary key, "sessionToken" KEY']],
    own: [
      ada,
      `insert into "session" ("id", "sessionToken", "userId", "expires") values ('1', 's', 'a', '2030-01-01')`,
      'create table "device" ("session" varchar(255), constraint "of session" foreign key ("session") references "session" ("id") on delete cascade)',
      `insert into "device" values ('1')`,
    ],
    kept: 'select "session" from "device"',
    rejected: [`insert into "device" values ('gone')`],
    accepted: [`insert into "device" values ('1')`, 'delete from "session"'],
  },
]

const cases: Record<DialectName, Case[]> = {
  sqlite: [
    {
      name: 'constraints of columns',
      changes: [
        ['"name" TEXT', `"name" TEXT default 'nobody' collate nocase unique check ("name" <> 'root, (admin)')`],
        ['"image" TEXT', '"image" TEXT references "picture" ("id") on delete set null deferrable initially deferred'],
      ],
      own: ['create table "picture" ("id" text primary key)', ada, `insert into "user" ("id", "email") values ('b', 'b@example.com')`],
      kept: `select "id", "name", "email" from "user" where "name" in ('ADA', 'nobody') order by "id"`,
      rejected: [
        `insert into "user" ("id", "name", "email") values ('x', 'aDA', 'x@example.com')`,
        `insert into "user" ("id", "name", "email") values ('x', 'root, (admin)', 'x@example.com')`,
        `insert into "user" ("id", "name", "email", "image") values ('x', 'x', 'x@example.com', 'gone')`,
      ],
    },
    {
      name: 'constraints and options of tables, and generated columns',
      changes: [
        [
          '"image" TEXT)',
          `"image" TEXT, "first" text as (substr("name", 1, 1)) stored, "size" real default -1.5, constraint "long name" check (length("name") > 1) unique ("name", "image") on conflict fail) strict, without rowid`,
        ],
      ],
      own: [ada],
      kept: 'select "first", "size" from "user"',
      rejected: [
        `insert into "user" ("id", "name", "email") values ('x', 'x', 'x@example.com')`,
        `insert into "user" ("id", "email", "image") values ('x', 'x@example.com', zeroblob(3))`,
      ],
    },
    {
      name: 'the count of ids, so that none is given twice',
      tables: { sqlite: numberedTables },
      changes: [
        ['"id" KEY primary key not null', '"id" integer primary key autoincrement'],
        [/"userId" KEY/, '"userId" integer'],
      ],
      own: [`insert into "user" ("id", "email") values (7, 'b@example.com')`, 'delete from "user"'],
      after: [[`insert into "user" ("email") values ('c@example.com') returning "id"`, 8]],
    },
    {
      name: 'ids that the database gives, where the code has texts',
      changes: [['"id" KEY primary key not null', '"id" integer primary key']],
      refused: [/integer/],
    },
    {
      name: 'a foreign key to whatever the primary key is',
      changes: [['"sessionToken" KEY primary key', '"id" integer primary key, "sessionToken" KEY']],
      own: ['create table "device" ("session" references "session")'],
      refused: [/primary key of session/],
    },
    {
      name: 'addresses that were compared without their case',
      changes: [['"email" KEY unique', '"email" KEY collate nocase unique']],
      own: [`insert into "user" ("id", "email") values ('a', 'Ada@Example.com')`],
      warned: /capital letters/,
      after: [
        [`select "id" from "user" where "email" = 'ada@example.com'`, 'a'],
        [`select count(*) from "user" where "email" = 'ADA@example.com'`, 0],
      ],
    },
    {
      name: 'triggers, views and indexes, with new names of tables and columns',
      source: 'prisma',
      changes: [
        [/"user"/g, '"User"'],
        [/"emailVerified"/, '"email_verified"'],
      ],
      own: [
        `create table "log" ("email_verified" text)`,
        `create index "early" on "User" (lower("name")) where "email_verified" is null`,
        `create view "verified" as select u."email_verified" as "at", "User" as "text" from "User" u, (select 'User' as "User")`,
        `create trigger "logged" after update of "email_verified" on "User" begin insert into "log" ("email_verified") values ('User: ' || new."email_verified"); end`,
        ada.replace('"user"', '"User"'),
        `update "User" set "email_verified" = 1`,
      ],
      kept: 'select "at", "text", "email_verified" from "verified", "log"',
      after: [[`select count(*) from sqlite_master where name = 'early' and sql like '%"user"%"emailVerified" is null%'`, 1]],
    },
    {
      name: 'an expression that names its own table',
      changes: [['"image" TEXT)', `"image" TEXT, check ("user"."name" <> 'root'))`]],
      refused: [/a part of its definition/],
    },
    {
      name: 'odd ways to write a table',
      changes: [
        [
          '"image" TEXT)',
          `"image" TEXT /* a, b) */, -- (it's
          [the plan] varchar ( 10 , 2 ) constraint "p, (" not null on conflict replace default 'a, not null' constraint c check ([the plan] <> ')'),
          größe not null default -1.5e-3, \`as is\` blob default x'00ff', "boss" references "user" match full on update set null on delete no action not deferrable initially immediate,
          constraint u unique ("name" collate nocase desc, größe))`,
        ],
      ],
      own: [ada],
      kept: 'select "the plan", größe, hex("as is") as "hex" from "user"',
      rejected: [
        `insert into "user" ("id", "email", "the plan") values ('x', 'x@example.com', ')')`,
        `insert into "user" ("id", "email", "name") values ('x', 'x@example.com', 'ADA')`,
      ],
    },
    {
      name: 'the order of rows, which others may refer to by rowid',
      own: [ada, `insert into "user" ("id", "email") values ('b', 'b@example.com')`, `delete from "user" where "id" = 'a'`],
      kept: 'select rowid, "id" from "user"',
    },
  ],
  pg: [
    {
      name: 'whatever uses a changed column',
      own: [
        'create view "v" as select "expires_at" from "account"',
        'create materialized view "m" as select "expires_at" from "account"',
        'create function "f"() returns bigint language sql begin atomic select max("expires_at") from "account"; end',
        'create policy "p" on "account" using ("expires_at" > 0)',
        'create function "t"() returns trigger language plpgsql as $$ begin return new; end $$',
        'create trigger "u" before update of "expires_at" on "account" for each row execute function "t"()',
        'create publication "all of it" for table "account" where ("expires_at" > 0)',
        'alter table "account" add "late" boolean generated always as ("expires_at" > 5) stored',
        'create table "copy" ("row" "account")',
      ],
      refused: [/ view v\b/, / view m\b/, /function f\b/, /trigger u\b/, /publication all of it/, /column late/, /copy/],
    },
    {
      name: 'checks and indexes of a table that is created again',
      own: [
        'alter table "account" add constraint "positive" check ("expires_at" > 0)',
        'create index "late" on "account" (("expires_at" + 1)) where "expires_at" > 9',
      ],
      refused: [/constraint positive/, /index late/],
    },
    {
      name: 'a default of a column that becomes wider',
      own: ['alter table "account" alter "expires_at" set default 5'],
      after: [
        [
          `select column_default from information_schema.columns where table_name = 'account' and column_name = 'expires_at'`,
          '(5)::bigint',
        ],
      ],
    },
    {
      name: 'a check of a column that gets another type',
      changes: [
        ['"id" KEY primary', `"id" uuid check ("id" <> '00000000-0000-0000-0000-000000000000'::uuid) primary`],
        [/"userId" KEY/, '"userId" uuid'],
      ],
      refused: [/check|user_id_check/],
    },
    {
      name: 'a domain with rules of its own',
      own: ['create domain "seconds" as int check (value > 0)', 'alter table "account" alter "expires_at" type "seconds"'],
      refused: [/domain/],
    },
    { name: 'an inherited table', own: ['create table "old accounts" () inherits ("account")'], refused: [/inherit/] },
    {
      name: 'a function that names a table which gets another name',
      source: 'prisma',
      changes: [[/"user"/g, '"User"']],
      own: ['create function "f"() returns bigint language plpgsql as $$ begin return (select count(*) from "User"); end $$'],
      refused: [/function f/],
    },
    {
      name: 'collations and defaults of columns that change',
      changes: [['"name" TEXT', `"name" varchar(90) collate "POSIX" default 'nobody'`]],
      after: [
        [`insert into "user" ("id", "email") values ('x', 'x@example.com') returning "name"`, 'nobody'],
        [`select collation_name from information_schema.columns where table_name = 'user' and column_name = 'name'`, 'POSIX'],
      ],
    },
    {
      name: 'a collation that ignores case',
      changes: [
        [
          'create table "user"',
          `create collation "ci" (provider = icu, locale = 'und-u-ks-level2', deterministic = false); create table "user"`,
        ],
        ['"email" KEY unique', '"email" KEY collate "ci" unique'],
      ],
      own: [`insert into "user" ("id", "email") values ('a', 'Ada@Example.com')`],
      warned: /capital letters/,
      after: [
        [`select "id" from "user" where "email" = 'ada@example.com'`, 'a'],
        [`select count(*)::int from "user" where "email" = 'ADA@example.com'`, 0],
      ],
    },
    {
      name: 'an index that cannot become a constraint',
      changes: [['"email" KEY unique', '"email" KEY']],
      own: ['create unique index "user_email" on "user" ("email" desc)'],
      kept: `select indexname from pg_indexes where indexname = 'user_email'`,
    },
    {
      name: 'a trigger that would fire, here at the end of the transaction',
      own: [
        'create function "t"() returns trigger language plpgsql as $$ begin return new; end $$',
        'create constraint trigger "c" after update on "user" deferrable initially deferred for each row execute function "t"()',
        `insert into "user" ("id") values ('a')`,
      ],
      refused: [/the trigger c would fire on every row/],
    },
    {
      name: 'a view that groups by a primary key',
      source: 'prisma',
      changes: [['"sessionToken" KEY primary key', '"id" KEY primary key, "sessionToken" KEY']],
      own: ['create view "v" as select "id", "userId" from "session" group by "id"'],
      refused: [/view v/],
    },
    {
      name: 'foreign keys with all their rules',
      changes: [['"sessionToken" KEY primary key', '"id" KEY primary key, "sessionToken" KEY']],
      own: [
        'create table "device" ("session" text, constraint "of session" foreign key ("session") references "session" ("id") match full on delete cascade deferrable not valid)',
      ],
      kept: `select pg_get_constraintdef(oid) from pg_constraint where conname = 'of session'`,
    },
    {
      name: 'rows of tables in a schema',
      tables: { pg: definePg({ table: pgSchemaOf('auth').table as never }) },
      changes: [
        [/(create table|references) "/g, '$1 "auth"."'],
        ['create table "auth"."user"', 'create schema "auth"; $&'],
      ],
      own: [ada.replace('"user"', '"auth"."user"')],
      kept: 'select "name" from "auth"."user"',
    },
    { name: 'a name that a view has', own: ['create view "authenticator" as select 1 as "one"'], refused: [/authenticator/] },
  ],
  mysql: [
    {
      name: 'a row format with shorter keys, another engine, and partitions',
      changes: [
        ['"image" TEXT)', '"image" TEXT) character set latin1 row_format=compact'],
        [/"userId" KEY/, '"userId" KEY character set latin1'],
        [/, primary key \("identifier", "token"\)/, '$&) partition by key ("identifier"'],
      ],
      own: ['create table "authenticator" ("credentialID" varchar(100) primary key, "userId" varchar(255)) engine=MyISAM'],
      refused: [/row format/i, /engine/i, /partition/],
    },
    {
      name: 'indexes, checks and generated columns that a changed column cannot have',
      own: [
        'create fulltext index "words" on "user" ("name")',
        'create index "by name" on "user" ("name")',
        'create unique index "beginning" on "user" ("email"(10))',
        `alter table "user" add constraint "has an at" check ("email" like '%@%')`,
        `alter table "user" add "domain" varchar(255) as (substring_index("email", '@', -1)) stored`,
        `create table "post" ("id" int primary key, "author" varchar(255) check (char_length("author") > 0), foreign key ("author") references "user" ("id"))`,
      ],
      refused: [
        /index words/,
        /index by name/,
        /index beginning/,
        /check has an at/,
        /column domain/,
        /these use it: check (author|post_chk_1)/,
      ],
    },
    {
      name: 'a key that becomes too long',
      changes: [['"email" KEY', '"email" KEY character set latin1']],
      own: ['alter table "user" add "tenant" varchar(520)', 'create unique index "of tenant" on "user" ("tenant", "email")'],
      refused: [/of tenant.*3072/],
    },
    {
      name: 'invisible columns, defaults, comments and collations',
      own: [
        `create table "post" ("id" int primary key, "author" varchar(255) invisible default 'a' comment 'who''s it', constraint "by" foreign key ("author") references "user" ("id") on delete set null)`,
        `alter table "account" modify "scope" varchar(255) character set utf8mb4 collate utf8mb4_german2_ci default 'openid' comment 'rights' invisible`,
      ],
      kept: `select table_name as t, column_name as c, is_nullable as n, column_comment as k, replace(extra, 'DEFAULT_GENERATED ', '') as e from information_schema.columns
        where table_schema = database() and column_name in ('author', 'scope') and table_name not like 'official%' order by 1`,
      after: [
        [
          `select count(*) from information_schema.columns where table_schema = database() and column_default like '%openid%' and table_name = 'account'`,
          1,
        ],
        [
          `select collation_name from information_schema.columns where table_schema = database() and table_name = 'account' and column_name = 'scope'`,
          'utf8mb4_german2_ci',
        ],
        [
          `select column_type from information_schema.columns where table_schema = database() and column_name = 'author'`,
          'varbinary(1020)',
        ],
      ],
    },
    {
      name: 'ids that the database gives, where the code has texts',
      changes: [
        ['"id" KEY primary key not null', '"id" int primary key auto_increment'],
        [/"userId" KEY/, '"userId" int'],
      ],
      refused: [/int.* in the database and varbinary/],
    },
    {
      name: 'a row that becomes too long',
      changes: [
        [/"(id|userId)" KEY/, '"$1" KEY character set latin1'],
        [/"image" TEXT\)/, '"image" TEXT) character set latin1'],
        ['"email" KEY', '"email" KEY character set latin1'],
      ],
      own: ['alter table "user" add "essay" varchar(16000) character set utf8mb4'],
      refused: [/65535/],
    },
    {
      name: 'foreign keys between tables of the app, and to other columns',
      own: [
        'create table "team" ("owner" varchar(255) not null, "no" int not null, primary key ("owner", "no"), constraint "of owner" foreign key ("owner") references "user" ("id") on update cascade)',
        'create table "member" ("team" varchar(255), "no" int, "mail" varchar(255), constraint "of team" foreign key ("team", "no") references "team" ("owner", "no") on delete cascade, constraint "by mail" foreign key ("mail") references "user" ("email") on delete set null)',
      ],
      kept: `select constraint_name as c, referenced_table_name as r, delete_rule as d, update_rule as u from information_schema.referential_constraints
        where constraint_schema = database() and table_name in ('team', 'member') order by 1`,
    },
    {
      name: 'a foreign key of a table in another database',
      own: [
        `create database ${otherDatabase} character set utf8mb4`,
        `set @created = concat('create table ${otherDatabase}.post (author varchar(255), constraint by_author foreign key (author) references ', database(), '.user (id) on delete cascade)')`,
        'prepare created from @created',
        'execute created',
      ],
      kept: `select constraint_name as c, delete_rule as d, referenced_table_name as r from information_schema.referential_constraints where constraint_schema = '${otherDatabase}'`,
      finally: `drop database ${otherDatabase}`,
    },
    {
      name: 'whatever names a table that gets another name',
      source: 'prisma',
      changes: [[/"user"/g, '"User"']],
      own: [
        'create table "post" ("author" varchar(255))',
        'create view "v" as select "name" from "User"',
        'create trigger "t" before insert on "post" for each row set new."author" = (select min("id") from "User")',
        'create procedure "p"() select count(*) from "User"',
      ],
      refused: [/view v\b/, /trigger t\b/, /routine p\b/],
    },
    {
      name: 'texts that are too long',
      changes: [
        [
          '"identifier" KEY not null, "token" KEY not null, "expires" DATE, primary key ("identifier", "token")',
          '"identifier" varchar(700) not null, "token" KEY primary key, "expires" DATE',
        ],
      ],
      own: [`insert into "verificationToken" values (repeat('\u{1F600}', 300), 't', '2030-01-01')`],
      refused: [/more than 1020 bytes.*: 1 row/],
    },
    {
      name: 'dates that a datetime cannot hold',
      own: [
        `set sql_mode = ''`,
        `insert into "user" ("id", "email", "emailVerified") values ('a', 'a@example.com', '0000-00-00')`,
        'set sql_mode = default',
      ],
      refused: [/dates/],
    },
    {
      name: 'capitals that only the case tells apart',
      changes: [['"email" KEY unique', '"email" KEY collate utf8mb4_bin unique']],
      own: [`insert into "user" ("id", "email") values ('a', 'A@example.com'), ('b', 'a@example.com')`],
      kept: 'select convert("email" using utf8mb4) as "email" from "user" order by "id"',
    },
  ],
}

/** The table of sessions is another one after the plan: rows of both are kept when it is undone later. */
async function checkSince(dialect: DialectName) {
  const { plan, apply, exec, run } = await open(dialect, { name: '', own: [ada, `insert into "session" values ('s', 'a', '2030-01-01')`] })
  await apply((await plan()).plan.flatMap(({ sql }) => sql))
  await exec(`insert into "session" ("sessionToken", "userId", "expires") values ('t', 'a', ${dialect === 'sqlite' ? 1 : "'2030-01-01'"})`)
  const { notices, undo } = await plan()
  expect(notices.find(({ code }) => code === 'written-since')?.message).toMatch(/has run: 1 session\. /)
  await apply(undo.flatMap(({ sql }) => sql))
  const tokens = async (table: string) => (await run(`select "sessionToken" as t from "${table}" order by 1`)).map(({ t }) => String(t))
  expect({ old: await tokens('session'), since: await tokens('official_session') }).toEqual({ old: ['s'], since: ['s', 't'] })
}

describe.each(inject('dialects'))('the plan on %s keeps or refuses', (dialect) => {
  test('rows that were written since, when it is undone later', () => checkSince(dialect))
})

describe.each(inject('dialects'))('the plan on %s keeps or refuses', (dialect) => {
  for (const one of [...everywhere, ...cases[dialect]]) {
    test(one.name, () => check(dialect, one))
    if (!one.refused) test(`${one.name}, and comes back`, () => checkUndo(dialect, one))
  }
})
