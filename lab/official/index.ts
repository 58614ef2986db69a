import { adapterContract } from 'drizzle-auth-adapter/testing'
import { node } from '../../kit/test/support/moving/kit.js'
import type { Product } from '../../test/support/products.js'
import { products, startProduct, titleOf } from '../../test/support/products.js'
import { progress } from '../../test/support/progress.js'
import { parseArguments } from '../../test/support/tool.js'
import { versionOf, versionsOf } from '../../test/support/versions.js'
import { writePages } from '../pages/index.js'
import { writeResults } from '../results.js'
import { facts } from './facts.js'
import type { Measured, OfficialResults } from './results.js'
import type { Side } from './targets.js'
import { openTarget } from './targets.js'

const caseTimeout = 60_000
const problems: string[] = []

function withTimeout<T>(run: () => PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer after ${caseTimeout / 1000} s`)), caseTimeout)
  })
  return Promise.race([Promise.resolve().then(run), late]).finally(() => clearTimeout(timer))
}

type Open = Awaited<ReturnType<typeof openTarget>>

/** Runs the cases, and returns the reasons of those that failed. */
async function runCases(open: Open, side: Side, name: string): Promise<Record<string, string>> {
  const { adapter, close } = await open(side)
  const failed: Record<string, string> = {}
  for (const { name: title, run } of adapterContract) {
    await withTimeout(() => run(adapter)).catch((error: Error) => {
      failed[title] = error.message.slice(0, 160)
      if (side === 'ours') problems.push(`ours on ${name} fails: ${title}: ${error.message}`)
    })
  }
  await withTimeout(close).catch((error) => progress(`${name}: ${error.message}`))
  progress(`${name}: ${side} passed ${adapterContract.length - Object.keys(failed).length} of ${adapterContract.length}`)
  return failed
}

async function measureFact(open: Open, side: Side, fact: (typeof facts)[number]): Promise<Measured> {
  const opened = await open(side, { foreignKeys: !fact.withoutForeignKeys })
  const result = await withTimeout(() => fact.measure(opened)).catch((error: Error) => ({ shown: `error: ${error.name}`, right: false }))
  await withTimeout(opened.close).catch((error) => progress(error.message))
  return result
}

async function compare(product: Product, { versions, ours, cases, facts: measured }: OfficialResults): Promise<void> {
  const { url, dialect, version, stop } = await startProduct(product, progress)
  const name = titleOf[product]
  versions.push(`${name} ${version}`)
  const open = await openTarget(dialect, url)
  for (const [title, reason] of Object.entries(await runCases(open, 'official', name)))
    Object.assign(cases[title] ?? {}, { [name]: reason })
  ours[name] = adapterContract.length - Object.keys(await runCases(open, 'ours', name)).length
  for (const fact of facts) {
    const official = await measureFact(open, 'official', fact)
    const our = await measureFact(open, 'ours', fact)
    progress(`${name}: ${fact.what}: official ${official.shown}, ours ${our.shown}`)
    if (!our.right) problems.push(`ours on ${name} is wrong: ${fact.what}: ${our.shown}`)
    if (official.right && fact.wrong.includes(name)) problems.push(`the official adapter on ${name} is right now: ${fact.what}`)
    measured[fact.what] = { ...measured[fact.what], [name]: { official, ours: our } }
  }
  await stop()
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

const packages = ['drizzle-orm', '@auth/drizzle-adapter', '@auth/core', 'drizzle-kit', 'better-sqlite3', 'postgres', 'mysql2']

export async function run(args: string[]): Promise<void> {
  parseArguments('npm run lab official', { args })
  const versions = Object.entries(await versionsOf(packages)).map(([name, version]) => `${name} ${version}`)
  const results: OfficialResults = {
    versions: [`Node.js ${process.version.slice(1)}`, ...versions],
    drizzle1: {
      version: await versionOf('drizzle-orm-v1'),
      official: await importsWithDrizzle1('@auth/drizzle-adapter'),
      ours: await importsWithDrizzle1('drizzle-auth-adapter'),
    },
    ours: {},
    cases: Object.fromEntries(adapterContract.map(({ name }) => [name, {}])),
    facts: {},
  }
  for (const product of products) await compare(product, results)
  if (results.drizzle1.official || !results.drizzle1.ours)
    problems.push(`imports with drizzle-orm 1.0: ${JSON.stringify(results.drizzle1)}`)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  await writeResults('official', results)
  await writePages()
}
