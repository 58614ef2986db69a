import Database from 'better-sqlite3'
import type { Setting } from '../setting.js'
import { openHttp } from './http.js'

/** A SQLite file behind HTTP, for Drizzle's proxies. */
export async function openSqliteFile({ file, statements, foreignKeys }: Setting) {
  const client = new Database(file)
  client.pragma('synchronous = off')
  client.pragma(`foreign_keys = ${foreignKeys}`)
  for (const statement of statements) client.exec(statement)
  const http = await openHttp(async ({ sql, params, method }) => {
    const statement = client.prepare(sql)
    if (method === 'run') return statement.run(...params)
    if (method === 'object') return statement.all(...params)
    return statement.raw().all(...params)
  })
  return {
    ...http,
    close() {
      http.close()
      client.close()
    },
  }
}
