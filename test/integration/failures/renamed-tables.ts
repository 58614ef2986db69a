import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Table } from 'drizzle-orm'
import { getTableName, sql } from 'drizzle-orm'
import * as my from 'drizzle-orm/mysql-core'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import { createTable } from '../../support/ddl.js'
import type { DialectName } from '../../support/dialects.js'

// Tables whose names in the database differ from those in the code. Errors must use the database's names.

const tablesOf = {
  pg() {
    const table = pg.pgTableCreator((name) => `app_${name}`)
    const columns = {
      id: pg.text('person_id').primaryKey(),
      email: pg.text('mail_address').notNull().unique('people_mail_key'),
      emailVerified: pg.timestamp('mail_verified_at'),
      name: pg.text('full_name'),
      nick: pg.varchar('nick_name', { length: 100 }),
      age: pg.integer('age_years'),
      role: pg.text('role_name').notNull(),
      mood: pg.customType<{ data: string }>({ dataType: () => 'mood' })('mood_now'),
    }
    const usersTable = table('people', columns, (t) => [pg.check('people_age_check', sql`${t.age} > 0`)])
    return definePg({ usersTable, table, columns: { verificationTokens: { note: pg.text('note_text') } } })
  },
  mysql() {
    const table = my.mysqlTableCreator((name) => `app_${name}`)
    const columns = {
      id: my.varchar('person_id', { length: 99 }).primaryKey(),
      email: my.varchar('mail_address', { length: 99 }).notNull().unique('people_mail_key'),
      emailVerified: my.datetime('mail_verified_at'),
      name: my.varchar('full_name', { length: 99 }),
      nick: my.varchar('nick_name', { length: 100 }),
      age: my.int('age_years'),
      role: my.varchar('role_name', { length: 99 }).notNull(),
      mood: my.customType<{ data: string }>({ dataType: () => 'int' })('mood_now'),
    }
    const usersTable = table('people', columns, (t) => [my.check('people_age_check', sql`${t.age} > 0`)])
    return defineMysql({ usersTable, table, columns: { verificationTokens: { note: my.text('note_text') } } })
  },
  sqlite() {
    const table = lite.sqliteTableCreator((name) => `app_${name}`)
    const columns = {
      id: lite.text('person_id').primaryKey(),
      email: lite.text('mail_address').notNull().unique('people_mail_key'),
      emailVerified: lite.integer('mail_verified_at', { mode: 'timestamp' }),
      name: lite.text('full_name'),
      nick: lite.text('nick_name'),
      age: lite.integer('age_years'),
      role: lite.text('role_name').notNull(),
      mood: lite.text('mood_now'),
    }
    const usersTable = table('people', columns, (t) => [lite.check('people_age_check', sql`${t.age} > 0`)])
    return defineSqlite({ usersTable, table, columns: { verificationTokens: { note: lite.text('note_text') } } })
  },
}

/** Differences between the database and the Drizzle tables, so that the database itself rejects values. */
const alterations: Record<DialectName, string[]> = {
  pg: [
    'alter table app_people rename constraint app_people_mail_address_key to people_mail_key',
    'alter table app_people alter nick_name type varchar(10)',
  ],
  mysql: ['alter table app_people rename index mail_address to people_mail_key, modify nick_name varchar(10)'],
  sqlite: [],
}

/** The tables and the statements that create them. The database lacks the column `note_text`. */
export function defineRenamedTables(dialect: DialectName) {
  const q = dialect === 'mysql' ? '`' : '"'
  const tables = tablesOf[dialect]() as unknown as Record<string, Table>
  const { usersTable, verificationTokensTable, ...others } = tables as Record<'usersTable' | 'verificationTokensTable', Table>
  const createOthers = Object.values(others as Record<string, Table>).map((table) => {
    const name = `${q}${getTableName(table)}_userId_app_people_person_id_fk${q}`
    return createTable(table, q, [`constraint ${name} foreign key (${q}userId${q}) references app_people (person_id)`])
  })
  return {
    tables,
    migrations: [
      ...(dialect === 'pg' ? [`create type mood as enum ('sad')`] : []),
      createTable(usersTable, q, ['constraint people_age_check check (age_years > 0)']),
      createTable(verificationTokensTable, q),
      `alter table ${q}app_verificationToken${q} drop column note_text`,
      ...createOthers,
      ...alterations[dialect],
    ],
  }
}
