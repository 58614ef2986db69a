import type { Store } from './store.js'

/** The database that the URL names: `postgres://…`, `mysql://…`, or `file:…` for SQLite. */
export async function openStore(url: string): Promise<Store> {
  // Only the driver in use is loaded.
  if (/^postgres(ql)?:/.test(url)) return (await import('./pg.js')).openPg(url)
  if (/^mysql:/.test(url)) return (await import('./mysql.js')).openMysql(url)
  if (/^file:/.test(url)) return (await import('./sqlite.js')).openSqlite(url.replace(/^file:(\/\/)?/, ''))
  throw new Error('DATABASE_URL must begin with postgres://, mysql:// or file:')
}
