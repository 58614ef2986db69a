// npx tsx scripts/official.ts [--check]: runs the same cases with the official adapter and ours, and writes or checks docs/official.md.
import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { adapterContract } from 'drizzle-auth-adapter/testing'
import { node } from '../test/integration/moving/kit.js'
import type { DialectName } from '../test/support/dialects.js'
import { chosenDialects } from '../test/support/dialects.js'
import type { Servers } from '../test/support/servers/index.js'
import { startServers } from '../test/support/servers/index.js'
import { facts } from './official/facts.js'
import type { Measured } from './official/measures.js'
import type { Result } from './official/report.js'
import { differences, passed, reasonOf, report } from './official/report.js'
import type { Side } from './official/targets.js'
import { openTarget } from './official/targets.js'

const page = join(import.meta.dirname, '..', 'docs', 'official.md')
const caseTimeout = 60_000
const check = process.argv.includes('--check')
const problems: string[] = []
const print = (line: string) => process.stderr.write(`${line}\n`)

function withTimeout<T>(run: () => PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer after ${caseTimeout / 1000} s`)), caseTimeout)
  })
  return Promise.race([Promise.resolve().then(run), late]).finally(() => clearTimeout(timer))
}

type Target = Awaited<ReturnType<typeof openTarget>>

async function runCases(target: Target, side: Side, name: string): Promise<Result['cases']> {
  const { adapter, close } = await target.open(side)
  const results = new Map<string, string | null>()
  for (const { name: title, run } of adapterContract) {
    const error = await withTimeout(() => run(adapter)).then(
      () => null,
      (error: Error) => error,
    )
    results.set(title, error && reasonOf(error))
    if (error && side === 'ours') problems.push(`ours on ${name} fails: ${title}: ${error.message}`)
  }
  await withTimeout(close).catch((error) => print(`${name}: ${error.message}`))
  print(`${name}: ${side} passed ${passed(results)} of ${results.size}`)
  return results
}

async function measureFact(target: Target, side: Side, fact: (typeof facts)[number]): Promise<Measured> {
  const opened = await target.open(side, { foreignKeys: !fact.withoutForeignKeys })
  const result = await withTimeout(() => fact.measure(opened)).catch((error: Error) => ({ shown: `error: ${error.name}`, right: false }))
  await withTimeout(opened.close).catch((error) => print(error.message))
  return result
}

async function compare(dialect: DialectName, url: string): Promise<{ result: Result; version: string }> {
  const target = await openTarget(dialect, url)
  const title = dialect === 'sqlite' ? 'SQLite' : dialect === 'pg' ? 'PostgreSQL' : /mariadb/i.test(target.version) ? 'MariaDB' : 'MySQL'
  const cases = await runCases(target, 'official', title)
  const ours = passed(await runCases(target, 'ours', title))
  const answers: Result['facts'] = []
  for (const fact of facts) {
    const official = await measureFact(target, 'official', fact)
    const our = await measureFact(target, 'ours', fact)
    print(`${title}: ${fact.what}: official ${official.shown}, ours ${our.shown}`)
    if (!our.right) problems.push(`ours on ${title} is wrong: ${fact.what}: ${our.shown}`)
    if (official.right && fact.wrong.includes(title)) problems.push(`the official adapter on ${title} is right now: ${fact.what}`)
    answers.push({ what: fact.what, official, ours: our })
  }
  return { result: { name: title, cases, ours, facts: answers }, version: `${title} ${target.version.match(/[\d.]+/)?.[0]}` }
}

/** Whether a module can be imported where `drizzle-orm` is version 1.0. */
async function importsWithDrizzle1(specifier: string): Promise<boolean> {
  const hook = "export const resolve = (name, context, next) => next(name.replace(/^drizzle-orm(?=\\/|$)/, 'drizzle-orm-v1'), context)"
  const url = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`
  const register = url(`import { register } from 'node:module'; register(${JSON.stringify(url(hook))})`)
  return node(['--import', register, '--input-type=module', '-e', `import '${specifier}'`]).then(
    () => true,
    (error: Error) => {
      if (/does not provide an export named/.test(error.message)) return false
      throw error
    },
  )
}

const versionOf = (name: string) => `${name} ${createRequire(import.meta.url)(`../node_modules/${name}/package.json`).version}`

async function main(dialects: DialectName[]) {
  const single = process.env.MYSQL_URL || process.env.MYSQL_SERVER
  if (!check && (dialects.length < 3 || single))
    throw new Error('The page needs all databases. Unset DIALECTS, MYSQL_SERVER and MYSQL_URL to write it, or add --check')
  const started: Servers[] = []
  const results: Result[] = []
  const versions = ['drizzle-orm', '@auth/drizzle-adapter', '@auth/core', 'drizzle-kit', 'better-sqlite3', 'postgres', 'mysql2'].map(
    versionOf,
  )
  try {
    for (const [dialect, product] of [['sqlite'], ['pg'], ['mysql', 'mariadb'], ['mysql', 'mysql']] as [DialectName, string?][]) {
      if (!dialects.includes(dialect) || (product === 'mysql' && single)) continue
      if (product && !single) process.env.MYSQL_SERVER = product
      const servers = dialect === 'sqlite' ? undefined : await startServers([dialect])
      if (servers) started.push(servers)
      if (product && !single) delete process.env.MYSQL_SERVER
      const { result, version } = await compare(dialect, (dialect !== 'sqlite' && servers?.urls[dialect]) || '')
      results.push(result)
      versions.push(version)
    }
  } finally {
    for (const { stop } of started) await stop()
  }
  const [official, ours] = [await importsWithDrizzle1('@auth/drizzle-adapter'), await importsWithDrizzle1('drizzle-auth-adapter')]
  if (official || !ours)
    problems.push(`with drizzle-orm 1.0 the official adapter ${official ? 'can' : 'cannot'} be imported, ours ${ours ? 'can' : 'cannot'}`)
  const notes = [
    `With ${versionOf('drizzle-orm-v1').replace('-v1', '')} the official adapter ${official ? 'can' : '**cannot**'} be imported; ours ${ours ? 'can' : 'cannot'}.`,
  ]

  const text = report(results, [`Node.js ${process.version.slice(1)}`, ...versions], notes)
  if (check) problems.push(...differences(await readFile(page, 'utf8'), text))
  else if (problems.length === 0) await writeFile(page, text)
  for (const problem of problems) print(problem)
  return problems.length > 0 ? 1 : 0
}

process.exit(
  await main(chosenDialects()).catch((error) => {
    print(error.stack)
    return 1
  }),
)
