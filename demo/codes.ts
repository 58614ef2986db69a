import { randomInt } from 'node:crypto'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import type { DemoAdapter } from './database/store.js'

const hour = 60 * 60 * 1_000
const tries = 5

/** A code of six digits. */
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0')

/** Wraps an adapter so that each address has five tries per hour, even if they are made at the same time. */
export function limitTries(adapter: DemoAdapter, onRejected: () => void): DemoAdapter {
  return {
    ...adapter,
    async useVerificationToken(guess) {
      if (await takeTry(adapter, guess.identifier)) return adapter.useVerificationToken(guess)
      onRejected()
      return null
    },
  }
}

/** Each try creates a row, and the database accepts each row only once. The rows expire at the end of the hour. */
async function takeTry(adapter: DemoAdapter, email: string): Promise<boolean> {
  const now = Math.floor(Date.now() / hour)
  for (let number = 1; number <= tries; number++) {
    try {
      const expires = new Date((now + 1) * hour)
      await adapter.createVerificationToken({ identifier: `tries of ${email}`, token: `${now}: ${number}`, expires })
      return true
    } catch (error) {
      if (!(error instanceof AdapterOperationError && error.kind === 'duplicate')) throw error
    }
  }
  return false
}
