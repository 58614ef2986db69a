import pg from 'pg'

/**
 * A pool of node-postgres. It tells of connections that it lost, and a connection that is about to end may still
 * be ended by the end of its database: neither is an error of the test's.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
