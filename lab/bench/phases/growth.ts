import type { Contender, OperationName, Operations } from '../contenders/contender.js'
import type { PhaseContext, Store } from '../contenders/index.js'
import { createStore, openContender } from '../contenders/index.js'
import type { Growth } from '../results.js'
import { rotated, Samples, timeCalls } from '../samples.js'
import { seededToken, seededUser, sessionsPerUser } from '../seed.js'

const contenderNames = ['ours', 'official'] as const
const warmUp = 3
const reads = 100
// Few, because a deletion takes a tenth of a second if there is no index.
const deletions = 5

interface SizedContender {
  contender: Contender
  store: Store
  sessions: number
}

/** Measures the same operations on tables of different sizes. All tables exist at the same time, and the measurements alternate. */
export async function measureGrowth(context: PhaseContext): Promise<Growth> {
  const { dialect, sizes, report } = context
  const all: SizedContender[] = []
  for (const sessions of sizes.growth) {
    for (const name of contenderNames) {
      report(`growth: creating ${sessions.toLocaleString('en')} sessions for ${name}`)
      const store = await createStore(context, name, sessions)
      all.push({ store, sessions, contender: openContender(dialect, store, { connections: 1 }) })
    }
  }

  const samples = new Samples()
  for (let round = -warmUp; round < sizes.growthRounds; round++) {
    for (const { contender, sessions } of rotated(all, round + warmUp)) {
      for (const [operation, time] of await timeRound(contender.adapter as Operations, sessions, round + warmUp, sizes.growthRounds)) {
        if (round >= 0) samples.add(`${operation} ${contender.name} ${sessions}`, time)
      }
    }
  }
  for (const { contender, store } of all) {
    await contender.close()
    await store.drop()
  }

  const growth: Growth = { sessions: sizes.growth, times: {} }
  for (const operation of ['getSessionAndUser', 'listAuthenticatorsByUserId', 'deleteUser'] as const) {
    for (const name of contenderNames) {
      const medians = sizes.growth.map((sessions) => samples.median(`${operation} ${name} ${sessions}`) as number)
      growth.times[operation] = { ...growth.times[operation], [name]: medians }
      report(`${operation.padEnd(27)}${name.padEnd(10)}${medians.map((time) => time.toFixed(1).padStart(10)).join('')} µs`)
    }
  }
  return growth
}

async function timeRound(adapter: Operations, sessions: number, round: number, rounds: number): Promise<[OperationName, number][]> {
  const users = sessions / sessionsPerUser
  // The first users are deleted in the rounds. The others are read.
  const deleted = (rounds + warmUp) * deletions
  const someUser = () => deleted + Math.floor(Math.random() * (users - deleted))
  const someSession = () => someUser() + users * Math.floor(Math.random() * sessionsPerUser)

  const tokens = Array.from({ length: reads }, () => seededToken(someSession()))
  const ids = Array.from({ length: reads }, () => seededUser(someUser()))
  const found: unknown[] = []
  const result: [OperationName, number][] = [
    ['getSessionAndUser', await timeCalls(reads, (index) => adapter.getSessionAndUser(tokens[index] as string), found)],
    ['listAuthenticatorsByUserId', await timeCalls(reads, (index) => adapter.listAuthenticatorsByUserId(ids[index] as string))],
    ['deleteUser', await timeCalls(deletions, (index) => adapter.deleteUser(seededUser(round * deletions + index)))],
  ]
  if (found.includes(null)) throw new Error('a seeded session was not found')
  return result
}
