import { openKit, sqlOf } from '../../kit/test/support/moving/kit.js'
import type { DialectName } from '../../test/support/dialects.js'
import { statementsOf } from '../../test/support/migrations.js'

/** The statements that create the default tables of @auth/drizzle-adapter, as drizzle-kit generates them. */
export async function officialTables(dialect: DialectName): Promise<string[]> {
  const kit = await openKit(dialect, '')
  await kit.generate(`./kit/test/support/moving/official-${dialect}.ts`)
  const files = await kit.read()
  await kit.remove()
  return sqlOf(files).flatMap((path) => statementsOf(files[path] as string))
}
