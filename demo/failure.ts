import type { VerificationToken } from '@auth/core/adapters'
import { AdapterOperationError } from 'drizzle-auth-adapter'

/** The kind of an error of Auth.js, as the page about it is named. */
export function failureOf(error: Error & { type?: string }, token: VerificationToken | null): string {
  const causes = [...causesOf(error)]
  const operation = causes.find((cause) => cause instanceof AdapterOperationError)
  if (operation) return operation.kind === 'duplicate' || operation.kind === 'conflict' ? 'Refused' : 'Database'
  // Auth.js says the same of both; but only a link that was not used yet has its token.
  if (error.type === 'Verification') return token ? 'Expired' : 'Used'
  if (causes.some((cause) => /Invalid email|Missing email/.test(cause.message))) return 'Address'
  return error.type ?? 'Unknown'
}

// Auth.js keeps the error that it met in `cause.err`.
function* causesOf(error: unknown): Generator<Error> {
  for (let next = error; next instanceof Error; next = (next.cause as { err?: unknown } | undefined)?.err) yield next
}
