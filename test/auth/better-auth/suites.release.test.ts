import { drizzle as nodePostgres } from 'drizzle-orm/node-postgres'
import { inject } from 'vitest'
import { openPool } from '../../support/pool.js'
import { openWith } from './drivers.js'
import { openStore } from './store.js'
import { runSuites } from './suites.js'

const drivers = { pglite: 'pg', libsql: 'sqlite' } as const

for (const [driver, dialect] of Object.entries(drivers))
  if (inject('dialects').includes(dialect)) await runSuites(driver, await openWith(driver, dialect), true)

function connectNodePostgres(connectionString: string) {
  const client = openPool({ connectionString })
  return { db: nodePostgres({ client }), close: () => client.end() }
}

if (inject('dialects').includes('pg'))
  await runSuites('node-postgres', await openStore('pg', { transaction: true, connectPg: connectNodePostgres }), true)
