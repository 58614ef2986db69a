import pg from 'pg'

/**
 * A node-postgres pool that ignores 'error' events. They are emitted when a connection is lost, also while a test drops its database, and
 * would otherwise fail the test as unhandled errors.
 */
export function openPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config)
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
