import type { Database } from 'drizzle-auth-adapter/internal'
import { textOfBytes } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { read } from '../doctor/inspector.js'

const text = (value: unknown) => (typeof value === 'object' && value !== null ? textOfBytes(value) : String(value ?? ''))

/** Rows of a catalog as texts, with an empty text for null. Columns are SQL. */
export async function textRows<Name extends string>(db: Database, columns: Record<Name, string>, from: string, where?: SQL) {
  const fields = Object.fromEntries(Object.entries<string>(columns).map(([name, column]) => [name, sql.raw(column)]))
  const rows = await read(db, fields, sql.raw(from), where)
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, text(value)])) as Record<Name, string>)
}
