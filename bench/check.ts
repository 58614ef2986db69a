import type { Contender, ContenderName, Operations } from './contenders/contender.js'
import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'
import { someTokens } from './keys.js'
import { measureMaking } from './phases/making.js'
import type { Ground } from './phases/phase.js'
import { prepareStores, withContenders } from './phases/phase.js'
import { progress } from './progress.js'
import { rotated, Samples, timeCalls } from './statistics.js'

interface Limits {
  /** `getSessionAndUser` is at least so many times faster than the official adapter's … */
  faster: number
  /** … at most so many times the cost by hand … */
  cost: number
  /** … and an adapter is made for less than so many times that. */
  making?: number
}

export const limits: Record<DatabaseName, Limits> = {
  sqlite: { faster: 15, cost: 2.5, making: 2 },
  pg: { faster: 5, cost: 1.25 },
  mariadb: { faster: 2.2, cost: 1.6 },
  mysql: { faster: 2.2, cost: 1.6 },
}

const names = ['ours', 'official', 'hand'] as const
const tries = 3

interface Ratio {
  title: string
  value: number
  holds: boolean
  /** What to know where it does not hold. */
  remark: string
}

/** The ratios that do not hold: each has three tries. */
export async function check(ground: Ground): Promise<string[]> {
  const stores = await prepareStores(ground, names)
  return withContenders(ground, stores, { connections: 1 }, async (contenders) => {
    const { database } = ground
    const met = new Set<string>()
    for (let attempt = 1; ; attempt++) {
      const ratios = [...ratiosOf(database, await measure(ground, contenders)), ...(await makingOf(ground, contenders))]
      for (const { title, value, holds } of ratios) {
        if (holds) met.add(title)
        progress(database, `try ${attempt}: ${value.toFixed(2)} ${title}`)
      }
      const failures = ratios.filter(({ title }) => !met.has(title))
      if (failures.length === 0 || attempt === tries)
        return failures.map(
          ({ title, value, remark }) => `${databaseTitles[database]}: getSessionAndUser, ${value.toFixed(2)} ${title}${remark}`,
        )
    }
  })
}

function ratiosOf(database: DatabaseName, { ours, official, hand }: Record<(typeof names)[number], number>): Ratio[] {
  const { faster, cost } = limits[database]
  // Where a round trip takes long, it is most of what each of them takes, and nothing that makes one can be that much faster.
  const remark = official / hand < faster ? `; by hand it is ${(official / hand).toFixed(2)} here` : ''
  return [
    {
      title: `times faster than the official adapter (at least ${faster})`,
      value: official / ours,
      holds: official / ours >= faster,
      remark,
    },
    { title: `times the cost by hand (at most ${cost})`, value: ours / hand, holds: ours / hand <= cost, remark: '' },
  ]
}

async function makingOf(ground: Ground, contenders: Contender[]): Promise<Ratio[]> {
  const { making: most } = limits[ground.database]
  if (most === undefined) return []
  const { make, call } = await measureMaking(
    ground,
    contenders.filter(({ name }) => name === 'ours'),
  )
  const value = (make.ours as number) / (call.ours as number)
  return [{ title: `times the cost of a call to make an adapter (less than ${most})`, value, holds: value < most, remark: '' }]
}

async function measure({ sizes }: Ground, contenders: Contender[]): Promise<Record<(typeof names)[number], number>> {
  const samples = new Samples()
  // Code runs at its full speed only after thousands of calls, and what there is more of comes to it later.
  const [rounds, warmUp, calls] = [sizes.rounds * 2, sizes.warmUp * 3, sizes.calls * 3]
  for (let round = -warmUp; round < rounds; round++) {
    const tokens = someTokens(calls, sizes.resident)
    for (const { name, adapter } of rotated(contenders, round + warmUp)) {
      const time = await timeCalls(calls, (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string))
      if (round >= 0) samples.add(name, time)
    }
  }
  const medianOf = (name: ContenderName) => samples.median(name) as number
  return { ours: medianOf('ours'), official: medianOf('official'), hand: medianOf('hand') }
}
