import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { onTestFinished } from 'vitest'
import type { Finding } from '../../src/doctor/index.js'
import { examine } from '../../src/doctor/index.js'
import { openMysql, openPg, openSqlite } from '../helpers/databases.js'
import type { DialectName } from '../helpers/dialects.js'
import { migrationsOf } from '../helpers/migrations.js'
import * as mysqlTables from '../schema/mysql.js'
import * as pgTables from '../schema/pg.js'
import * as sqliteTables from '../schema/sqlite.js'

/** A new database, and the doctor's view of it as a role with the four data rights. */
export interface Clinic {
  /** Runs a statement as the owner. Double quotes around names are written as the database wants them. */
  exec(statement: string): Promise<void>
  /** `session` is run on the doctor's connection first. */
  examine(tables?: object, session?: string[]): Promise<Finding[]>
  /** The URL for the role with the four data rights, or the path of the file. */
  url: string
  /** The role as SQL writes it; absent in SQLite. */
  role: string
  date(date: Date): string
}

interface Options {
  /** Changes of the statements that make the tables. These have double quotes around names. */
  changes?: [RegExp, string][]
  /** What CREATE DATABASE says, on PostgreSQL. */
  settings?: string
}

const rights = 'select, insert, update, delete'
const password = 'only-for-this-test'
const instant = (date: Date) => `'${date.toISOString().replace('T', ' ').replace('Z', '')}'`
const graves = (statement: string) => statement.replaceAll('"', '`')

async function statementsFor(dialect: DialectName, { changes = [] }: Options) {
  let statements = (await migrationsOf(dialect)).map((statement) => statement.replaceAll('`', '"'))
  for (const [pattern, replacement] of changes) {
    const changed = statements.map((statement) => statement.replace(pattern, replacement))
    if (changed.join() === statements.join()) throw new Error(`no statement matches ${pattern}`)
    statements = changed
  }
  return dialect === 'mysql' ? statements.map(graves) : statements
}

const openers: Record<DialectName, (options: Options) => Promise<Clinic>> = {
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
    const role = `app_${crypto.randomUUID().slice(0, 8)}`
    await opened.exec(`create role ${role} login password '${password}'`)
    await opened.exec(`grant ${rights} on all tables in schema public to ${role}`)
    const url = withUser(opened.url, role)
    const clients: postgres.Sql[] = []
    onTestFinished(async () => {
      for (const client of clients) await client.end()
      await opened.exec(`drop owned by ${role}`)
      await opened.exec(`drop role ${role}`)
      await opened.close()
    })
    return {
      exec: opened.exec,
      async examine(tables = pgTables, session = []) {
        // A new connection: settings of the role and the database count from the next one on.
        const client = postgres(url, { max: 1, onnotice: () => {} })
        clients.push(client)
        for (const statement of session) await client.unsafe(statement)
        return examine(drizzlePg({ client }), tables as typeof pgTables)
      },
      url,
      role,
      date: instant,
    }
  },

  async mysql(options) {
    const opened = await openMysql({ connections: 1, migrations: await statementsFor('mysql', options) })
    const name = `app_${crypto.randomUUID().slice(0, 8)}`
    const role = `'${name}'@'%'`
    await opened.exec(`create user ${role} identified by '${password}'`)
    await opened.exec(`grant ${rights} on \`${new URL(opened.url).pathname.slice(1)}\`.* to ${role}`)
    const url = withUser(opened.url, name)
    const clients: mysql.Pool[] = []
    onTestFinished(async () => {
      for (const client of clients) await client.end()
      await opened.exec(`drop user ${role}`)
      await opened.close()
    })
    return {
      exec: (statement) => opened.exec(graves(statement)),
      async examine(tables = mysqlTables, session = []) {
        const client = mysql.createPool({ uri: url, connectionLimit: 1 })
        clients.push(client)
        for (const statement of session) await client.query(statement)
        return examine(drizzleMysql({ client }), tables as typeof mysqlTables)
      },
      url,
      role,
      date: instant,
    }
  },
}

function withUser(url: string, user: string): string {
  const made = new URL(url)
  made.username = user
  made.password = password
  return made.href
}

/** A clinic that is there until the end of the test. */
export const openClinic = (dialect: DialectName, options: Options = {}): Promise<Clinic> => openers[dialect](options)

/** `error not-unique user.email`, for each finding. */
export const summary = (findings: Finding[]) =>
  findings.map(({ severity, code, table, column }) => [severity, code, [table, column].filter(Boolean).join('.')].filter(Boolean).join(' '))
