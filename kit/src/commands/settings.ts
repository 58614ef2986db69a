import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as util from 'node:util'
import type { Context } from './command.js'
import { Problem } from './command.js'
import { loadModule } from './modules.js'
import { encodeSocket } from './tls.js'
import type { Target } from './url.js'
import { parseUrl } from './url.js'

export interface Settings {
  target: Target
  /** Files and patterns that declare the tables. */
  schema?: string[] | undefined
  /** Where `schema` comes from, for messages. */
  schemaSource: string
  casing?: Casing | undefined
  /** The folder of the migrations, and the table in which Drizzle records applied ones. */
  migrations: { folder: string; table: string; schema: string }
  /** Whether the app has a drizzle.config.ts. */
  usesKit: boolean
  /** Why drizzle.config.ts could not be read, if the command works without it. */
  unread?: Problem | undefined
}

type Casing = 'snake_case' | 'camelCase'

/** The database and the schema files of a command: from its options, the environment, `.env` and drizzle.config.ts, in this order. */
export async function findSettings(given: { url?: string | undefined; schema?: string | undefined }, context: Context): Promise<Settings> {
  await readEnvFile(context)
  const url = given.url ?? (context.env.DATABASE_URL?.trim() || undefined)
  let config: Config | undefined
  let unread: Problem | undefined
  try {
    config = await readConfig(context)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    if (url === undefined)
      throw new Problem(
        `DATABASE_URL is not set, neither in the environment nor in .env. Set it, or pass --url. Without it, the address would come from drizzle-kit's configuration, but ${error.message}`,
        error.exitCode,
      )
    unread = error
  }
  const target =
    url === undefined ? targetOf(config, context) : parseUrl(url, given.url === undefined ? 'DATABASE_URL' : '--url', context.cwd)
  target.authToken ??= context.env.DATABASE_AUTH_TOKEN ?? context.env.TURSO_AUTH_TOKEN
  const own = given.schema === undefined ? config?.schema : given.schema
  return {
    target,
    usesKit: config !== undefined || unread !== undefined,
    schema: typeof own === 'string' ? [own] : own,
    schemaSource: given.schema === undefined ? `schema of ${config?.file ?? 'drizzle.config.ts'}` : '--schema',
    casing: config?.casing,
    migrations: {
      folder: config?.out ?? 'drizzle',
      table: config?.migrations?.table ?? '__drizzle_migrations',
      schema: config?.migrations?.schema ?? 'drizzle',
    },
    unread,
  }
}

/** Adds the variables of the app's `.env` to the environment, as drizzle-kit does. Variables that are already set win. */
async function readEnvFile({ env, cwd }: Context): Promise<void> {
  const text = await readFile(join(cwd, '.env'), 'utf8').catch(() => undefined)
  // Node.js has `parseEnv` since 20.12.
  if (text === undefined || !util.parseEnv) return
  for (const [name, value] of Object.entries(util.parseEnv(text.replace(/^\ufeff/, '')))) env[name] ??= value
}

/** The part of drizzle-kit's configuration that the commands use. */
interface Config {
  file: string
  dialect?: string
  driver?: unknown
  dbCredentials?: Credentials
  schema?: string | string[]
  casing?: Casing
  out?: string
  migrations?: { table?: string; schema?: string }
}

interface Credentials {
  url?: string
  host?: string
  port?: number | string
  user?: string
  password?: string
  database?: string
  ssl?: unknown
  authToken?: string
}

/** The app's drizzle-kit configuration, if there is one. */
async function readConfig({ cwd }: Context): Promise<Config | undefined> {
  const file = ['drizzle.config.ts', 'drizzle.config.js', 'drizzle.config.json'].find((name) => existsSync(join(cwd, name)))
  if (file === undefined) return undefined
  const exported = await loadModule(join(cwd, file), cwd)
  return { ...((exported.default ?? exported) as Omit<Config, 'file'>), file }
}

const schemes: Record<string, string> = { postgresql: 'postgres', mysql: 'mysql' }

function targetOf(config: Config | undefined, { cwd }: Context): Target {
  const { file, dialect = '', driver, dbCredentials = {} } = config ?? {}
  const { url, host, port, user, password, database, ssl, authToken } = dbCredentials
  if (driver !== undefined) throw new Problem(`${file} sets driver, which this command does not support. Pass --url.`, 2)
  if (url) {
    const target = parseUrl(url, `dbCredentials.url of ${file}`, cwd)
    if (ssl !== undefined && [...target.parameters.keys()].some((name) => /ssl|tls/i.test(name)))
      throw new Problem(`dbCredentials of ${file} configures TLS both with ssl and in its url. Keep one of them.`, 2)
    return { ...target, ...(ssl !== undefined && { ssl }), authToken }
  }
  const scheme = schemes[dialect]
  if (!host || !database || !scheme)
    throw new Problem(
      'no database given. Pass --url, set DATABASE_URL (in the environment or in .env), or add dbCredentials to drizzle.config.ts.',
      2,
    )
  const login = user ? `${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@` : ''
  const name = host.includes(':') ? `[${host}]` : encodeSocket(host)
  const address = `${name}${port ? `:${port}` : ''}`
  const made = `${scheme}://${login}${address}/${encodeURIComponent(database)}`
  return { ...parseUrl(made, `dbCredentials of ${file}`, cwd), ssl }
}
