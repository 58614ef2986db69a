import type { Secrets } from 'drizzle-auth-adapter/secrets'
import type { Connection, Store } from './store.js'

// Only the driver in use is loaded.
const databases = {
  pg: () => import('./pg.js'),
  mysql: () => import('./mysql.js'),
  sqlite: () => import('./sqlite.js'),
}

/** The dialect of a database URL: `postgres://…`, `mysql://…`, or `file:…` for SQLite. */
export function dialectOf(url: string): keyof typeof databases {
  if (/^postgres(ql)?:/.test(url)) return 'pg'
  if (/^mysql:/.test(url)) return 'mysql'
  if (/^file:/.test(url)) return 'sqlite'
  throw new Error('DATABASE_URL must begin with postgres://, mysql:// or file:')
}

/** Opens the database of a URL. */
export const connect = async (url: string): Promise<Connection> => (await databases[dialectOf(url)]()).connect(url)

/** Opens the database of a URL with the tables of Auth.js. */
export const openStore = async (url: string, secrets?: Secrets): Promise<Store> =>
  (await databases[dialectOf(url)]()).openStore(url, secrets)
