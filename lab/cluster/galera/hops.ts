import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { newPerson } from '../../../test/support/operations.js'
import type { Report } from '../report.js'
import { counted } from '../report.js'
import type { Sizes } from '../sizes.js'
import type { OpenMachine } from './machine.js'
import { nthMachine } from './machine.js'

/** Counts how often rows that are written on one node are not yet visible when they are read, changed or referenced on the next. */
export async function countStaleHops(
  withoutWait: OpenMachine[],
  withReadWait: OpenMachine[],
  machines: OpenMachine[],
  { hops }: Sizes,
  report: Report,
) {
  const byDefault = await staleHops(withoutWait, hops)
  report.say(
    `with Galera's default settings: ${byDefault.length} of ${hops} people found the next node behind: ${counted(byDefault).join(', ')}`,
  )
  const readsOnly = await staleHops(withReadWait, hops)
  report.say(`with wsrep_sync_wait = 1: ${readsOnly.length}: ${counted(readsOnly).join(', ')}`)
  const waiting = await staleHops(machines, hops)
  report.check(`with wsrep_sync_wait = 7: ${waiting.length}`, counted(waiting))
  return { hops, byDefault: byDefault.length, readsOnly: readsOnly.length, waiting: waiting.length }
}

async function staleHops(machines: OpenMachine[], hops: number): Promise<string[]> {
  const stale: string[] = []
  const runLane = async (lane: number) => {
    for (let hop = lane; hop < hops; hop += 6) {
      const [one, next, last] = [0, 1, 2].map((step) => nthMachine(machines, hop + step).adapter) as [Adapter, Adapter, Adapter]
      const { user, account, session } = newPerson()
      await one.createUser(user)
      try {
        await next.createSession(session)
        const expires = new Date(session.expires.getTime() + 86_400_000)
        const updated = await last.updateSession({ sessionToken: session.sessionToken, expires })
        if (updated?.expires.getTime() !== expires.getTime()) stale.push('an update did not find its row')
        await one.linkAccount(account)
        await next.deleteSession(session.sessionToken)
        if (await last.getSessionAndUser(session.sessionToken)) stale.push('a deleted session was found')
      } catch (error) {
        if (!(error instanceof AdapterOperationError) || error.kind !== 'unknown-user') throw error
        stale.push('a user was not found')
      }
      await sleep(1)
      await one.deleteUser(user.id)
    }
  }
  await Promise.all(Array.from({ length: 6 }, (_, index) => runLane(index)))
  return stale
}

type Adapter = OpenMachine['adapter']
