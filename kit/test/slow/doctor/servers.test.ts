import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { migrationsOf } from '../../../../test/support/migrations.js'
import * as mysqlTables from '../../../../test/support/schema/mysql.js'
import * as pgTables from '../../../../test/support/schema/pg.js'
import { startGalera } from '../../../../test/support/servers/galera.js'
import { startReplication } from '../../../../test/support/servers/replication.js'
import { examine } from '../../../src/doctor/index.js'
import { summarize } from '../../support/doctor/database.js'

// These servers have only a superuser, who always has more privileges than needed.
const exceptRights = (findings: string[]) => findings.filter((each) => !each.startsWith('warning excess-rights'))

describe.runIf(inject('dialects').includes('pg'))('the doctor on PostgreSQL with a replica', () => {
  test('finds that the replica is read-only', async () => {
    const { primary, replica, stop } = await startReplication(() => {})
    onTestFinished(stop)
    const clients = [primary, replica].map(({ url }) => postgres(url, { max: 1, onnotice: () => {} })) as [postgres.Sql, postgres.Sql]
    onTestFinished(async () => {
      for (const client of clients) await client.end()
    })
    for (const statement of await migrationsOf('pg')) await clients[0].unsafe(statement)
    await expect.poll(async () => (await clients[1]`select to_regclass('"session_expires_idx"') as made`)[0]?.made).toBeTruthy()
    expect(exceptRights(summarize(await examine(drizzlePg({ client: clients[0] }), pgTables)))).toEqual([])
    expect(exceptRights(summarize(await examine(drizzlePg({ client: clients[1] }), pgTables)))).toEqual(['warning read-only'])
  })
})

describe.runIf(inject('dialects').includes('mysql'))('the doctor on a Galera cluster', () => {
  test('finds nodes without wsrep_sync_wait, and read-only nodes', async () => {
    const { nodes, stop } = await startGalera(() => {})
    onTestFinished(stop)
    const pools = nodes.map(({ url }) => mysql.createPool({ uri: url, connectionLimit: 1 })) as [mysql.Pool, mysql.Pool, mysql.Pool]
    onTestFinished(async () => {
      for (const pool of pools) await pool.end()
    })
    const [first, second, third] = pools
    await first.query('create database doctor')
    for (const pool of pools) {
      await pool.query('set session wsrep_sync_wait = 7')
      // USE does not wait for the other nodes, whatever wsrep_sync_wait is.
      await vi.waitFor(() => pool.query('use doctor'), { timeout: 30_000, interval: 200 })
    }
    for (const statement of await migrationsOf('mysql')) await first.query(statement)
    const found = async (client: mysql.Pool) => exceptRights(summarize(await examine(drizzleMysql({ client }), mysqlTables)))
    // With wsrep_sync_wait, each node waits until it has the tables.
    for (const pool of pools) expect(await found(pool)).toEqual([])
    // 1 waits only before reads, which is not enough.
    for (const value of [0, 1]) {
      await second.query(`set session wsrep_sync_wait = ${value}`)
      expect(await found(second)).toEqual(['warning sync-wait'])
    }
    await third.query('set global read_only = 1')
    expect(await found(third)).toEqual(['warning read-only'])
  })
})
