import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { inDays, someAccount, someSession, someUser } from '../people.js'
import type { Report } from '../report.js'
import { counted } from '../report.js'
import type { Sizes } from '../sizes.js'
import type { Open } from './machine.js'
import { machineOf } from './machine.js'

/** Rows that are written on one node and at once read, changed and referred to on the next. */
export async function hop(careless: Open[], halfway: Open[], machines: Open[], { hops }: Sizes, report: Report) {
  const byDefault = await staleHops(careless, hops)
  report.say(
    `as Galera is by default: ${byDefault.length} of ${hops} people were too early on the next node: ${counted(byDefault).join(', ')}`,
  )
  const readsOnly = await staleHops(halfway, hops)
  report.say(`with wsrep_sync_wait = 1: ${readsOnly.length}: ${counted(readsOnly).join(', ')}`)
  const waiting = await staleHops(machines, hops)
  report.check(`with wsrep_sync_wait = 7: ${waiting.length}`, counted(waiting))
  return { hops, byDefault: byDefault.length, readsOnly: readsOnly.length, waiting: waiting.length }
}

async function staleHops(machines: Open[], hops: number): Promise<string[]> {
  const stale: string[] = []
  const lane = async (lane: number) => {
    for (let hop = lane; hop < hops; hop += 6) {
      const [one, next, last] = [0, 1, 2].map((step) => machineOf(machines, hop + step).adapter) as [Adapter, Adapter, Adapter]
      const user = await one.createUser(someUser())
      const session = someSession(user.id)
      try {
        await next.createSession(session)
        const expires = inDays(31)
        const updated = await last.updateSession({ sessionToken: session.sessionToken, expires })
        if (updated?.expires.getTime() !== expires.getTime()) stale.push('an update missed its row')
        await one.linkAccount(someAccount(user.id))
        await next.deleteSession(session.sessionToken)
        if (await last.getSessionAndUser(session.sessionToken)) stale.push('a deleted session was seen')
      } catch (error) {
        if (!(error instanceof AdapterOperationError) || error.kind !== 'unknown-user') throw error
        stale.push('a user was not there yet')
      }
      await sleep(1)
      await one.deleteUser(user.id)
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, index) => lane(index)))
  return stale
}

type Adapter = Open['adapter']
