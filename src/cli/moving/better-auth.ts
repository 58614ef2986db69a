import type { Database, DialectName, LibraryTables } from '../core.js'
import { inspectors } from '../core.js'
import { describeDeclared } from './declared.js'
import type { Current, NewTable, Plan } from './model.js'
import { notice } from './model.js'
import { candidatesFor, planTables } from './plan.js'

/** The roles of Better Auth's tables whose rows need the same care as those of Auth.js. */
const models = { user: 'users', account: 'accounts', session: 'sessions', verification: 'verificationTokens', rateLimit: 'others' } as const

/** Plans the migration from the official adapter's tables to those that `auth generate` writes with this package. */
export async function planBetterAuth(
  db: Database,
  dialect: DialectName,
  { betterAuth = {}, others }: LibraryTables,
  timeZone: string | undefined,
): Promise<Plan> {
  const own = (Object.keys(models) as (keyof typeof models)[]).flatMap((role) => {
    const table = betterAuth[role]
    return table ? [{ model: models[role], table }] : []
  })
  const rest = Object.values(others).map((table) => ({ model: 'others' as const, table }))
  const declared = await describeDeclared(db, dialect, inspectors[dialect], [...own, ...rest])
  for (const table of declared) markKeys(table)
  const { notices, steps } = await planTables(db, dialect, declared, candidatesOf, timeZone)
  return { notices: hasOwners(declared) ? notices : [...notices, officialSchema], steps }
}

/** Columns by which rows are found must be compared exactly. */
function markKeys({ columns, keys, foreignKeys }: NewTable): void {
  const names = new Set([...keys, ...foreignKeys].flatMap((key) => key.columns))
  for (const column of columns) column.isKey = names.has(column.name)
}

/** The table with the same name, whatever else there is. Otherwise one with a similar name. */
function candidatesOf(now: NewTable, current: Current) {
  const same = current.tables.find(({ schema, name }) => schema === now.path.schema && name === now.path.name)
  return same ? [same] : candidatesFor(now, now.path.name.replace(/s$/, ''), current)
}

/** Whether an account of a provider has one owner. Only the schema files of this package declare that. */
function hasOwners(declared: NewTable[]): boolean {
  const accounts = declared.find(({ model }) => model === 'accounts')
  const named = (field: string) => accounts?.columns.find((column) => column.field === field)?.name
  const owners = [named('providerId'), named('accountId')]
  return !accounts || accounts.keys.some(({ kind, columns }) => kind === 'unique' && owners.every((name) => columns.includes(name ?? '')))
}

const officialSchema = notice(
  'old-tables',
  [],
  'your schema file declares the tables of the official adapter, so the plan changes little',
  'Run npx auth generate with drizzleAdapter(db, { schema: {} }) of drizzle-auth-adapter/better-auth, and pass the new file with --schema.',
)
