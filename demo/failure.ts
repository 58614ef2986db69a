import type { VerificationToken } from '@auth/core/adapters'
import { AdapterOperationError } from 'drizzle-auth-adapter'

/** The kind of problem that pages/problem.ts shows for an error of Auth.js. */
export function failureOf(error: Error & { type?: string }, token: VerificationToken | null): string {
  const causes = [...causesOf(error)]
  const operation = causes.find((cause) => cause instanceof AdapterOperationError)
  if (operation) return operation.kind === 'duplicate' || operation.kind === 'conflict' ? 'Refused' : 'Database'
  // Auth.js has the same error for expired and used links. But only a link that was not used still has its token.
  if (error.type === 'Verification') return token ? 'Expired' : 'Used'
  if (causes.some((cause) => /Invalid email|Missing email/.test(cause.message))) return 'Address'
  return error.type ?? 'Unknown'
}

// Auth.js stores the original error in `cause.err`.
function* causesOf(error: unknown): Generator<Error> {
  for (let next = error; next instanceof Error; next = (next.cause as { err?: unknown } | undefined)?.err) yield next
}
