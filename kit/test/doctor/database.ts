import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../../test/support/databases.js'
import type { DialectName } from '../../../test/support/dialects.js'
import { migrationsOf } from '../../../test/support/migrations.js'
import * as mysqlTables from '../../../test/support/schema/mysql.js'
import * as pgTables from '../../../test/support/schema/pg.js'
import * as sqliteTables from '../../../test/support/schema/sqlite.js'
import type { Finding } from '../../src/doctor/index.js'
import { examine } from '../../src/doctor/index.js'

/** A new database, which the doctor examines as a role with the privileges SELECT, INSERT, UPDATE and DELETE. */
export interface TestDatabase {
  /** Runs a statement as the owner. Write names in double quotes, which become backticks on MySQL. */
  exec(statement: string): Promise<void>
  /** Runs the doctor. `session` are statements that are run on its connection first. */
  examine(tables?: object, session?: string[]): Promise<Finding[]>
  /** The URL for that role, or the path of the SQLite file. */
  url: string
  /** The role as it is written in SQL; empty on SQLite. */
  role: string
  /** A date as a literal in this database's SQL. */
  date(date: Date): string
}

interface Options {
  /** Replacements in the statements that create the tables, in which names are in double quotes. */
  changes?: [RegExp, string][]
  /** Added to CREATE DATABASE. */
  settings?: string
  /** The statements that create the tables. By default, those of drizzle-kit for the default tables. */
  migrations?: string[]
}

const privileges = 'select, insert, update, delete'
const password = 'only-for-this-test'
const dateLiteral = (date: Date) => `'${date.toISOString().replace('T', ' ').replace('Z', '')}'`
const withBackticks = (statement: string) => statement.replaceAll('"', '`')

async function statementsFor(dialect: DialectName, { changes = [], migrations }: Options) {
  let statements = (migrations ?? (await migrationsOf(dialect))).map((statement) => statement.replaceAll('`', '"'))
  for (const [pattern, replacement] of changes) {
    const changed = statements.map((statement) => statement.replace(pattern, replacement))
    if (changed.join() === statements.join()) throw new Error(`no statement matches ${pattern}`)
    statements = changed
  }
  return dialect === 'mysql' ? statements.map(withBackticks) : statements
}

const openers: Record<DialectName, (options: Options) => Promise<TestDatabase>> = {
  async sqlite(options) {
    const opened = await openSqlite({ migrations: await statementsFor('sqlite', options) })
    onTestFinished(opened.close)
    const db = drizzleSqlite({ client: opened.client })
    return {
      exec: opened.exec,
      async examine(tables = sqliteTables, session = []) {
        for (const statement of session) opened.client.exec(statement)
        return examine(db, tables as typeof sqliteTables)
      },
      url: opened.client.name,
      role: '',
      date: (date) => `${date.getTime()}`,
    }
  },

  async pg(options) {
    const opened = await openPg({ connections: 1, migrations: await statementsFor('pg', options), settings: options.settings ?? '' })
    const role = newRole()
    await opened.exec(`create role ${role} login password '${password}'`)
    await opened.exec(`grant ${privileges} on all tables in schema public to ${role}`)
    const url = withUser(opened.url, role)
    onTestFinished(async () => {
      await opened.exec(`drop owned by ${role}`)
      await opened.exec(`drop role ${role}`)
      await opened.close()
    })
    return {
      exec: opened.exec,
      async examine(tables = pgTables, session = []) {
        // A new connection, because changed settings of the role or the database apply only to new ones.
        const client = postgres(url, { max: 1, onnotice: () => {} })
        for (const statement of session) await client.unsafe(statement)
        return examine(drizzlePg({ client }), tables as typeof pgTables).finally(() => client.end())
      },
      url,
      role,
      date: dateLiteral,
    }
  },

  async mysql(options) {
    const opened = await openMysql({ connections: 1, migrations: await statementsFor('mysql', options), settings: options.settings ?? '' })
    const name = newRole()
    const role = `'${name}'@'%'`
    await opened.exec(`create user ${role} identified by '${password}'`)
    await opened.exec(`grant ${privileges} on \`${new URL(opened.url).pathname.slice(1)}\`.* to ${role}`)
    const url = withUser(opened.url, name)
    onTestFinished(async () => {
      await opened.exec(`drop user ${role}`)
      await opened.close()
    })
    return {
      exec: (statement) => opened.exec(withBackticks(statement)),
      async examine(tables = mysqlTables, session = []) {
        const client = mysql.createPool({ uri: url, connectionLimit: 1 })
        for (const statement of session) await client.query(statement)
        return examine(drizzleMysql({ client }), tables as typeof mysqlTables).finally(() => client.end())
      },
      url,
      role,
      date: dateLiteral,
    }
  },
}

const newRole = () => `app_${crypto.randomUUID().slice(0, 8)}`

function withUser(url: string, user: string): string {
  const result = new URL(url)
  result.username = user
  result.password = password
  return result.href
}

/** Opens a database that is closed at the end of the test. */
export const openTestDatabase = (dialect: DialectName, options: Options = {}): Promise<TestDatabase> => openers[dialect](options)

/** Each finding as a line such as `error not-unique user.email`. */
export const summarize = (findings: Finding[]) =>
  findings.map(({ severity, code, table, column }) => [severity, code, [table, column].filter(Boolean).join('.')].filter(Boolean).join(' '))

/** Statements between which foreign keys are not checked, so that rows of users who do not exist can be inserted. */
export const withoutForeignKeys: Record<DialectName, [before: string, after: string]> = {
  pg: ['set session_replication_role = replica', 'set session_replication_role = origin'],
  mysql: ['set foreign_key_checks = 0', 'set foreign_key_checks = 1'],
  sqlite: ['pragma foreign_keys = off', 'pragma foreign_keys = on'],
}

/** The findings about rows, each with the end of its message, which is the number of rows. */
export const counts = (findings: Finding[]) =>
  findings
    .filter(({ message }) => / rows?( |$)/.test(message.split(': ').at(-1) ?? ''))
    .map(({ code, table, column, message }) => `${code} ${table}.${column}: ${message.split(': ').at(-1)}`)
