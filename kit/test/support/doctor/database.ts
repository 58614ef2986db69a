import { onTestFinished } from 'vitest'
import { connect } from '../../../../test/support/connections.js'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { migrationsOf } from '../../../../test/support/migrations.js'
import type { Finding } from '../../../src/doctor/index.js'
import { examine } from '../../../src/doctor/index.js'

interface Options {
  /** Replacements in the statements that create the tables, in which names are in double quotes. */
  changes?: [RegExp, string][]
  /** Added to CREATE DATABASE. */
  settings?: string
  /** The statements that create the tables. By default, those of drizzle-kit for the default tables. */
  migrations?: string[]
}

const password = 'only-for-this-test'
const rights = 'select, insert, update, delete'

/** Statements that create a role with the privileges SELECT, INSERT, UPDATE and DELETE, and that drop it. */
const roles: Record<DialectName, (name: string, database: string) => { role: string; create: string[]; drop: string[] }> = {
  sqlite: () => ({ role: '', create: [], drop: [] }),
  pg: (role) => ({
    role,
    create: [`create role ${role} login password '${password}'`, `grant ${rights} on all tables in schema public to ${role}`],
    drop: [`drop owned by ${role}`, `drop role ${role}`],
  }),
  mysql: (name, database) => ({
    role: `'${name}'@'%'`,
    create: [`create user ${name} identified by '${password}'`, `grant ${rights} on ${database}.* to ${name}`],
    drop: [`drop user ${name}`],
  }),
}

function withUser(url: string, username: string): string {
  return Object.assign(new URL(url), { username, password }).href
}

/** A new database, which the doctor examines as a role with few privileges. It is closed at the end of the test. */
export async function openTestDatabase(dialect: DialectName, { changes = [], settings = '', migrations }: Options = {}) {
  const quoted = (statement: string) => (dialect === 'mysql' ? statement.replaceAll('"', '`') : statement)
  let statements = (migrations ?? (await migrationsOf(dialect))).map((statement) => statement.replaceAll('`', '"'))
  for (const [pattern, replacement] of changes) {
    const changed = statements.map((statement) => statement.replace(pattern, replacement))
    if (changed.join() === statements.join()) throw new Error(`no statement matches ${pattern}`)
    statements = changed
  }
  const opened = await openDatabase(dialect, { connections: 1, migrations: statements.map(quoted), settings })
  const name = `app_${crypto.randomUUID().slice(0, 8)}`
  const { role, create, drop } = roles[dialect](name, dialect === 'mysql' ? new URL(opened.url).pathname.slice(1) : '')
  for (const statement of create) await opened.exec(statement)
  onTestFinished(async () => {
    for (const statement of drop) await opened.exec(statement)
    await opened.close()
  })
  /** The URL for the role, or the path of the SQLite file. */
  const url = dialect === 'sqlite' ? opened.url : withUser(opened.url, name)
  return {
    url,
    /** The role as it is written in SQL; empty on SQLite. */
    role,
    /** Runs a statement as the owner. Write names in double quotes, which become backticks on MySQL. */
    exec: (statement: string) => opened.exec(quoted(statement)),
    /** Runs the doctor on a new connection, because changed settings of a role or a database apply only to these. */
    async examine(tables: object = opened.tables, session: string[] = []): Promise<Finding[]> {
      const { db, exec, close } = await connect[dialect](url, { connections: 1 })
      for (const statement of session) await exec(statement)
      return examine(db as never, tables as never).finally(close)
    },
    /** A date as a literal in this database's SQL. */
    date: (date: Date) => (dialect === 'sqlite' ? `${date.getTime()}` : `'${date.toISOString().replace('T', ' ').replace('Z', '')}'`),
  }
}

/** Each finding as a line such as `error not-unique user.email`. */
export const summarize = (findings: Finding[]) =>
  findings.map(({ severity, code, table, column }) => [severity, code, [table, column].filter(Boolean).join('.')].filter(Boolean).join(' '))

/** The findings about rows, each with the end of its message, which is the number of rows. */
export const counts = (findings: Finding[]) =>
  findings
    .filter(({ message }) => / rows?( |$)/.test(message.split(': ').at(-1) ?? ''))
    .map(({ code, table, column, message }) => `${code} ${table}.${column}: ${message.split(': ').at(-1)}`)
