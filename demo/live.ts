import type { ServerResponse } from 'node:http'
import type { LiveTables, Row } from './database/store.js'
import type { Operation } from './operations.js'
import { fingerprint, masked } from './secrets.js'

const interval = 300

/** Masks the secrets of a row, so that it can be shown to everybody. */
export type Show = (table: string, row: Row) => Promise<Row>

/** Sends the tables to all viewers with server-sent events, whenever they have changed. */
export function openLive(store: LiveTables, operations: Operation[], show: Show = async (_, row) => masked(row)) {
  const viewers = new Set<ServerResponse>()
  // Most tables of Auth.js have no column that says when a row was created.
  const firstSeen = new Map<string, number>()
  let last = ''

  async function update() {
    const text = JSON.stringify({ operations, ...(await readTables(store, show, firstSeen)) })
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

const createdAt = ({ signedInAt, createdAt }: Row) => Number(signedInAt ?? createdAt ?? 0)

async function readTables(store: LiveTables, show: Show, firstSeen: Map<string, number>) {
  try {
    const read = async ([name, columns]: [string, string[]]) => {
      const rows = await store.rows(name)
      const shown = rows
        .sort((a, b) => createdAt(a) - createdAt(b))
        .map(async (row) => {
          const key = fingerprint(columns.map((each) => row[each]))
          const number = firstSeen.get(key) ?? firstSeen.size
          firstSeen.set(key, number)
          return { key, number, row: await show(name, row) }
        })
      const newestFirst = (await Promise.all(shown)).sort((a, b) => b.number - a.number)
      return { name, rows: newestFirst.map(({ key, row }) => ({ key, row })) }
    }
    return { tables: await Promise.all(Object.entries(store.keys).map(read)) }
  } catch {
    return { problem: 'The database cannot be reached. This view goes on when it is back.' }
  }
}
