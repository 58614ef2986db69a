import type { DBAdapter } from '@better-auth/core/db/adapter'
import { openBetterAuth } from '../contenders/better-auth.js'
import type { PhaseContext } from '../contenders/index.js'
import type { BetterAuthTimes } from '../results.js'
import { rotated, Samples, showTimes, timeCalls } from '../samples.js'

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
  '`findOne` session with its user': (adapter, id) => adapter.findOne({ model: 'session', where: whereToken(id), join: { user: true } }),
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

/** Measures the adapters for Better Auth, each on its own tables. */
export async function measureBetterAuth(
  { dialect, serverUrl, report, sizes }: PhaseContext,
  hasLateral: boolean,
): Promise<BetterAuthTimes> {
  const contenders = await openBetterAuth(dialect, serverUrl, hasLateral)
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
  for (const { close } of contenders) await close()

  const medianOf = (title: string) => Object.fromEntries(contenders.map(({ name }) => [name, samples.median(`${title} ${name}`) as number]))
  const times: BetterAuthTimes = Object.fromEntries(Object.keys(operations).map((title) => [title, medianOf(title)]))
  for (const [title, own] of Object.entries(times)) report(`${title.padEnd(33)}${showTimes(own as Record<string, number>)}`)
  return times
}
