import type { Secrets } from 'drizzle-auth-adapter/secrets'
import type { Store } from './store.js'

/** Opens the database of a URL: `postgres://…`, `mysql://…`, or `file:…` for SQLite. */
export async function openStore(url: string, secrets?: Secrets): Promise<Store> {
  // Only the driver in use is loaded.
  if (/^postgres(ql)?:/.test(url)) return (await import('./pg.js')).openPg(url, secrets)
  if (/^mysql:/.test(url)) return (await import('./mysql.js')).openMysql(url, secrets)
  if (/^file:/.test(url)) return (await import('./sqlite.js')).openSqlite(url.replace(/^file:(\/\/)?/, ''), secrets)
  throw new Error('DATABASE_URL must begin with postgres://, mysql:// or file:')
}
