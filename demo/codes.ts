import { randomInt } from 'node:crypto'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import type { DemoAdapter } from './database/store.js'

const hour = 60 * 60 * 1_000
const tries = 5

/** Six digits, as a person can type them. */
export const newCode = () => String(randomInt(1_000_000)).padStart(6, '0')

/** An adapter with which each address has five tries an hour, however many guess at once. */
export function limitTries(adapter: DemoAdapter, onRefused: () => void): DemoAdapter {
  return {
    ...adapter,
    async useVerificationToken(guess) {
      if (await takeTry(adapter, guess.identifier)) return adapter.useVerificationToken(guess)
      onRefused()
      return null
    },
  }
}

/** A try is a row, which can be made once. It stays until it has expired. */
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
