import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { describe, expect, inject, test } from 'vitest'
import type { AnyAdapter } from '../../support/databases.js'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import { extensions, operations, seedPerson } from '../../support/operations.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

interface Logged {
  statement: string
  parameters: unknown[]
}

const open = {
  sqlite: async (logger: object) => ({ ...(await openSqlite({ logger } as never)), tables: sqliteSchema }),
  pg: async (logger: object) => ({ ...(await openPg({ logger } as never)), tables: pgSchema }),
  mysql: async (logger: object) => ({ ...(await openMysql({ logger } as never)), tables: mysqlSchema }),
}

// What a person would not write: casts, conversions, collations, and functions.
const unusual = /::|\b(cast|convert|collate|binary|case|coalesce|trim)\b|\w\((?!\d+\))/i

describe.each(inject('dialects'))('on the tables of defineTables, on %s', (dialect) => {
  test('each statement is one that a person would write', async () => {
    const log: Logged[] = []
    const logger = { logQuery: (statement: string, parameters: unknown[]) => log.push({ statement, parameters }) }
    const { db, tables, close } = await open[dialect](logger)
    try {
      const adapter = DrizzleAdapter(db as never, tables as never) as unknown as AnyAdapter
      await adapter.getUser('nobody')
      const { deleteUser: _, ...others } = operations
      for (const [name, operation] of Object.entries({ ...others, ...extensions })) {
        const person = await seedPerson(adapter, operation)
        log.length = 0
        await operation.run(adapter, person)
        for (const { statement, parameters } of log) {
          expect(statement.replaceAll(/(values|in|insert into \S+) \(/g, '$1 '), name).not.toMatch(unusual)
          // Each value is one parameter, and readable in the log.
          expect(
            parameters.filter((value) => Object(value) === value),
            name,
          ).toEqual([])
          expect(new Set(parameters).size, `${name}: ${statement}`).toBeGreaterThanOrEqual(
            /^insert/.test(statement) ? 2 : parameters.length,
          )
        }
      }
    } finally {
      await close()
    }
  })
})
