import type { DBAdapter } from '@better-auth/core/db/adapter'
import { createAdapterFactory } from '@better-auth/core/db/adapter'
import type { BetterAuthContender } from '../contenders/better-auth.js'
import { joined, openBetterAuth } from '../contenders/better-auth.js'
import type { Operations } from '../contenders/contender.js'
import type { PhaseContext, Store } from '../contenders/index.js'
import { withContenders } from '../contenders/index.js'
import type { BetterAuthTimes } from '../results.js'
import { rotated, Samples, showTimes, timeCalls } from '../samples.js'
import { randomTokens } from '../seed.js'

type Operation = (adapter: DBAdapter, id: string) => Promise<unknown>

const now = new Date('2030-01-01T00:00:00.000Z')
const dates = { createdAt: now, updatedAt: now }
const whereToken = (id: string) => [{ field: 'token', value: `token-${id}` }]

/** The operations in an order in which each finds the rows that it needs. `id` is a user of the operation's own. */
const operations: Record<string, Operation> = {
  '`create` a user': (adapter, id) =>
    adapter.create({
      model: 'user',
      data: { id, name: 'Somebody', email: `${id}@example.com`, emailVerified: true, ...dates },
      forceAllowId: true,
    }),
  '`create` a session': (adapter, id) =>
    adapter.create({ model: 'session', data: { token: `token-${id}`, userId: id, expiresAt: now, ...dates } }),
  '`create` an account': (adapter, id) =>
    adapter.create({ model: 'account', data: { accountId: id, providerId: 'github', userId: id, ...dates } }),
  '`create` a verification': (adapter, id) =>
    adapter.create({ model: 'verification', data: { identifier: id, value: 'value', expiresAt: now, ...dates } }),
  '`create` a rate limit': (adapter, id) => adapter.create({ model: 'rateLimit', data: { key: id, count: 0, lastRequest: 0 } }),
  '`findOne` user by email': (adapter, id) => adapter.findOne({ model: 'user', where: [{ field: 'email', value: `${id}@example.com` }] }),
  '`findMany` accounts of a user': (adapter, id) => adapter.findMany({ model: 'account', where: [{ field: 'userId', value: id }] }),
  '`update` a session': (adapter, id) => adapter.update({ model: 'session', where: whereToken(id), update: { expiresAt: now } }),
  '`incrementOne` of a rate limit': (adapter, id) =>
    adapter.incrementOne({ model: 'rateLimit', where: [{ field: 'key', value: id }], increment: { count: 1 } }),
  '`consumeOne` of a verification': (adapter, id) =>
    adapter.consumeOne({ model: 'verification', where: [{ field: 'identifier', value: id }] }),
  '`delete` a session': async (adapter, id) => {
    await adapter.delete({ model: 'session', where: whereToken(id) })
    return id
  },
}

const readSession: Operation = (adapter, id) => adapter.findOne({ model: 'session', where: whereToken(id), join: { user: true } })

/** Better Auth's own layer over an adapter that has the row already: what every adapter costs there, whatever its database. */
function layerAround(row: object): DBAdapter {
  const config = { adapterId: 'layer', adapterName: 'layer' }
  return createAdapterFactory({ config, adapter: () => ({ findOne: async () => row }) as never })(joined)
}

/** Measures a session with its user, which every signed-in request reads, beside the same for Auth.js. */
async function measureSession(context: PhaseContext, contenders: BetterAuthContender[], store: Store): Promise<BetterAuthTimes['session']> {
  const { sizes, report } = context
  // As many warm-up rounds as for Auth.js.
  const [rounds, warmUp, calls] = [sizes.rounds * 2, sizes.warmUp * 3, sizes.calls * 3]
  const idOf = (index: number) => `reader-${index}`
  const readers = contenders.map(({ name, adapter }) => ({
    name: name as string,
    read: (index: number) => readSession(adapter, idOf(index)),
  }))
  for (const { adapter } of contenders)
    for (let index = 0; index < calls; index++)
      for (const title of ['`create` a user', '`create` a session']) await operations[title]?.(adapter, idOf(index))
  const layer = layerAround((await readers[0]?.read(0)) as object)
  readers.push({ name: 'layer', read: (index) => readSession(layer, idOf(index)) })

  const samples = new Samples()
  await withContenders(context, [store], async ([{ adapter }]) => {
    const tokens = randomTokens(calls, sizes.resident)
    readers.push({ name: 'authjs', read: async (index) => (adapter as Operations).getSessionAndUser(tokens[index] as string) })
    for (let round = -warmUp; round < rounds; round++) {
      for (const { name, read } of rotated(readers, round + warmUp)) {
        const results: unknown[] = []
        const time = await timeCalls(calls, read, results)
        if (results.includes(null)) throw new Error(`${name} does not find a session`)
        if (round >= 0) samples.add(name, time)
      }
    }
  })
  const times = Object.fromEntries(readers.map(({ name }) => [name, samples.median(name)])) as BetterAuthTimes['session']
  report(`a session and its user           ${showTimes(times)}`)
  return times
}

/** Measures the adapters for Better Auth, each on its own tables. */
export async function measureBetterAuth(context: PhaseContext, store: Store, hasLateral: boolean): Promise<BetterAuthTimes> {
  const contenders = await openBetterAuth(context.dialect, context.serverUrl, hasLateral)
  const times = { session: await measureSession(context, contenders, store), operations: await measureOperations(context, contenders) }
  for (const { close } of contenders) await close()
  return times
}

async function measureOperations(
  { report, sizes }: PhaseContext,
  contenders: BetterAuthContender[],
): Promise<BetterAuthTimes['operations']> {
  const samples = new Samples()
  for (let round = -sizes.warmUp; round < sizes.rounds; round++) {
    for (const [title, run] of Object.entries(operations)) {
      for (const { name, adapter } of rotated(contenders, round + sizes.warmUp)) {
        const results: unknown[] = []
        const time = await timeCalls(sizes.calls, (index) => run(adapter, `${round}-${index}`), results)
        if (results.includes(null)) throw new Error(`${title} of ${name} does not find its row`)
        if (round >= 0) samples.add(`${title} ${name}`, time)
      }
    }
  }
  const medianOf = (title: string) => Object.fromEntries(contenders.map(({ name }) => [name, samples.median(`${title} ${name}`)]))
  const times = Object.fromEntries(Object.keys(operations).map((title) => [title, medianOf(title)])) as BetterAuthTimes['operations']
  for (const [title, own] of Object.entries(times)) report(`${title.padEnd(33)}${showTimes(own)}`)
  return times
}
