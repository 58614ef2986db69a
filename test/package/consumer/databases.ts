import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { DialectName } from '../../support/dialects.js'
import type { NewDatabase } from '../../support/new-database.js'
import { createMysqlDatabase, createPgDatabase } from '../../support/new-database.js'
import type { Servers } from '../../support/servers/index.js'
import { scratchFolder } from '../../support/servers/scratch.js'

async function createSqliteFile(): Promise<NewDatabase> {
  const folder = await mkdtemp(join(scratchFolder(), 'auth-sqlite-'))
  return { url: join(folder, 'app.sqlite'), drop: () => rm(folder, { recursive: true, force: true }) }
}

function create(dialect: DialectName, urls: Servers['urls']): Promise<NewDatabase> {
  if (dialect === 'sqlite') return createSqliteFile()
  return (dialect === 'pg' ? createPgDatabase : createMysqlDatabase)(urls[dialect] as string)
}

/** Calls `work` with the URL of a new database, and drops the database afterwards. */
export async function withDatabase<T>(dialect: DialectName, urls: Servers['urls'], work: (url: string) => Promise<T>): Promise<T> {
  const { url, drop } = await create(dialect, urls)
  return work(url).finally(drop)
}
