import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { openMysql, openPg, openSqlite } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import * as mysqlSchema from '../../support/schema/mysql.js'
import * as pgSchema from '../../support/schema/pg.js'
import * as sqliteSchema from '../../support/schema/sqlite.js'

interface Opened {
  adapter: object
  close(): Promise<void>
}

const open: Record<DialectName, () => Promise<Opened>> = {
  async sqlite() {
    const database = await openSqlite()
    return { adapter: DrizzleAdapter(database.db, sqliteSchema), close: database.close }
  },
  async pg() {
    const database = await openPg()
    return { adapter: DrizzleAdapter(database.db, pgSchema), close: database.close }
  },
  async mysql() {
    const database = await openMysql()
    return { adapter: DrizzleAdapter(database.db, mysqlSchema), close: database.close }
  },
}

describe.each(inject('dialects'))('the contract on %s', (dialect) => {
  let opened: Opened
  beforeAll(async () => {
    opened = await open[dialect]()
  })
  afterAll(() => opened.close())

  for (const c of adapterContract) test(c.name, () => c.run(opened.adapter))
})
