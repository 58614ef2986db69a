import type { AsyncRemoteCallback } from 'drizzle-orm/sqlite-proxy'

interface Answer {
  error?: string
  results?: { error?: string; columns?: string[]; values?: unknown[][] }[]
}

/**
 * A callback for Drizzle's sqlite-proxy that sends statements to rqlite.
 *
 * `/db/request` accepts reads and writes, and returns the rows of both. After a lost connection, the next call goes to the next node.
 */
export function rqliteClient(nodes: string[], level: 'strong' | 'none' = 'strong'): AsyncRemoteCallback {
  let current = 0
  return async (sql, params, method) => {
    const url = `${nodes[current % nodes.length]}/db/request?level=${level}`
    const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify([[sql, ...params]]) }
    const response = await fetch(url, request).catch((error) => {
      current++
      throw error
    })
    const text = await response.text()
    if (!response.ok) throw new Error(text.trim())
    const { error, results: [result] = [] } = JSON.parse(text) as Answer
    if (error ?? result?.error) throw new Error(error ?? result?.error)
    // rqlite parses a statement to see whether it returns rows. If it cannot parse it, it returns none.
    if (method !== 'run' && !result?.columns) throw new Error('rqlite returned no rows')
    const rows = result?.values ?? []
    return { rows: method === 'get' ? (rows[0] as unknown[]) : rows }
  }
}
