import type { Contender } from './contenders/contender.js'
import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'
import { measureOperations } from './phases/operations.js'
import type { PhaseContext } from './phases/phase.js'
import { prepareStores, withContenders } from './phases/phase.js'
import { measureSession } from './phases/session.js'
import { progress } from './progress.js'

/** The maximum cost of `getSessionAndUser`, as a multiple of Drizzle's own prepared query. SQLite has no round trip to hide behind. */
const limits: Record<DatabaseName, number> = { sqlite: 1.4, pg: 1.15, mariadb: 1.15, mysql: 1.15 }

/** These operations return the row, which the official adapter does not do. So they are not compared. */
const returnsMore = new Set(['linkAccount', 'unlinkAccount', 'deleteSession', 'deleteUser'])

const tries = 3

/** Measures the ratios, and returns those that are above their limit in all of three tries. */
export async function check(context: PhaseContext): Promise<string[]> {
  const stores = await prepareStores(context, ['ours', 'official', 'drizzle'])
  return withContenders(context, stores, { connections: 1 }, async (contenders) => {
    const { database } = context
    const met = new Set<string>()
    for (let attempt = 1; ; attempt++) {
      const ratios = { ...(await costOfSession(context, contenders)), ...(await costsOfOperations(context, contenders)) }
      const failed = Object.entries(ratios).filter(([title, { value, max }]) => {
        if (value <= max) met.add(title)
        return !met.has(title)
      })
      progress(database, `try ${attempt}: ${failed.length} of ${Object.keys(ratios).length} ratios not met`)
      if (failed.length === 0 || attempt === tries)
        return failed.map(([title, { value, max }]) => `${databaseTitles[database]}: ${title} ${value.toFixed(2)} (at most ${max})`)
    }
  })
}

type Ratios = Record<string, { value: number; max: number }>

/** Compares every operation with the official adapter, except those that return more. */
async function costsOfOperations(context: PhaseContext, contenders: Contender[]): Promise<Ratios> {
  const times = await measureOperations(context, contenders)
  const comparable = Object.entries(times).filter(([name]) => !returnsMore.has(name))
  return Object.fromEntries(
    comparable.map(([name, { ours, official }]) => [
      `${name} compared with the official adapter`,
      { value: (ours as number) / (official as number), max: 1 },
    ]),
  )
}

async function costOfSession(context: PhaseContext, contenders: Contender[]): Promise<Ratios> {
  const { ours, drizzle } = await measureSession(context, contenders)
  const value = (ours as number) / (drizzle as number)
  progress(context.database, `getSessionAndUser: ${value.toFixed(2)} times Drizzle's own prepared query`)
  return { "getSessionAndUser compared with Drizzle's own prepared query": { value, max: limits[context.database] } }
}
