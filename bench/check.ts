import type { Contender, ContenderName, Operations } from './contenders/contender.js'
import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'
import { someTokens } from './keys.js'
import { measureOperations } from './phases/operations.js'
import type { Ground } from './phases/phase.js'
import { prepareStores, withContenders } from './phases/phase.js'
import { limitOf, measureSecrets } from './phases/secrets.js'
import { progress } from './progress.js'
import type { Times } from './results.js'
import { rotated, Samples, timeCalls } from './statistics.js'

/** `getSessionAndUser` costs at most so many times what hand-written code costs. */
const limits: Record<DatabaseName, number> = { sqlite: 1.8, pg: 1.3, mariadb: 1.6, mysql: 1.6 }

/** `deleteUser` costs at most so many times what hand-written code costs that relies on the database's foreign keys. */
const deletionLimit = 2.5

/** The official adapter does not return the row of these. */
const returnsMore = new Set(['linkAccount', 'unlinkAccount', 'deleteSession', 'deleteUser'])

const names = ['ours', 'official', 'hand'] as const
const tries = 3

/** The ratios that do not hold. Each has three tries. */
export async function check(ground: Ground): Promise<string[]> {
  const stores = await prepareStores(ground, names)
  return withContenders(ground, stores, { connections: 1 }, async (contenders) => {
    const { database } = ground
    const held = new Set<string>()
    for (let attempt = 1; ; attempt++) {
      const ratios = {
        ...(await costOfSession(ground, contenders)),
        ...(await costOfHashing(ground, contenders)),
        ...(await costsOfOperations(ground, contenders)),
      }
      const failed = Object.entries(ratios).filter(([title, { value, most }]) => {
        if (value <= most) held.add(title)
        return !held.has(title)
      })
      progress(database, `try ${attempt}: ${failed.length} of ${Object.keys(ratios).length} ratios not met`)
      if (failed.length === 0 || attempt === tries)
        return failed.map(([title, { value, most }]) => `${databaseTitles[database]}: ${title} ${value.toFixed(2)} (at most ${most})`)
    }
  })
}

type Ratios = Record<string, { value: number; most: number }>

/** Every operation beside the official adapter's, except those that return more, and `deleteUser` beside hand-written code. */
async function costsOfOperations(ground: Ground, contenders: Contender[]): Promise<Ratios> {
  const times = await measureOperations(ground, contenders)
  const comparable = Object.entries(times).filter(([name, { official }]) => official !== undefined && !returnsMore.has(name))
  const { ours: deletion, hand } = times.deleteUser as Required<Times>
  return {
    ...Object.fromEntries(
      comparable.map(([name, { ours, official }]) => [
        `${name} beside the official adapter's`,
        { value: (ours as number) / (official as number), most: 1 },
      ]),
    ),
    'deleteUser beside hand-written code': { value: deletion / hand, most: deletionLimit },
  }
}

async function costOfSession({ database, sizes }: Ground, contenders: Contender[]): Promise<Ratios> {
  const samples = new Samples()
  // Code reaches its full speed after thousands of calls.
  const [rounds, warmUp, calls] = [sizes.rounds * 2, sizes.warmUp * 3, sizes.calls * 3]
  for (let round = -warmUp; round < rounds; round++) {
    const tokens = someTokens(calls, sizes.resident)
    for (const { name, adapter } of rotated(contenders, round + warmUp)) {
      const time = await timeCalls(calls, (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string))
      if (round >= 0) samples.add(name, time)
    }
  }
  const medianOf = (name: ContenderName) => samples.median(name) as number
  const value = medianOf('ours') / medianOf('hand')
  progress(database, `getSessionAndUser: ${value.toFixed(2)} times the hand-written cost`)
  return { 'getSessionAndUser beside hand-written code': { value, most: limits[database] } }
}

/** Hashed sessions beside plain ones. SQLite answers faster than a hash is made, and has no limit. */
async function costOfHashing(ground: Ground, [ours]: Contender[]): Promise<Ratios> {
  const times = await measureSecrets(ground, ours as Contender)
  const isLimited = ground.database !== 'sqlite'
  const most = isLimited ? limitOf(times) / times.plain : Number.POSITIVE_INFINITY
  return { 'getSessionAndUser with hashed sessions beside plain ones': { value: times.hashed / times.plain, most } }
}
