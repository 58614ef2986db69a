import type { ServerResponse } from 'node:http'
import type { Row, Store, TableName } from './database/store.js'
import { tableNames } from './database/store.js'
import type { Operation } from './operations.js'
import { fingerprint, masked } from './secrets.js'

const interval = 300

const keys: Record<TableName, string[]> = {
  user: ['id'],
  account: ['provider', 'providerAccountId'],
  session: ['sessionToken'],
  verificationToken: ['identifier', 'token'],
  authenticator: ['credentialID'],
}

/** Masks the secrets of a row, so that it can be shown to everybody. */
type Show = (table: TableName, row: Row) => Promise<Row>

/** Sends the tables to all viewers with server-sent events, whenever they have changed. */
export function openLive(store: Store, operations: Operation[], show: Show = async (_, row) => masked(row)) {
  const viewers = new Set<ServerResponse>()
  let last = ''

  async function update() {
    const text = JSON.stringify({ operations, ...(await readTables(store, show)) })
    if (text !== last) for (const viewer of viewers) viewer.write(`data: ${text}\n\n`)
    last = text
  }

  // The next update starts only after the last has finished, and none runs without viewers.
  let timer = setTimeout(async function next() {
    if (viewers.size > 0) await update()
    timer = setTimeout(next, interval)
  }, interval)

  return {
    watch(response: ServerResponse) {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.write(last ? `data: ${last}\n\n` : ':\n\n')
      response.on('close', () => viewers.delete(response))
      viewers.add(response)
    },
    close() {
      clearTimeout(timer)
      for (const viewer of viewers) viewer.end()
    },
  }
}

async function readTables(store: Store, show: Show) {
  try {
    const read = async (name: TableName) => {
      const rows = await store.rows(name)
      const shown = await Promise.all(
        rows.map(async (row) => ({ key: fingerprint(keys[name].map((key) => row[key])), row: await show(name, row) })),
      )
      return { name, rows: shown.sort((a, b) => a.key.localeCompare(b.key)) }
    }
    return { tables: await Promise.all(tableNames.map(read)) }
  } catch {
    return { problem: 'The database cannot be reached. This view goes on when it is back.' }
  }
}
