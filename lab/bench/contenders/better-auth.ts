import type { BetterAuthOptions } from '@better-auth/core'
import type { DBAdapter } from '@better-auth/core/db/adapter'
import { drizzleAdapter as officialAdapter } from '@better-auth/drizzle-adapter'
import { kyselyAdapter } from '@better-auth/kysely-adapter'
import { getMigrations } from 'better-auth/db/migration'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import type { BetterAuthSchema } from '../../../test/support/better-auth.js'
import { loadOfficialSchema, loadSchemaCode } from '../../../test/support/better-auth.js'
import { connect, createDatabase } from '../../../test/support/connections.js'
import type { DialectName } from '../../../test/support/dialects.js'
import type { BetterAuthName } from './contender.js'
import { clients } from './index.js'

/** An adapter of Better Auth in a database of its own. */
export interface BetterAuthContender {
  name: BetterAuthName
  adapter: DBAdapter
  close(): Promise<void>
}

export const joined: BetterAuthOptions = { rateLimit: { storage: 'database' }, advanced: { database: { joins: true } } }

/** Opens all contenders. `hasLateral` says whether the server knows LATERAL, which the joins of the official adapter need. */
export async function openBetterAuth(dialect: DialectName, server: string, hasLateral: boolean): Promise<BetterAuthContender[]> {
  async function withDrizzle(name: BetterAuthName, { schema, statements }: BetterAuthSchema, make: (db: never) => DBAdapter) {
    const { url, drop } = await createDatabase(dialect, server)
    const { exec, close } = await connect[dialect](url, { connections: 1 })
    for (const statement of statements) await exec(statement)
    await close()
    const opened = clients[dialect].drizzle(url, schema)
    return { name, adapter: make(opened.newDb() as never), close: () => closeAll(opened.close, drop) }
  }

  async function withKysely() {
    const { url, drop } = await createDatabase(dialect, server)
    const db = clients[dialect].kysely(url)
    const type = dialect === 'pg' ? ('postgres' as const) : dialect
    const { runMigrations } = await getMigrations({ ...joined, database: { db, type } })
    await runMigrations()
    return { name: 'kysely' as const, adapter: kyselyAdapter(db, { type })(joined), close: () => closeAll(() => db.destroy(), drop) }
  }

  // The schema does not depend on the database, only on its dialect.
  const { db, close } = await connect[dialect](server || ':memory:', { connections: 1 })
  const generated = await drizzleAdapter(db, { schema: {} })(joined).createSchema?.(joined)
  await close()
  const own = await loadSchemaCode(generated?.code ?? '', dialect)
  const official = await loadOfficialSchema(dialect, joined)
  const { schema } = official
  return [
    await withDrizzle('ours', own, (db) => drizzleAdapter(db, { schema: own.schema })(joined)),
    await withDrizzle('official', official, (db) =>
      officialAdapter(db, { provider: dialect, schema })({ ...joined, advanced: { database: { joins: hasLateral } } }),
    ),
    await withKysely(),
  ]
}

async function closeAll(close: () => unknown, drop: () => Promise<void>): Promise<void> {
  await close()
  await drop()
}
