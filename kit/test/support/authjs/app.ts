import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { describeSchema, officialGenerators } from '../../../../test/support/better-auth.js'
import { openDatabase } from '../../../../test/support/databases.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { migrationsOf } from '../../../../test/support/migrations.js'
import { root } from '../../../../test/support/root.js'
import { run } from '../commands/app.js'
import { prismaTables } from '../moving/others/prisma.js'
import { describeTables } from '../moving/shape.js'
import type { People } from './people.js'
import { inserts, people } from './people.js'

export type Source = 'defineTables' | 'official' | 'prisma'

export interface TargetOptions {
  generator: 'ours' | 'official'
  plural?: boolean
  camelCase?: boolean
  passkeys?: boolean
  generateId?: 'uuid' | 'serial'
}

const folder = join(root, '.tmp', 'authjs')

/** The fields of the plugin passkey. */
const passkeys: NonNullable<BetterAuthOptions['plugins']>[number] = {
  id: 'passkey',
  schema: {
    passkey: {
      fields: {
        name: { type: 'string', required: false },
        publicKey: { type: 'string', required: true },
        userId: { type: 'string', references: { model: 'user', field: 'id' }, required: true, index: true },
        credentialID: { type: 'string', required: true, index: true },
        counter: { type: 'number', required: true },
        deviceType: { type: 'string', required: true },
        backedUp: { type: 'boolean', required: true },
        transports: { type: 'string', required: false },
        createdAt: { type: 'date', required: false },
        aaguid: { type: 'string', required: false },
      },
    },
  },
}

/** Writes a schema file of Better Auth, and returns its path. */
async function schemaFile(dialect: DialectName, db: object, target: TargetOptions): Promise<string> {
  const { generator, plural = false, camelCase = false, passkeys: hasPasskeys = true, generateId } = target
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${crypto.randomUUID()}.ts`)
  const options = {
    ...(hasPasskeys && { plugins: [passkeys] }),
    ...(generateId && { advanced: { database: { generateId } } }),
  } as BetterAuthOptions
  let code: string
  if (generator === 'ours') {
    const adapter = drizzleAdapter(db as never, { schema: {}, usePlural: plural, camelCase })
    code = (await adapter(options).createSchema?.(options, 'auth-schema.ts'))?.code ?? ''
  } else {
    code = await officialGenerators.main(dialect, options)
    if (camelCase)
      code = code.replaceAll(/(?<=\(["'])[a-z]+(_[a-z]+)+(?=["'])/g, (name) =>
        name.replaceAll(/_([a-z])/g, (_, letter) => letter.toUpperCase()),
      )
    if (plural) code = pluralOf(code)
  }
  await writeFile(file, code)
  return file
}

/** The official file with plural names. Its relations are not needed. */
const pluralOf = (code: string) =>
  code
    .replace(/export const \w+Relations[\s\S]*/, '')
    .replaceAll(/export const (\w+) = (\w+)Table\(\s*(["'])(\w+)\3/g, 'export const $1s = $2Table($3$4s$3')
    .replaceAll('=> user.id', '=> users.id')

const quoted = (dialect: DialectName, text: string) => (dialect === 'mysql' ? text.replaceAll('"', '`') : text)

/** The statements that create the tables of Auth.js. */
async function tablesOf(dialect: DialectName, source: Source): Promise<string[]> {
  if (source === 'defineTables') return migrationsOf(dialect)
  if (source === 'prisma') return prismaTables[dialect]
  return (await describeSchema(join(root, 'kit/test/support/moving', `official-${dialect}.ts`), dialect)).statements
}

const capital = (name: string) => name[0]?.toUpperCase() + name.slice(1)

export interface AppOptions {
  rows?: Partial<People>
  /** Statements of the app, after the rows. Names are in double quotes. */
  own?: string[]
  settings?: string
}

/** Opens the database of an app on Auth.js. It has a table of its own that references the users. */
export async function openApp(dialect: DialectName, source: Source, target: TargetOptions, options: AppOptions = {}) {
  const { rows = people, own = [], settings = 'character set utf8mb4' } = options
  const database = await openDatabase(dialect, {
    migrations: await tablesOf(dialect, source),
    connections: 1,
    ...(dialect === 'mysql' && { settings }),
  })
  const table = source === 'prisma' ? capital : (name: string) => name
  const extra = (name: string) =>
    source === 'prisma' && /^(user|account|session)$/.test(name)
      ? { createdAt: new Date('2024-01-02T03:04:05.006Z'), updatedAt: new Date('2024-02-03T04:05:06.007Z') }
      : {}
  for (const statement of inserts(dialect, rows, table, extra as never)) await database.exec(statement)
  const [id] = await database.run(
    dialect === 'mysql'
      ? `select concat(column_type, coalesce(concat(' character set ', character_set_name, ' collate ', collation_name), '')) as type from information_schema.columns where table_schema = database() and table_name = '${table('user')}' and column_name = 'id'`
      : `select 'text' as type`,
  )
  const users = table('user')
  const posts = [
    `create table "posts" ("id" int primary key, "author" ${id?.type} not null, constraint "posts_author_fk" foreign key ("author") references "${users}" ("id") on delete cascade)`,
    ...(rows.user ?? []).map((user, index) => `insert into "posts" values (${index + 1}, '${user.id}')`),
  ]
  for (const statement of [...posts, ...own]) await database.exec(quoted(dialect, statement))
  const schema = await schemaFile(dialect, database.db, target)
  const args = ['doctor', '--from', 'authjs', '--url', database.url, '--schema', schema]

  const inTransaction = async (statements: string[]) => {
    if (dialect === 'pg') await database.exec('begin')
    try {
      for (const statement of statements) await database.exec(statement)
      if (dialect === 'pg') await database.exec('commit')
    } catch (error) {
      if (dialect === 'pg') await database.exec('rollback')
      if (dialect === 'sqlite' && (database as { client?: { inTransaction: boolean } }).client?.inTransaction)
        await database.exec('rollback')
      if (dialect === 'sqlite') await database.exec('pragma foreign_keys = on')
      throw error
    }
  }
  return {
    ...database,
    schema,
    table,
    users,
    q: (text: string) => database.run(quoted(dialect, text)),
    exec: (text: string) => database.exec(quoted(dialect, text)),
    async plan(...more: string[]): Promise<Planned> {
      const { code, stdout, stderr } = await run([...args, '--json', ...more])
      if (!stdout) throw new Error(stderr)
      return { code, ...JSON.parse(stdout) }
    },
    text: (...more: string[]) => run([...args, ...more]),
    apply: (steps: Step[]) => inTransaction(steps.flatMap(({ sql }) => sql)),
    /** Every row of every table, and the shape of the tables. */
    async dump() {
      const shape = await describeTables(dialect, database.run)
      const names = [...new Set(shape[0]?.map((row) => String(row.name ?? row.table_name ?? row.t)))]
      const all: Record<string, string[]> = {}
      for (const name of names)
        all[name] = (
          await database.run(quoted(dialect, dialect === 'pg' ? `select t::text as row from "${name}" t` : `select * from "${name}"`))
        )
          .map((row) => JSON.stringify(row))
          .sort()
      return { shape, rows: all }
    },
  }
}

export interface Step {
  about: string
  sql: string[]
}

export interface Planned {
  code: number
  findings: { code: string; severity: string; table?: string; column?: string; message: string; fix?: string }[]
  plan: Step[]
  cleanup: Step[]
  undo: Step[]
}
