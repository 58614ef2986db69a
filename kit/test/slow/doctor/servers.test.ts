import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { migrationsOf } from '../../../../test/support/migrations.js'
import * as tables from '../../../../test/support/schema/mysql.js'
import { startGalera } from '../../../../test/support/servers/galera.js'
import { examine } from '../../../src/doctor/index.js'
import { summarize } from '../../support/doctor/database.js'

describe.runIf(inject('dialects').includes('mysql'))('the doctor on a Galera cluster', () => {
  test('finds nodes without wsrep_sync_wait', async () => {
    const { nodes, stop } = await startGalera(() => {})
    onTestFinished(stop)
    const pools = nodes.map(({ url }) => mysql.createPool({ uri: url, connectionLimit: 1 })) as [mysql.Pool, mysql.Pool, mysql.Pool]
    onTestFinished(async () => {
      for (const pool of pools) await pool.end()
    })
    const [first, second] = pools
    await first.query('create database doctor')
    for (const pool of pools) {
      await pool.query('set session wsrep_sync_wait = 7')
      // USE does not wait for the other nodes, whatever wsrep_sync_wait is.
      await vi.waitFor(() => pool.query('use doctor'), { timeout: 30_000, interval: 200 })
    }
    for (const statement of await migrationsOf('mysql')) await first.query(statement)
    const found = async (client: mysql.Pool) => summarize(await examine(drizzle({ client }), tables))
    // With wsrep_sync_wait, each node waits until it has the tables.
    for (const pool of pools) expect(await found(pool)).toEqual([])
    // 1 waits only before reads, which is not enough.
    for (const value of [0, 1]) {
      await second.query(`set session wsrep_sync_wait = ${value}`)
      expect(await found(second)).toEqual(['warning sync-wait'])
    }
  })
})
