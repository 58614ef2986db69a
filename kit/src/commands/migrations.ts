import { readdir, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { sql } from 'drizzle-orm'
import type { Finding } from '../doctor/finding.js'
import type { Context } from './command.js'
import type { Opened } from './connection.js'
import { failureOf } from './connection.js'
import type { Settings } from './settings.js'

/** Finds generated migrations that were not applied. With `drizzle-kit push` there is no migrations table, and no finding. */
export async function pendingMigrations(
  opened: Opened,
  { migrations: { folder, table, schema } }: Settings,
  { cwd }: Context,
  say: (line: string) => unknown,
): Promise<Finding[]> {
  const generated = await generatedIn(resolve(cwd, folder))
  if (generated.length === 0) return []
  const path = [...(opened.dialect === 'pg' ? [schema] : []), table].map((name) => sql.identifier(name))
  let last: number
  try {
    const query = opened.db.select({ last: sql`max(created_at)` }).from(sql.join(path, sql`.`))
    const [row] = (await query) as unknown as [{ last: unknown }]
    last = Number(row.last ?? 0)
  } catch (error) {
    const { kind } = failureOf('doctor', error, opened.dialect)
    if (kind === 'denied') say(`${table} cannot be read by this user, so pending migrations are not checked`)
    // The table does not exist, or another tool created it.
    return []
  }
  const pending = generated.filter((time) => time > last).length
  if (pending === 0) return []
  const message = `${pending} migration${pending === 1 ? ' was' : 's were'} generated but not applied`
  return [{ code: 'pending-migration', severity: 'error', message, fix: 'npx drizzle-kit migrate' }]
}

/** When each migration was generated, in milliseconds: from the journal of drizzle-kit 0.31, or the names of the folders of 1.0. */
async function generatedIn(folder: string): Promise<number[]> {
  try {
    const journal = JSON.parse(await readFile(resolve(folder, 'meta', '_journal.json'), 'utf8'))
    return journal.entries.map(({ when }: { when: number }) => when)
  } catch {
    const names = await readdir(folder).catch(() => [])
    return names.flatMap((name) => {
      const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)_/.exec(name) ?? []
      const [year = 0, month = 1, ...rest] = parts.map(Number)
      return parts.length > 0 ? [Date.UTC(year, month - 1, ...rest)] : []
    })
  }
}
