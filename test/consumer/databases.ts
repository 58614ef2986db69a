import { join } from 'node:path'
import type { DialectName } from '../helpers/dialects.js'
import { createMysqlDatabase, createPgDatabase, newName } from '../helpers/new-database.js'
import type { Servers } from '../servers/index.js'

/** Calls `work` with the URL of a new database, and drops the database afterwards. */
export async function withDatabase<T>(
  dialect: DialectName,
  urls: Servers['urls'],
  folder: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  if (dialect === 'sqlite') return work(join(folder, `${newName()}.sqlite`))
  const create = dialect === 'pg' ? createPgDatabase : createMysqlDatabase
  const { url, drop } = await create(urls[dialect] as string)
  return work(url).finally(drop)
}
