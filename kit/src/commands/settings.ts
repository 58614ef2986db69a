import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { Context } from './command.js'
import { Problem } from './command.js'
import type { Credentials, Target } from './drivers.js'
import { targetOfFields, targetOfUrl } from './drivers.js'
import { loadModule } from './modules.js'

export type Settings = Awaited<ReturnType<typeof findSettings>>

/** The options that name the database and the tables. */
export interface Given {
  db?: string | undefined
  url?: string | undefined
  schema?: string | undefined
}

/** The part of drizzle-kit's configuration that the commands use. */
interface Config {
  file: string
  dialect?: string
  driver?: unknown
  dbCredentials?: Credentials
  schema?: string | string[]
  casing?: 'snake_case' | 'camelCase'
  out?: string
  migrations?: { table?: string; schema?: string }
}

/** The database and the schema files of a command: from its options, the environment, `.env` and drizzle.config.ts, in this order. */
export async function findSettings({ db, url, schema }: Given, context: Context) {
  await readEnvFile(context)
  const named = targetOf(db, url, context)
  let config: Config | undefined
  let unread: Problem | undefined
  try {
    config = await readConfig(context)
  } catch (error) {
    unread = error as Problem
    if (!named)
      throw new Problem(`DATABASE_URL is not set, neither in the environment nor in .env. Set it, or pass --url. ${unread.message}`)
  }
  const own = schema ?? config?.schema
  return {
    target: named ?? targetOfConfig(config, context),
    /** Whether the app has a drizzle.config.ts. */
    usesKit: config !== undefined || unread !== undefined,
    /** Why drizzle.config.ts could not be read, if the command works without it. */
    unread,
    /** Files and patterns that declare the tables, and where they come from. */
    schema: typeof own === 'string' ? [own] : own,
    schemaSource: schema === undefined ? `schema of ${config?.file ?? 'drizzle.config.ts'}` : '--schema',
    isExplicit: schema !== undefined,
    casing: config?.casing,
    /** The folder of the migrations, and the table in which Drizzle records applied ones. */
    migrations: { folder: config?.out ?? 'drizzle', table: '__drizzle_migrations', schema: 'drizzle', ...config?.migrations },
  }
}

/** Adds the variables of the app's `.env` to the environment, as drizzle-kit does. Variables that are already set win. */
async function readEnvFile({ env, cwd }: Context): Promise<void> {
  const text = await readFile(join(cwd, '.env'), 'utf8').catch(() => '')
  for (const [name, value] of Object.entries(parseEnv(text.replace(/^\ufeff/, '')))) env[name] ??= value
}

/** The database that an option or the environment names. */
function targetOf(db: string | undefined, url: string | undefined, context: Context): Target | undefined {
  if (db !== undefined) {
    const module = resolve(context.cwd, db)
    if (!existsSync(module)) throw new Problem('--db is not an existing file. Expected the file of your app that exports db.', 2)
    return { source: db, address: `the database of ${db}`, from: { module } }
  }
  if (url !== undefined) return targetOfUrl(url, '--url', context)
  return context.env.DATABASE_URL ? targetOfUrl(context.env.DATABASE_URL, 'DATABASE_URL', context) : undefined
}

/** The app's drizzle-kit configuration, if there is one. */
async function readConfig({ cwd }: Context): Promise<Config | undefined> {
  const file = ['drizzle.config.ts', 'drizzle.config.js', 'drizzle.config.json'].find((name) => existsSync(join(cwd, name)))
  if (file === undefined) return undefined
  const exported = await loadModule(join(cwd, file), cwd)
  return { ...((exported.default ?? exported) as Omit<Config, 'file'>), file }
}

function targetOfConfig(config: Config | undefined, context: Context): Target {
  const { file, dialect, driver, dbCredentials: { url, ...fields } = {} } = config ?? {}
  if (driver !== undefined)
    throw new Problem(`${file} sets driver, which this command does not support. Pass --db with the file of your app that exports db.`, 2)
  if (url) return targetOfUrl(url, `dbCredentials.url of ${file}`, context, fields)
  const target = fields.host ? targetOfFields(dialect, fields, `dbCredentials of ${file}`) : undefined
  if (target) return target
  throw new Problem(
    'no database given. Pass --db or --url, set DATABASE_URL (in the environment or in .env), or add dbCredentials to drizzle.config.ts.',
    2,
  )
}
