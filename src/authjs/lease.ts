import { sha256 } from '../base64url.js'
import type { AccountKey } from '../models.js'
import { AdapterOperationError } from '../query/errors.js'
import type { Adapter } from '../types.js'

// Only the holder of an account's lease may ask the provider.
//
// Time is divided into slots of ten seconds. A row of the verification tokens table stands for one slot of one account, and can be created
// once. A caller holds the lease if it has created the rows of all slots from now until its time is over, and `clockSkew` beyond that.
//
// - Callers that may ask at the same moment, by clocks that differ by at most `clockSkew`, need a slot in common. Only one of them gets it.
// - Only the holder deletes its rows, to release the lease, before their slots have passed. So a late release cannot end the lease of another
//   holder, and a later lease cannot be mistaken for an earlier one.
// - A lease is never taken over. If a holder dies, its slots pass.

const slotLength = 10_000

/** Milliseconds by which the clocks of two machines may differ. */
const clockSkew = 10_000

/** How long a row stays after its slot. Whoever deletes expired rows has another clock. */
const retention = 60_000

export type LeaseAdapter = Pick<Adapter, 'createVerificationToken' | 'useVerificationToken'>

export interface Lease {
  /** The time at which the request to the provider must have ended. */
  readonly deadline: number
  release(): Promise<void>
}

/** The slots of a lease that begins at this time. */
export function slotsOf(begin: number, duration: number): number[] {
  const first = Math.floor(begin / slotLength)
  const last = Math.floor((begin + duration + clockSkew) / slotLength)
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

/** The lease of an account, or `null` if another caller has it. */
export async function acquireLease(adapter: LeaseAdapter, account: AccountKey, duration: number): Promise<Lease | null> {
  const begin = Date.now()
  const name = await sha256(JSON.stringify([account.provider, account.providerAccountId]))
  const held: { identifier: string; token: string }[] = []
  const release = async () => {
    // A row that stays blocks others until its slot has passed.
    await Promise.allSettled(held.map((row) => adapter.useVerificationToken(row)))
  }
  for (const slot of slotsOf(begin, duration)) {
    // Both contain the name, because some tables have a unique index on one of the two columns. The identifier cannot be an address.
    const token = `${name} ${slot}`
    const row = { identifier: `token refresh ${token}`, token }
    try {
      await adapter.createVerificationToken({ ...row, expires: new Date((slot + 1) * slotLength + retention) })
      held.push(row)
    } catch (error) {
      await release()
      if (error instanceof AdapterOperationError && error.kind === 'duplicate') return null
      throw error
    }
  }
  return { deadline: begin + duration * 0.9, release }
}
