import type { Contender, ContenderName, Operations } from './contenders/contender.js'
import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'
import { randomTokens } from './keys.js'
import { measureOperations } from './phases/operations.js'
import type { PhaseContext } from './phases/phase.js'
import { prepareStores, withContenders } from './phases/phase.js'
import { limitOf, measureSecrets } from './phases/secrets.js'
import { progress } from './progress.js'
import type { Times } from './results.js'
import { rotated, Samples, timeCalls } from './statistics.js'

/** The maximum cost of `getSessionAndUser`, as a multiple of hand-written code. */
const limits: Record<DatabaseName, number> = { sqlite: 1.8, pg: 1.3, mariadb: 1.6, mysql: 1.6 }

/** The maximum cost of `deleteUser`, as a multiple of hand-written code, which relies on the database's foreign keys. */
const deletionLimit = 2.5

/** These operations return the row, which the official adapter does not do. So they are not compared. */
const returnsMore = new Set(['linkAccount', 'unlinkAccount', 'deleteSession', 'deleteUser'])

const names = ['ours', 'official', 'hand'] as const
const tries = 3

/** Measures the ratios, and returns those that are above their limit in all of three tries. */
export async function check(context: PhaseContext): Promise<string[]> {
  const stores = await prepareStores(context, names)
  return withContenders(context, stores, { connections: 1 }, async (contenders) => {
    const { database } = context
    const met = new Set<string>()
    for (let attempt = 1; ; attempt++) {
      const ratios = {
        ...(await costOfSession(context, contenders)),
        ...(await costOfHashing(context, contenders)),
        ...(await costsOfOperations(context, contenders)),
      }
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

/** Compares every operation with the official adapter, except those that return more, and `deleteUser` with hand-written code. */
async function costsOfOperations(context: PhaseContext, contenders: Contender[]): Promise<Ratios> {
  const times = await measureOperations(context, contenders)
  const comparable = Object.entries(times).filter(([name, { official }]) => official !== undefined && !returnsMore.has(name))
  const { ours: deletion, hand } = times.deleteUser as Required<Times>
  return {
    ...Object.fromEntries(
      comparable.map(([name, { ours, official }]) => [
        `${name} compared with the official adapter`,
        { value: (ours as number) / (official as number), max: 1 },
      ]),
    ),
    'deleteUser compared with hand-written code': { value: deletion / hand, max: deletionLimit },
  }
}

async function costOfSession({ database, sizes }: PhaseContext, contenders: Contender[]): Promise<Ratios> {
  const samples = new Samples()
  // More warm-up rounds, because code reaches its full speed only after thousands of calls.
  const [rounds, warmUp, calls] = [sizes.rounds * 2, sizes.warmUp * 3, sizes.calls * 3]
  for (let round = -warmUp; round < rounds; round++) {
    const tokens = randomTokens(calls, sizes.resident)
    for (const { name, adapter } of rotated(contenders, round + warmUp)) {
      const time = await timeCalls(calls, (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string))
      if (round >= 0) samples.add(name, time)
    }
  }
  const medianOf = (name: ContenderName) => samples.median(name) as number
  const value = medianOf('ours') / medianOf('hand')
  progress(database, `getSessionAndUser: ${value.toFixed(2)} times the hand-written cost`)
  return { 'getSessionAndUser compared with hand-written code': { value, max: limits[database] } }
}

/** Compares hashed sessions with plain ones. There is no limit for SQLite, which answers faster than a hash is computed. */
async function costOfHashing(context: PhaseContext, [ours]: Contender[]): Promise<Ratios> {
  const times = await measureSecrets(context, ours as Contender)
  const isLimited = context.database !== 'sqlite'
  const max = isLimited ? limitOf(times) / times.plain : Number.POSITIVE_INFINITY
  return { 'getSessionAndUser with hashed sessions compared with plain ones': { value: times.hashed / times.plain, max } }
}
