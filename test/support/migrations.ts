import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DialectName } from './dialects.js'
import { root } from './root.js'

/** The statements of the committed migrations, in order. */
export async function migrationsOf(dialect: DialectName, folder = 'migrations'): Promise<string[]> {
  const path = join(root, folder, dialect)
  const files = (await readdir(path)).filter((file) => file.endsWith('.sql')).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), 'utf8')))
  return texts.flatMap(statementsOf)
}

/** Splits a migration of drizzle-kit into its statements. */
export function statementsOf(migration: string): string[] {
  return migration
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter(Boolean)
}
