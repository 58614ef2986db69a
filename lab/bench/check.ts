import type { Product } from '../../test/support/products.js'
import type { Contender } from './contenders/contender.js'
import type { PhaseContext } from './contenders/index.js'
import { measureOperations } from './phases/operations.js'
import { measureSession } from './phases/session.js'

/** The maximum cost of `getSessionAndUser`, as a multiple of Drizzle's own prepared query. SQLite has no round trip to hide behind. */
const limits: Record<Product, number> = { sqlite: 1.4, pg: 1.15, mariadb: 1.15, mysql: 1.15 }

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
  const { ours = 0, drizzle = 0 } = await measureSession(context, contenders)
  context.report(`getSessionAndUser: ${(ours / drizzle).toFixed(2)} times Drizzle's own prepared query`)
  const ratios: Ratios = { "getSessionAndUser compared with Drizzle's own prepared query": { value: ours / drizzle, max: limits[product] } }
  for (const [name, { ours = 0, official = 0 }] of Object.entries(await measureOperations(context, contenders)))
    if (!returnsMore.has(name)) ratios[`${name} compared with the official adapter`] = { value: ours / official, max: 1 }
  return ratios
}
