import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { exactText } from 'drizzle-auth-adapter/mysql'
import { getTableName, is, sql, Table } from 'drizzle-orm'
import { drizzle as sqliteDatabase } from 'drizzle-orm/better-sqlite3'
import * as mysql from 'drizzle-orm/mysql-core'
import { drizzle as mysqlDatabase } from 'drizzle-orm/mysql2'
import * as pg from 'drizzle-orm/pg-core'
import { drizzle as pgDatabase } from 'drizzle-orm/postgres-js'
import * as sqlite from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { loadSchemaCode } from '../../support/better-auth.js'
import type { DialectName } from '../../support/dialects.js'

const databases = { pg: pgDatabase.mock(), mysql: mysqlDatabase.mock(), sqlite: sqliteDatabase.mock() }
const options: BetterAuthOptions = { plugins: [{ id: 'all', schema: { everything: { fields: {} } } }] }

async function regenerate(dialect: DialectName, schema: Record<string, unknown>): Promise<string> {
  return (await drizzleAdapter(databases[dialect], { schema })(options).createSchema?.(options, 'no-such-file.ts'))?.code ?? ''
}

/** What a table says about itself, as values that can be compared. Other tables and their columns stand as names. */
function describeTable(table: unknown, dialect: DialectName): unknown {
  const simplify = (key: string, value: unknown): unknown => {
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value === 'function') return String(value).replace(/\s|\/\*.*?\*\//g, '')
    if (key === 'enum' || key === 'usedTables') return undefined
    if (isTable(value)) return getTableName(value)
    return value
  }
  const configs = { pg: pg.getTableConfig, mysql: mysql.getTableConfig, sqlite: sqlite.getTableConfig }
  const configOf = configs[dialect] as unknown as typeof pg.getTableConfig
  const { foreignKeys, columns, ...config } = configOf(table as never)
  const keys = foreignKeys.map((key) => ({ ...key, name: key.getName(), reference: key.reference() }))
  const types = columns.map((column) => column.getSQLType())
  return JSON.parse(JSON.stringify({ ...config, columns, keys, types }, simplify))
}
const isTable = (value: unknown): value is Table => is(value, Table)

const role = pg.pgEnum('role', ['admin', 'user'])
const other = pg.pgSchema('other')
const level = other.enum('level', ['low', 'high'])
const pgUser = pg.pgTable('user', { id: pg.uuid().primaryKey().defaultRandom() })

// Every type that the core of the dialect has, and every option of it that changes the column.
const pgColumns = {
  id: pg.bigserial({ mode: 'bigint' }).primaryKey(),
  'user-id': pg
    .uuid('user_id')
    .notNull()
    .references(() => pgUser.id, { onDelete: 'set null', onUpdate: 'cascade' }),
  text: pg.text().default(`it's \`$\{x}\` \\`),
  choice: pg.text('the_choice', { enum: ['a', "b'c"] }).notNull(),
  varchar: pg.varchar({ length: 20 }).unique(),
  char: pg.char('c', { length: 3, enum: ['abc'] }).unique('named', { nulls: 'not distinct' }),
  integer: pg.integer().generatedByDefaultAsIdentity({ name: 'counter', startWith: 7 }),
  always: pg.smallint().generatedAlwaysAsIdentity(),
  big: pg.bigint({ mode: 'bigint' }),
  safe: pg.bigint({ mode: 'number' }),
  serial: pg.serial(),
  small: pg.smallserial(),
  bigserial: pg.bigserial({ mode: 'number' }),
  boolean: pg.boolean().default(true),
  real: pg.real().default(1.5),
  double: pg.doublePrecision(),
  numeric: pg.numeric({ precision: 10, scale: 2 }),
  numericNumber: pg.numeric({ precision: 10, mode: 'number' }),
  numericBig: pg.numeric({ mode: 'bigint' }),
  json: pg.json().default({ a: [1, 'x'], 'b-c': null }),
  jsonb: pg.jsonb().default([]),
  uuid: pg.uuid().default(sql`pg_catalog.gen_random_uuid()`),
  timestamp: pg
    .timestamp({ withTimezone: true, precision: 3 })
    .defaultNow()
    .$onUpdate(() => /* @__PURE__ */ new Date()),
  day: pg.timestamp({ mode: 'string', precision: 6 }),
  date: pg.date({ mode: 'date' }).default(new Date('2024-01-02')),
  dateString: pg.date(),
  time: pg.time({ precision: 2, withTimezone: true }),
  interval: pg.interval({ fields: 'day', precision: 3 }),
  inet: pg.inet(),
  cidr: pg.cidr(),
  macaddr: pg.macaddr(),
  macaddr8: pg.macaddr8(),
  role: role().default('user'),
  roles: role('all_roles').array(),
  level: level(),
  list: pg.text().array().default([]).notNull(),
  lower: pg.text().generatedAlwaysAs(sql`lower('A')`),
  key: pg.text().$defaultFn(() => crypto.randomUUID()),
}

const mysqlUser = mysql.mysqlTable('user', { id: exactText('id').primaryKey() })
const mysqlColumns = {
  id: mysql.int({ unsigned: true }).autoincrement().primaryKey(),
  userId: exactText('user_id').references((): mysql.AnyMySqlColumn => mysqlUser.id, { onDelete: 'cascade' }),
  text: mysql.text({ enum: ['a'] }),
  tinytext: mysql.tinytext(),
  mediumtext: mysql.mediumtext(),
  longtext: mysql.longtext(),
  varchar: mysql.varchar('the_varchar', { length: 36 }).default('a').notNull().unique(),
  char: mysql.char({ length: 3 }),
  enum: mysql.mysqlEnum('choice', ['a', "b'c"]).default('a'),
  enum2: mysql.mysqlEnum(['a']),
  tinyint: mysql.tinyint(),
  smallint: mysql.smallint({ unsigned: true }),
  mediumint: mysql.mediumint(),
  bigint: mysql.bigint({ mode: 'number' }),
  bigint64: mysql.bigint({ mode: 'bigint', unsigned: true }),
  boolean: mysql.boolean().default(false),
  real: mysql.real({ precision: 5, scale: 2 }),
  double: mysql.double({ precision: 5, scale: 2 }),
  float: mysql.float(),
  decimal: mysql.decimal({ precision: 5, scale: 2 }),
  decimalNumber: mysql.decimal({ mode: 'number', unsigned: true }),
  decimalBig: mysql.decimal({ mode: 'bigint' }),
  json: mysql.json().default(sql`('[]')`),
  timestamp: mysql.timestamp({ fsp: 3 }).defaultNow().onUpdateNow(),
  timestampString: mysql.timestamp({ mode: 'string' }),
  datetime: mysql.datetime({ fsp: 3 }).$defaultFn(() => new Date()),
  datetimeString: mysql.datetime({ mode: 'string' }),
  date: mysql.date(),
  dateString: mysql.date({ mode: 'string' }),
  time: mysql.time({ fsp: 2 }),
  year: mysql.year(),
  binary: mysql.binary({ length: 3 }),
  varbinary: mysql.varbinary({ length: 30 }),
  upper: mysql.varchar({ length: 9 }).generatedAlwaysAs(sql`upper('a')`, { mode: 'stored' }),
}

const sqliteUser = sqlite.sqliteTable('user', { id: sqlite.integer().primaryKey({ autoIncrement: true }) })
const sqliteColumns = {
  id: sqlite.integer('id', { mode: 'number' }).primaryKey(),
  userId: sqlite.integer('user_id').references(() => sqliteUser.id),
  text: sqlite.text({ length: 5, enum: ['a'] }).default('a'),
  json: sqlite.text({ mode: 'json' }).default([]),
  seconds: sqlite.integer({ mode: 'timestamp' }),
  ms: sqlite.integer({ mode: 'timestamp_ms' }).default(sql`(cast(unixepoch('subsecond') * 1000 as integer))`).notNull(),
  boolean: sqlite.integer({ mode: 'boolean' }).default(false),
  real: sqlite.real(),
  numeric: sqlite.numeric(),
  numericNumber: sqlite.numeric({ mode: 'number' }),
  numericBig: sqlite.numeric({ mode: 'bigint' }),
  buffer: sqlite.blob({ mode: 'buffer' }),
  blob: sqlite.blob(),
  big: sqlite.blob({ mode: 'bigint' }),
  lower: sqlite.text().generatedAlwaysAs(sql`lower('A')`, { mode: 'virtual' }),
}

const schemas: Record<DialectName, Record<string, unknown>> = {
  pg: {
    role,
    level,
    other,
    user: pgUser,
    everything: other.table('all_of_it', pgColumns, (t) => [
      pg.index('plain').on(t.text, t.varchar.desc().nullsFirst()),
      pg.index().on(t.boolean),
      pg.uniqueIndex('partial').on(t.choice).where(sql`${t.boolean} and ${t.real} > 1`),
      pg.index('expression').using('gin', sql`lower(${t.text})`, t.jsonb.op('jsonb_path_ops')),
      pg.unique('pair').on(t.text, t.choice).nullsNotDistinct(),
      pg.check('positive', sql`${t.real} > 0 and ${t.text} <> 'it''s'`),
      pg.foreignKey({ name: 'again', columns: [t['user-id']], foreignColumns: [pgUser.id] }).onDelete('cascade'),
    ]),
  },
  mysql: {
    user: mysqlUser,
    everything: mysql.mysqlTable('everything', mysqlColumns, (t) => [
      mysql.index('plain').on(t.varchar, t.bigint).using('btree'),
      mysql.uniqueIndex('expression').on(sql`(lower(${t.varchar}))`),
      mysql.unique('pair').on(t.varchar, t.char),
      mysql.check('positive', sql`${t.bigint} > 0`),
    ]),
  },
  sqlite: {
    user: sqliteUser,
    everything: sqlite.sqliteTable('everything', sqliteColumns, (t) => [
      sqlite.index('plain').on(t.text, t.ms),
      sqlite.uniqueIndex('partial').on(sql`lower(${t.text})`).where(sql`${t.boolean}`),
      sqlite.unique().on(t.text, t.seconds),
      sqlite.check('positive', sql`${t.real} > 0`),
    ]),
  },
}

const custom = {
  pg: pg.customType<{ data: string }>({ dataType: () => 'citext' }),
  mysql: mysql.customType<{ data: string }>({ dataType: () => 'set(1)' }),
  sqlite: sqlite.customType<{ data: string }>({ dataType: () => 'text collate nocase' }),
}
const makers = { pg: pg.pgTable, mysql: mysql.mysqlTable, sqlite: sqlite.sqliteTable } as unknown as Record<
  DialectName,
  (name: string, columns: object) => Table
>
const texts = { pg: pg.text, mysql: mysql.text, sqlite: sqlite.text } as unknown as Record<DialectName, typeof pg.text>

describe.each(['pg', 'mysql', 'sqlite'] as const)('a table that exists, on %s', (dialect) => {
  test('is repeated as it is', async () => {
    const schema = schemas[dialect]
    const code = await regenerate(dialect, schema)
    const { schema: again } = await loadSchemaCode(code, dialect)
    expect(describeTable(again.everything, dialect)).toEqual(describeTable(schema.everything, dialect))
  })

  test('is not repeated if something of it cannot be', async () => {
    const refused = (column: object) =>
      regenerate(dialect, { everything: makers[dialect]('everything', { id: texts[dialect]('id'), column }) })
    const advice = 'Leave your file as it is, and add to it what npx auth check lists'
    await expect(refused(custom[dialect]())).rejects.toThrow(
      /^drizzleAdapter: a schema file cannot repeat everything\.column as it is, because of the type/,
    )
    const outside = 'x'
    await expect(refused(texts[dialect]().$defaultFn(() => outside))).rejects.toThrow(`because of a function. ${advice}`)
    const elsewhere = makers[dialect]('elsewhere', { id: texts[dialect]('id') }) as Table & { id: never }
    await expect(refused(texts[dialect]().references(() => elsewhere.id))).rejects.toThrow(
      'a reference to a table that the file does not have',
    )
  })
})
