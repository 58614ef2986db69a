import type { Product } from '../../test/support/products.js'
import type { Contender } from './contenders/contender.js'
import type { PhaseContext } from './contenders/index.js'
import { measureCpu } from './phases/cpu.js'
import { measureOperations } from './phases/operations.js'
import type { CpuTimes } from './results.js'

/**
 * The goals, as ratios of CPU time: `getSessionAndUser` compared with Drizzle's own prepared query, and a new adapter with one
 * `getSessionAndUser` compared with the official adapter.
 */
const goals: Record<Product, Record<keyof CpuTimes, number>> = {
  sqlite: { session: 1.1, perRequest: 1 },
  pg: { session: 1.08, perRequest: 1 },
  mariadb: { session: 0.85, perRequest: 1.2 },
  mysql: { session: 0.85, perRequest: 1.2 },
}

/** These operations return the row, which the official adapter does not do. So they are not compared. */
const returnsMore = new Set(['linkAccount', 'unlinkAccount', 'deleteSession', 'deleteUser'])

const tries = 3

type Ratios = Record<string, { value: number; max: number }>

/** Measures the ratios that must hold, and returns those that are above their limit in all of three tries. */
export async function ratiosAbove(context: PhaseContext, product: Product, contenders: Contender[]): Promise<string[]> {
  const met = new Set<string>()
  for (let attempt = 1; ; attempt++) {
    const ratios = await measureRatios(context, product, contenders)
    for (const [title, { value, max }] of Object.entries(ratios)) if (value <= max) met.add(title)
    const failed = Object.entries(ratios).filter(([title]) => !met.has(title))
    context.report(`try ${attempt}: ${failed.length} of ${Object.keys(ratios).length} ratios not met`)
    if (failed.length === 0 || attempt === tries)
      return failed.map(([title, { value, max }]) => `${product}: ${title} ${value.toFixed(2)} (at most ${max})`)
  }
}

async function measureRatios(context: PhaseContext, product: Product, contenders: Contender[]): Promise<Ratios> {
  const { session, perRequest } = await measureCpu(context, contenders)
  const ratios: Ratios = {
    "CPU time of getSessionAndUser compared with Drizzle's own prepared query": ratioOf(
      session.ours,
      session.drizzle,
      goals[product].session,
    ),
    'CPU time of an adapter per request compared with the official adapter': ratioOf(
      perRequest.ours,
      perRequest.official,
      goals[product].perRequest,
    ),
  }
  const operations = await measureOperations(context, contenders)
  for (const [name, { ours = 0, official = 0 }] of Object.entries(operations))
    if (!returnsMore.has(name)) ratios[`${name} compared with the official adapter`] = ratioOf(ours, official, 1)
  const { ours, kysely } = operations.getSessionAndUser ?? {}
  if (product === 'mariadb' || product === 'mysql') ratios["getSessionAndUser compared with Kysely's adapter"] = ratioOf(ours, kysely, 1)
  return ratios
}

const ratioOf = (one = Number.NaN, other = Number.NaN, max: number) => ({ value: one / other, max })
