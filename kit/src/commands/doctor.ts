import { checkTables as checkDialect } from 'drizzle-auth-adapter/internal'
import type { Finding } from '../doctor/finding.js'
import { examine } from '../doctor/index.js'
import type { Plan, Request } from '../planning/index.js'
import { planMove, scriptOf, sources, tablesSetAside } from '../planning/index.js'
import type { Command } from './command.js'
import { Problem } from './command.js'
import type { Opened } from './connection.js'
import { failureOf, onDatabase } from './connection.js'
import { findingLines } from './findings.js'
import { pendingMigrations } from './migrations.js'
import { databaseHelp, databaseOptions, oneOf, readOptions, wholeNumber } from './options.js'
import type { Settings } from './settings.js'
import type { FoundTables } from './tables.js'
import { findTables, schemaTables } from './tables.js'

const help = `Usage: drizzle-auth-kit doctor [options]

Reads the tables of Auth.js and of Better Auth in a database, and says what is unsafe, slow or
about to break, and how to fix it.
It changes nothing, and prints no values from your rows.

${databaseHelp}  --from ADAPTER   official, prisma or kysely: print the SQL that migrates the tables of that
                   adapter for Auth.js to yours, and the problems that prevent it;
                   better-auth: the same for Better Auth's own Drizzle adapter;
                   authjs: print the SQL that moves the rows of Auth.js to the tables of
                   Better Auth that --schema declares, and the SQL that undoes it
  --password T.C   with --from authjs: the table of users and its column with hashes of
                   passwords, such as users.password_hash
  --expires-in S   with --from authjs: session.expiresIn of your new app, in seconds (604800)
  --time-zone ZONE with --from on MySQL: the time zone of your app's connections, such as
                   +02:00 or Europe/Berlin; by default that of this connection
  --json           print only { "findings": [...] } to standard output;
                   with --from, also "plan", "undo" and "cleanup": [{ "about", "sql": [...] }]
  --strict         exit with 1 also for warnings
  --quiet          print only findings and errors
  --help           print this help
  --version        print the version

Exit codes: 0 no errors, 1 errors found or the database cannot be read, 2 wrong usage or settings.
`

const options = {
  ...databaseOptions,
  from: { type: 'string' },
  'time-zone': { type: 'string' },
  password: { type: 'string' },
  'expires-in': { type: 'string' },
  json: { type: 'boolean' },
  strict: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const

export const command: Command = {
  help,
  async run(args, context) {
    const values = readOptions(args, options)
    const { json = false, strict = false, quiet = false, from, 'time-zone': timeZone, password, 'expires-in': expiresIn, ...given } = values
    const source = from === undefined ? undefined : oneOf('--from', from, sources)
    if (timeZone !== undefined) checkTimeZone(timeZone, source)
    const authjs = authjsOptions(source === 'authjs', password, expiresIn)
    const isFailed = (findings: { severity: string }[]) => findings.some(({ severity }) => strict || severity === 'error')
    return onDatabase({ ...given, quiet }, context, async ({ opened, settings, say }) => {
      // What the app's own tables are called does not matter here: only their columns do.
      const tables = source === 'authjs' ? await ofSchema(settings, context.cwd) : await findTables(opened, settings, context)
      const place = source === 'authjs' ? settings.target.address : `the tables of ${tables.titles} in ${settings.target.address}`
      say(source === 'authjs' ? `planning the move from Auth.js to Better Auth in ${place}` : `examining ${place}`)
      if (source) {
        const request = { ...authjs, source, tables, timeZone, schemaSource: settings.schemaSource }
        const plan = await planFor(opened, request, settings.schema !== undefined, tables.titles)
        const { notices: findings, ...steps } = plan
        context.stdout.write(json ? inJson({ findings, ...steps }) : scriptOf(plan, opened.dialect, place))
        return isFailed(findings) ? 1 : 0
      }
      const findings = [
        ...(await pendingMigrations(opened, settings, context, say)),
        ...(await examine(opened.db as never, tables.all as never)),
        ...(await tablesSetAside(opened.db, opened.dialect)),
      ]
      context.stdout.write(json ? inJson({ findings }) : inWords(findings, quiet, settings.usesKit))
      return isFailed(findings) ? 1 : 0
    })
  },
}

/** Throws if the option cannot be used. Its value becomes part of a statement. */
function checkTimeZone(zone: string, source: string | undefined): void {
  if (!/^([+-]\d\d:\d\d|[A-Za-z]\w*(\/[\w+-]+)*)$/.test(zone))
    throw new Problem('--time-zone must be an offset such as +02:00, or a name such as Europe/Berlin.', 2)
  if (source === undefined) throw new Problem('--time-zone needs --from.', 2)
}

/** The tables of the schema file, which need not be recognized by their names. */
async function ofSchema(settings: Settings, cwd: string): Promise<FoundTables> {
  const all = await schemaTables(settings, cwd)
  return { all, others: {}, titles: '' }
}

async function planFor({ db, dialect }: Opened, request: Request, hasSchema: boolean, titles: string): Promise<Plan> {
  const { source, tables, timeZone } = request
  const { authjs, betterAuth } = tables
  if (source !== 'authjs' && (source === 'better-auth' ? !betterAuth : !authjs))
    throw new Problem(
      `--from ${source} migrates tables of ${source === 'better-auth' ? 'Better Auth' : 'Auth.js'}, and the ${hasSchema ? 'schema' : 'database'} has those of ${titles}.${hasSchema ? '' : ' Pass --schema with the file that declares the new ones.'}`,
      2,
    )
  if (timeZone !== undefined && dialect !== 'mysql') throw new Problem('--time-zone is for MySQL and MariaDB only.', 2)
  if (authjs) checkDialect('doctor', dialect, authjs)
  try {
    return await planMove(db, dialect, request)
  } catch (error) {
    throw error instanceof Problem ? error : failureOf('doctor', error, dialect)
  }
}

function authjsOptions(
  isAuthjs: boolean,
  password: string | undefined,
  expiresIn: string | undefined,
): Pick<Request, 'expiresIn' | 'password'> {
  if (!isAuthjs && (password ?? expiresIn) !== undefined) throw new Problem('--password and --expires-in need --from authjs.', 2)
  const [table = '', column, ...rest] = password?.split('.') ?? []
  if (password !== undefined && (!table || !column || rest.length > 0))
    throw new Problem('--password must be a table and a column, such as users.password_hash.', 2)
  return {
    expiresIn: wholeNumber('--expires-in', expiresIn ?? '604800', 60, 2 ** 31 - 1),
    password: column ? { table, column } : undefined,
  }
}

const inJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`

function inWords(findings: (Finding | Plan['notices'][number])[], quiet: boolean, usesKit: boolean): string {
  const some = (severity: string) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return `${count} ${severity}${count === 1 ? '' : 's'}`
  }
  const total = findings.length === 0 ? 'nothing found' : `\n${some('error')}, ${some('warning')}`
  return [...findings.flatMap((each) => findingLines(each, usesKit)).map((line) => `${line}\n`), ...(quiet ? [] : [`${total}\n`])].join('')
}
