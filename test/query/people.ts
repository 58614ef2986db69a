import Database from 'better-sqlite3'
import type { Table } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import * as lite from 'drizzle-orm/sqlite-core'
import type { Model } from '../../src/contract.js'
import { models } from '../../src/contract.js'
import { createCodec } from '../../src/query/codec.js'
import type { SqlDialect } from '../../src/query/dialect.js'
import type { Database as AnyDatabase } from '../../src/query/drizzle.js'
import type { RetryLimits } from '../../src/query/retry.js'
import { createStatements } from '../../src/query/statements.js'
import { sqlite } from '../../src/sqlite/dialect.js'

/** Stored in capitals. Its encoder cannot take null. */
const capitals = lite.customType<{ data: string }>({ dataType: () => 'text', toDriver: (value) => value.toUpperCase() })

/** Encoded by the database. */
const lowered = lite.customType<{ data: string }>({ dataType: () => 'text', toDriver: (value) => sql`lower(${value})` })

const users = lite.sqliteTable('people', {
  id: lite.text('person_id').primaryKey(),
  email: lite.text('address').notNull(),
  name: lite.text(),
  age: lite.integer(),
  code: capitals(),
  nick: lowered(),
  friend: lite.text(),
  city: lite.text(),
})
const sessions = lite.sqliteTable('sessions', {
  sessionToken: lite.text().primaryKey(),
  userId: lite.text('owner').notNull(),
  expires: lite.integer({ mode: 'timestamp_ms' }).notNull(),
})

const schema = `
  create table people (
    person_id text primary key, address text not null unique, name text, age integer, code text, nick text,
    friend text references people (person_id), city text
  );
  create table sessions (sessionToken text primary key, owner text not null references people (person_id), expires integer not null);
`

/** Two users and a session, in a database of their own. */
export function open({ dialect = {}, limits = false }: { dialect?: Partial<SqlDialect>; limits?: RetryLimits | false } = {}) {
  const client = new Database(':memory:')
  client.exec(schema)
  client.exec(
    `insert into people (person_id, address, name, age) values ('1', 'ada@example.com', 'Ada', 36), ('2', 'bob@example.com', null, 50)`,
  )
  client.exec(`insert into sessions values ('token', '1', 4000000000000)`)
  const db = drizzle({ client }) as unknown as AnyDatabase
  const built = { prepared: 0, once: 0 }
  const counting: SqlDialect = {
    ...sqlite.sql,
    prepare(query, returnsRows) {
      built.prepared++
      return sqlite.sql.prepare(query, returnsRows)
    },
    once(query, returnsRows) {
      built.once++
      return sqlite.sql.once(query, returnsRows)
    },
    ...dialect,
  }
  const create = (table: Table, model: Model, key: string[]) =>
    createStatements(db, table, key, createCodec(model, table, counting), counting, limits)
  return {
    client,
    db,
    built,
    users: create(users, models.users, ['id']),
    sessions: create(sessions, models.sessions, ['sessionToken']),
    rows: (query: string) => client.prepare(query).all(),
  }
}
