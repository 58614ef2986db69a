import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DialectName } from '../../support/dialects.js'
import { statementsOf } from '../../support/migrations.js'

/** A database that version 0.1.0 made and filled: its migrations, then the rows that its adapter wrote for the people of people.ts. */
export async function fixtureOf(dialect: DialectName): Promise<string[]> {
  return statementsOf(await readFile(join(import.meta.dirname, '0.1.0', `${dialect}.sql`), 'utf8'))
}
