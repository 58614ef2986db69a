// npm run lab bench [-- --check | --quick | --dialects sqlite,pg | --only operations,secrets]
//
// Measures the built package beside other adapters. Only a complete run is recorded. With --check, it measures the ratios
// that must hold, and fails if one does not in three tries.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Product } from '../../test/support/products.js'
import { products, startProduct, titleOf } from '../../test/support/products.js'
import { progress } from '../../test/support/progress.js'
import { root } from '../../test/support/root.js'
import { choose, parseArguments } from '../../test/support/tool.js'
import { describeMachine, versionsOf } from '../../test/support/versions.js'
import { writePages } from '../pages/index.js'
import { writeResults } from '../results.js'
import { ratiosAbove } from './check.js'
import { contenderNames } from './contenders/contender.js'
import type { PhaseContext, Store } from './contenders/index.js'
import { createStore, withContenders } from './contenders/index.js'
import { measureBetterAuth } from './phases/better-auth.js'
import { measureCpu } from './phases/cpu.js'
import { measureOperations } from './phases/operations.js'
import { measureSecrets } from './phases/secrets.js'
import { measureSession } from './phases/session.js'
import type { DatabaseResults, Results } from './results.js'
import { sizesOf } from './sizes.js'

const phaseNames = ['operations', 'secrets', 'better-auth'] as const
type PhaseName = (typeof phaseNames)[number]

const packages = [
  'drizzle-auth-adapter',
  '@auth/drizzle-adapter',
  '@auth/kysely-adapter',
  'drizzle-orm',
  'kysely',
  'better-auth',
  '@better-auth/drizzle-adapter',
  '@better-auth/kysely-adapter',
  'better-sqlite3',
  'postgres',
  'pg',
  'mysql2',
]

/** Measures the phases that share databases of the same size. */
async function measureContenders(context: PhaseContext, stores: Store[], phases: PhaseName[]): Promise<Partial<DatabaseResults>> {
  const results: Partial<DatabaseResults> = {}
  if (phases.includes('operations'))
    await withContenders(context, stores, async (contenders) => {
      results.session = await measureSession(context, contenders)
      results.cpu = await measureCpu(context, contenders)
      results.operations = await measureOperations(context, contenders)
    })
  if (phases.includes('secrets'))
    results.secrets = await withContenders(context, stores.slice(0, 1), ([contender]) => measureSecrets(context, contender))
  return results
}

/** Starts a server, and creates a database for each contender. */
async function withStores<T>(
  product: Product,
  quick: boolean,
  run: (context: PhaseContext, stores: Store[], version: string) => Promise<T>,
) {
  const { url: serverUrl, dialect, version, stop } = await startProduct(product, progress)
  const report = (line: string) => progress(`${titleOf[product].padEnd(10)}  ${line}`)
  const context = { dialect, serverUrl, report, sizes: sizesOf(quick, product) }
  const stores: Store[] = []
  try {
    for (const name of contenderNames) stores.push(await createStore(context, name, context.sizes.resident))
    return await run(context, stores, version)
  } finally {
    for (const store of stores) await store.drop()
    await stop()
  }
}

const measure = (product: Product, phases: PhaseName[], quick: boolean) =>
  withStores(product, quick, async (context, stores, version): Promise<DatabaseResults> => {
    const results = await measureContenders(context, stores, phases)
    // MariaDB has no LATERAL.
    if (phases.includes('better-auth')) results.betterAuth = await measureBetterAuth(context, stores[0] as Store, product !== 'mariadb')
    return { version, ...results }
  })

async function check(product: Product, quick: boolean): Promise<void> {
  const above = await withStores(product, quick, (context, stores) =>
    withContenders(context, stores, (contenders) => ratiosAbove(context, product, contenders)),
  )
  if (above.length > 0) throw new Error(`above their limit in all of three tries:\n${above.join('\n')}`)
  progress('every ratio is within its limit')
}

/** Measures one database in a process of its own, as in an app: V8 optimizes code for what runs beside it. Returns whether it succeeded. */
async function runAlone(args: string[], product: Product): Promise<boolean> {
  const [script] = process.argv.slice(1)
  const command = [...process.execArgv, script as string, 'bench', ...args, '--dialects', product]
  const [code] = await once(spawn(process.execPath, command, { stdio: 'inherit' }), 'close')
  return code === 0
}

const partial = join(root, '.tmp/bench.json')

/** Keeps what is not a complete run. */
async function writePartial(results: Results): Promise<void> {
  await mkdir(join(root, '.tmp'), { recursive: true })
  await writeResults('bench', results, partial)
  progress('written to .tmp/bench.json')
}

export async function run(args: string[]): Promise<void> {
  const { values } = parseArguments('npm run lab bench -- [--check] [--quick] [--dialects NAMES] [--only PHASES]', {
    args,
    options: {
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      dialects: { type: 'string', default: products.join() },
      only: { type: 'string', default: phaseNames.join() },
    },
  })
  const chosen = choose(values.dialects.split(','), products)
  const phases = choose(values.only.split(','), phaseNames)
  const [product, ...others] = chosen
  if (product && others.length === 0) {
    if (values.check) return check(product, values.quick)
    const machine = { ...describeMachine(), packages: await versionsOf(packages) }
    return writePartial({ machine, [product]: await measure(product, phases, values.quick) })
  }
  const results = {} as Results
  const failed: Product[] = []
  for (const each of chosen) {
    if (!(await runAlone(args, each))) failed.push(each)
    else if (!values.check) Object.assign(results, JSON.parse(await readFile(partial, 'utf8')))
  }
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
  if (values.check) return
  if (values.quick || chosen.length < products.length || phases.length < phaseNames.length) return writePartial(results)
  await writeResults('bench', results)
  return writePages()
}
