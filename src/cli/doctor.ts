import type { Command } from './command.js'
import { Problem } from './command.js'
import { onDatabase } from './connection.js'
import type { Finding, Tables } from './core.js'
import { checkDialect, examine, failureOf } from './core.js'
import type { Opened } from './database.js'
import { findingLines } from './findings.js'
import { findTables } from './libraries.js'
import { pendingMigrations } from './migrations.js'
import type { Plan } from './moving/model.js'
import type { Source } from './moving/plan.js'
import { planMove, sources } from './moving/plan.js'
import { scriptOf } from './moving/script.js'
import { oldTables, successors } from './moving/successors.js'
import { databaseHelp, databaseOptions, oneOf, readOptions } from './options.js'

const help = `Usage: drizzle-auth-adapter doctor [options]

Reads the tables of Auth.js and of Better Auth in a database, and says what is unsafe, slow or
about to break, and how to fix it.
It changes nothing, and prints no values from your rows.

${databaseHelp}  --from ADAPTER   official, prisma or kysely: print the SQL that migrates the tables of that
                   adapter to yours, and the problems that prevent it
  --json           print only { "findings": [...] } to standard output;
                   with --from, { "findings": [...], "plan": [{ "about", "sql": [...] }] }
  --strict         exit with 1 also for warnings
  --quiet          print only findings and errors
  --help           print this help
  --version        print the version

Exit codes: 0 no errors, 1 errors found or the database cannot be read, 2 wrong usage or settings.
`

const options = {
  ...databaseOptions,
  from: { type: 'string' },
  json: { type: 'boolean' },
  strict: { type: 'boolean' },
  quiet: { type: 'boolean' },
} as const

export const doctor: Command = {
  summary: 'finds problems in the tables of a live database',
  help,
  async run(args, context) {
    const { json = false, strict = false, quiet = false, from, ...given } = readOptions(args, options)
    const source = from === undefined ? undefined : oneOf('--from', from, Object.keys(sources) as (keyof typeof sources)[])
    const isFailed = (findings: { severity: string }[]) => findings.some(({ severity }) => strict || severity === 'error')
    return onDatabase({ ...given, quiet }, context, async ({ opened, settings, say }) => {
      const tables = await findTables(opened, settings, context)
      say(`examining the tables of ${tables.titles} in ${settings.target.address}`)
      if (source) {
        if (!tables.authjs)
          throw new Problem(`--from ${source} migrates tables of Auth.js, and the schema has those of ${tables.titles}.`, 2)
        const plan = await planFor(opened, tables.authjs, source, given.schema !== undefined)
        const { notices: findings, steps } = plan
        context.stdout.write(json ? inJson({ findings, plan: steps }) : scriptOf(plan, opened.dialect, settings.target.address))
        return isFailed(findings) ? 1 : 0
      }
      const findings = [...(await pendingMigrations(opened, settings, context, say)), ...(await examine(opened.db, tables.all as never))]
      context.stdout.write(json ? inJson({ findings }) : inWords(findings, quiet))
      return isFailed(findings) ? 1 : 0
    })
  },
}

/** Plans the migration to the tables of the schema file, or to those of `defineTables()` if the file still has the old adapter's tables. */
async function planFor({ db, dialect }: Opened, tables: Partial<Tables>, source: Source, isExplicit: boolean): Promise<Plan> {
  checkDialect('doctor', dialect, tables)
  const target = isExplicit ? undefined : await successors(db, dialect, tables)
  try {
    const { notices, steps } = await planMove(db, dialect, target ?? tables, source)
    return { notices: target ? [...notices, oldTables] : notices, steps }
  } catch (error) {
    throw failureOf('doctor', error, dialect)
  }
}

const inJson = (value: object) => `${JSON.stringify(value, null, 2)}\n`

function inWords(findings: Finding[], quiet: boolean): string {
  const some = (severity: string) => {
    const count = findings.filter((finding) => finding.severity === severity).length
    return `${count} ${severity}${count === 1 ? '' : 's'}`
  }
  const total = findings.length === 0 ? 'nothing found' : `\n${some('error')}, ${some('warning')}`
  return [...findings.flatMap(findingLines).map((line) => `${line}\n`), ...(quiet ? [] : [`${total}\n`])].join('')
}
