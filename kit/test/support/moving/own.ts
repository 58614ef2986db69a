import type { DialectName } from '../../../../test/support/dialects.js'

/**
 * Tables of an app that reference its users in every way that a plan must preserve, with unusual names. `ID` stands for the type of the
 * users' ids. Names are in double quotes, which become backticks on MySQL.
 */
const statements: Record<DialectName, (users: string) => string[]> = {
  pg: (users) => [
    `alter table ${users} add column "plan" varchar(20) not null default 'free'`,
    `create index "by plan" on ${users} ("plan")`,
    'create schema "Other Schema"',
    `create table "My ""Posts""" (id serial primary key, "the author" ID not null constraint "posts, author" references ${users} (id) on update cascade on delete restrict,
      editor ID references ${users} (id) on delete set null deferrable initially deferred, title text not null default 'untitled')`,
    `create table "Other Schema".profile ("user" ID primary key references ${users} (id) on delete cascade, bio text)`,
    'create table "Other Schema".avatar ("owner" ID, kind text, primary key ("owner", kind), constraint avatar_owner foreign key ("owner") references "Other Schema".profile ("user") on update cascade on delete cascade)',
  ],
  mysql: (users) => [
    `alter table ${users} add column "plan" varchar(20) not null default 'free'`,
    `create index "by plan" on ${users} ("plan")`,
    `create table "My Posts" (id int auto_increment primary key, "the author" ID not null comment 'who''s it', editor ID null, title varchar(100) not null default 'untitled',
      constraint "posts, author" foreign key ("the author") references ${users} (id) on update cascade on delete restrict,
      constraint "posts_editor" foreign key (editor) references ${users} (id) on delete set null)`,
    `create table profile ("user" ID primary key, bio text, constraint profile_user foreign key ("user") references ${users} (id) on delete cascade)`,
    'create table avatar ("owner" ID, kind varchar(10), primary key ("owner", kind), constraint avatar_owner foreign key ("owner") references profile ("user") on update cascade on delete cascade)',
  ],
  sqlite: (users) => [
    `alter table ${users} add column "plan" text not null default 'free' check ("plan" <> '')`,
    `create index "by plan" on ${users} ("plan")`,
    `create table "My ""Posts""" (id integer primary key, "the author" text not null references ${users} (id) on update cascade on delete restrict,
      editor text references ${users} (id) on delete set null, title text not null default 'untitled')`,
    `create table profile ("user" text primary key references ${users} (id) on delete cascade, bio text)`,
    'create table avatar ("owner" text, kind text, primary key ("owner", kind), foreign key ("owner") references profile ("user") on update cascade on delete cascade)',
    `create view "all users" as select id, email from ${users}`,
    `create trigger "plan changed" after update of "plan" on ${users} begin update profile set bio = 'changed' where "user" = new.id; end`,
  ],
}

const posts: Record<DialectName, string> = { pg: '"My ""Posts"""', mysql: '"My Posts"', sqlite: '"My ""Posts"""' }
const schemaPrefix: Record<DialectName, string> = { pg: '"Other Schema".', mysql: '', sqlite: '' }

interface Store {
  exec(statement: string): Promise<void>
  run(statement: string): Promise<Record<string, unknown>[]>
}

/** Reads the other tables of the app. */
export interface AppTables {
  /** All rows, as text. */
  rows(): Promise<string[][]>
  /** The foreign keys with their ON DELETE and ON UPDATE actions. */
  foreignKeys(): Promise<string[]>
}

const foreignKeyQueries: Record<DialectName, string> = {
  pg: `select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) as "key" from pg_constraint
    where contype = 'f' and conrelid::regclass::text ~ 'Posts|profile|avatar' order by 1`,
  mysql: `select concat_ws(' ', r.table_name, r.constraint_name, r.delete_rule, r.update_rule, k.column_name, k.referenced_column_name) as "key"
    from information_schema.referential_constraints r join information_schema.key_column_usage k
    on k.constraint_schema = r.constraint_schema and k.constraint_name = r.constraint_name and k.table_name = r.table_name
    where r.constraint_schema = database() and r.table_name in ('My Posts', 'profile', 'avatar') order by 1`,
  sqlite: `select m.name || ' ' || lower(f."table") || ' ' || f."from" || ' ' || f."to" || f.on_delete || f.on_update as "key"
    from sqlite_master m, pragma_foreign_key_list(m.name) f where m.name like '%Posts%' or m.name in ('profile', 'avatar') order by 1`,
}

/** Adds these tables, with rows, to a database that has users. `id` is the type of the users' ids. */
export async function addAppTables(dialect: DialectName, store: Store, users: string, id: string): Promise<AppTables> {
  const quoted = (statement: string) => (dialect === 'mysql' ? statement.replaceAll('"', '`') : statement)
  const exec = (statement: string) => store.exec(quoted(statement))
  for (const statement of statements[dialect](users)) await exec(statement.replaceAll(/\bID\b/g, id))
  await exec(`insert into ${posts[dialect]} ("the author", editor) select id, case when name = 'Ada' then id end from ${users}`)
  await exec(`insert into ${schemaPrefix[dialect]}profile ("user", bio) select id, name from ${users}`)
  await exec(`insert into ${schemaPrefix[dialect]}avatar ("owner", kind) select "user", 'small' from ${schemaPrefix[dialect]}profile`)
  const text = (value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString() : String(value))
  const rowsOf = async (table: string) =>
    (await store.run(quoted(`select * from ${table}`))).map((row) => Object.values(row).map(text).join(' ')).sort()
  return {
    rows: async () => [
      await rowsOf(posts[dialect]),
      await rowsOf(`${schemaPrefix[dialect]}profile`),
      await rowsOf(`${schemaPrefix[dialect]}avatar`),
    ],
    // The plan may have renamed the users table, so its name is normalized.
    foreignKeys: async () =>
      (await store.run(quoted(foreignKeyQueries[dialect]))).map(({ key }) =>
        text(key)
          .replaceAll(/"?User"?\(/gi, 'user(')
          .replaceAll('"', ''),
      ),
  }
}
