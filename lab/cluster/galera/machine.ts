import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import * as tables from '../../../test/support/schema/mysql.js'
import type { GaleraNode } from '../../../test/support/servers/galera.js'
import { rowsOf } from '../rows.js'

export const database = 'auth'

/** An application server that is connected to one node, with its own pool. */
export function openMachine(node: GaleraNode, name: string, syncWait?: number) {
  const client = mysql.createPool({ uri: `${node.url}/${database}`, connectionLimit: 20 })
  if (syncWait !== undefined) client.on('connection', (connection) => void connection.query(`set wsrep_sync_wait = ${syncWait}`))
  const db = drizzle({ client })
  return { name, client, db, adapter: DrizzleAdapter(db, tables, { retry: { tries: 20, within: 10_000 } }) }
}

export type OpenMachine = ReturnType<typeof openMachine>

/** All rows of each node. */
export const nodeRows = (machines: OpenMachine[]) => Promise.all(machines.map(({ db }) => rowsOf(db, tables)))

/** Goes through the machines in turn. */
export const nthMachine = (machines: OpenMachine[], index: number) => machines[index % machines.length] as OpenMachine
