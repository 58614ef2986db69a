import type { Logger } from 'drizzle-orm'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzleNodePg } from 'drizzle-orm/node-postgres'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { inject, onTestFinished } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { makeAdapter } from '../../support/databases.js'
import { openPool } from '../../support/pool.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'

export interface Driver {
  name: 'postgres.js' | 'node-postgres' | 'mysql2'
  dialect: 'pg' | 'mysql'
  /** Connects until the test is finished. The adapter has the default retries. `logger` is told of each try of a statement. */
  connect(url: string, connections?: number, logger?: Logger): AnyAdapter
}

const all: Driver[] = [
  {
    name: 'postgres.js',
    dialect: 'pg',
    connect(url, connections = 1, logger) {
      // The query for array types would count as a round trip.
      const client = postgres(url, { max: connections, fetch_types: false })
      // Without a timeout, postgres.js 3.4 waits forever for the end of a connection that was reset.
      onTestFinished(() => client.end({ timeout: 1 }))
      return makeAdapter(drizzlePg({ client, ...(logger && { logger }) }), pgSchema)
    },
  },
  {
    name: 'node-postgres',
    dialect: 'pg',
    connect(url, connections = 1, logger) {
      const client = openPool({ connectionString: url, max: connections })
      onTestFinished(() => client.end())
      return makeAdapter(drizzleNodePg({ client, ...(logger && { logger }) }), pgSchema)
    },
  },
  {
    name: 'mysql2',
    dialect: 'mysql',
    connect(url, connections = 1, logger) {
      const client = mysql.createPool({ uri: url, connectionLimit: connections })
      onTestFinished(() => client.end())
      return makeAdapter(drizzleMysql({ client, ...(logger && { logger }) }), mysqlSchema)
    },
  },
]

/** The drivers that connect to a server, of the chosen dialects. */
export const drivers = all.filter(({ dialect }) => inject('dialects').includes(dialect))

/** A logger that counts the tries of statements. */
export function createCounter() {
  const statements: string[] = []
  return {
    logger: { logQuery: (statement: string) => void statements.push(statement) },
    count: (part = '') => statements.filter((statement) => statement.includes(part)).length,
  }
}
