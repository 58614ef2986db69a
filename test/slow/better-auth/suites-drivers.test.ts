import { drizzle as nodePostgres } from 'drizzle-orm/node-postgres'
import { inject } from 'vitest'
import { openWith } from '../../auth/better-auth/drivers.js'
import { openStore } from '../../auth/better-auth/store.js'
import { openPool } from '../../support/pool.js'
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
