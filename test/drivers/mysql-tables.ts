import type { AdapterOptions } from 'drizzle-auth-adapter'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import * as my from 'drizzle-orm/mysql-core'
import { drizzle } from 'drizzle-orm/mysql2'
import type { PoolOptions } from 'mysql2/promise'
import mysql from 'mysql2/promise'
import { afterAll, inject, onTestFinished } from 'vitest'
import { openMysql } from '../helpers/databases.js'
import { createTable } from '../helpers/ddl.js'
import * as defaults from '../schema/mysql.js'
import type { Witness } from './fields.js'

const types = {
  varchar: () => my.varchar({ length: 60 }),
  char: () => my.char({ length: 60 }),
  varbinary: () => my.varbinary({ length: 240 }),
}

/** How a hand-written table stores text: the types of its keys and of its other text columns, and what is appended to CREATE TABLE. */
export interface TextStorage {
  keys: keyof typeof types
  values: keyof typeof types | 'text'
  suffix: string
}

function tablesOf({ keys, values }: TextStorage) {
  const key = () => types[keys]().notNull()
  const value = () => (values === 'text' ? my.text() : types[values]())
  return {
    usersTable: my.mysqlTable('user', {
      id: key().primaryKey(),
      email: key().unique(),
      name: value(),
      image: value(),
      emailVerified: my.datetime({ fsp: 3 }),
    }),
    accountsTable: my.mysqlTable('account', {
      userId: key(),
      type: key(),
      provider: key(),
      providerAccountId: key().primaryKey(),
      access_token: value(),
      refresh_token: value(),
      id_token: value(),
      scope: value(),
      session_state: value(),
      token_type: value(),
      expires_at: my.int(),
    }),
    sessionsTable: my.mysqlTable('session', {
      sessionToken: key().primaryKey(),
      userId: key(),
      expires: my.datetime({ fsp: 3 }).notNull(),
    }),
    verificationTokensTable: my.mysqlTable('verificationToken', {
      identifier: key(),
      token: key().primaryKey(),
      expires: my.datetime({ fsp: 3 }).notNull(),
    }),
    authenticatorsTable: my.mysqlTable('authenticator', {
      credentialID: key().primaryKey(),
      userId: key(),
      providerAccountId: key(),
      credentialPublicKey: key(),
      counter: my.int().notNull(),
      credentialDeviceType: key(),
      credentialBackedUp: my.boolean().notNull(),
      transports: value(),
    }),
  }
}

// Creating tables takes most of the time of a test, so the tests of a file share one database for each kind of tables.
const databases = new Map<string, ReturnType<typeof openMysql>>()
afterAll(async () => {
  for (const opened of databases.values()) await (await opened).close()
})

async function openEmpty(tables: object, storage: TextStorage | undefined) {
  const kind = JSON.stringify(storage ?? 'default')
  const isNew = !databases.has(kind)
  const migrations = storage && Object.values(tables).map((table) => `${createTable(table, '`')} ${storage.suffix}`)
  if (isNew) databases.set(kind, openMysql(migrations ? { migrations } : {}))
  const opened = await (databases.get(kind) as ReturnType<typeof openMysql>)
  if (!isNew) for (const table of tableNames) await opened.exec(`delete from ${table}`)
  return opened
}
const tableNames = ['account', 'session', 'authenticator', 'verificationToken', 'user']

interface TextOptions {
  storage?: TextStorage
  options?: PoolOptions
  setUp?: string[]
  retry?: AdapterOptions['retry']
}

/**
 * Opens an empty database with hand-written tables, by default with the default tables: an adapter on a connection with these options and
 * these `setUp` statements, and a witness on another connection.
 */
export async function openText({ storage, options, setUp = [], retry = false }: TextOptions) {
  const tables = storage ? tablesOf(storage) : defaults
  const { url, db, run } = await openEmpty(tables, storage)
  const client = mysql.createPool({ uri: url, connectionLimit: 1, ...options })
  onTestFinished(() => client.end())
  client.pool.on('connection', (connection) => {
    for (const statement of setUp) connection.query(statement)
  })
  // Hand-written and default tables have the same fields, so the types of the default tables fit both.
  const adapterOf = (db: object) => DrizzleAdapter(db as never, tables as typeof defaults, { retry })
  const state = () => run(`checksum table ${tableNames.join(', ')}`)
  const witness: Witness = { adapter: adapterOf(db), state }
  return { adapter: adapterOf(drizzle({ client })), witness, run, client }
}

/** The product that the tests run on. */
export async function productOf(): Promise<'MariaDB' | 'MySQL'> {
  const connection = await mysql.createConnection(inject('urls').mysql ?? '')
  const [rows] = await connection.query('select version() as version')
  await connection.end()
  return JSON.stringify(rows).includes('MariaDB') ? 'MariaDB' : 'MySQL'
}
