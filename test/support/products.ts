import { connect } from './connections.js'
import type { DialectName } from './dialects.js'
import { startServers } from './servers/index.js'
import type { Log } from './servers/server.js'

/** The databases that are compared with one another. MariaDB and MySQL have the same dialect. */
export const products = ['sqlite', 'pg', 'mariadb', 'mysql'] as const

export type Product = (typeof products)[number]

export const dialectOf: Record<Product, DialectName> = { sqlite: 'sqlite', pg: 'pg', mariadb: 'mysql', mysql: 'mysql' }

export const titleOf: Record<Product, string> = { sqlite: 'SQLite', pg: 'PostgreSQL', mariadb: 'MariaDB', mysql: 'MySQL' }

const versionQueries: Record<DialectName, string> = {
  sqlite: 'select sqlite_version() as version',
  pg: "select current_setting('server_version') as version",
  mysql: 'select version() as version',
}

/** The product and the version of a server, such as `MariaDB 10.11.19`. For SQLite, those of the driver. */
export async function describeServer(dialect: DialectName, url: string): Promise<{ product: Product; title: string; version: string }> {
  const { run, close } = await connect[dialect](url || ':memory:', { connections: 1 })
  const [row] = await run(versionQueries[dialect])
  await close()
  const text = String(row?.version)
  const product = dialect === 'mysql' && /mariadb/i.test(text) ? 'mariadb' : dialect
  const version = /^[\d.]+/.exec(text)?.[0] ?? ''
  return { product, title: `${titleOf[product]} ${version}`, version }
}

/** Starts the server of a product. SQLite has none, and an empty URL. */
export async function startProduct(product: Product, log?: Log) {
  const dialect = dialectOf[product]
  const wanted = product === 'mariadb' || product === 'mysql' ? product : undefined
  const { urls, stop } = await startServers(dialect === 'sqlite' ? [] : [dialect], log, wanted)
  const url = (dialect !== 'sqlite' && urls[dialect]) || ''
  const found = await describeServer(dialect, url)
  if (found.product !== product) throw new Error(`MYSQL_URL points to ${found.title}, not to ${titleOf[product]}: unset it`)
  return { url, stop, dialect, version: found.version }
}
