import { sha256 } from '../base64url.js'
import { equal } from '../query/conditions.js'
import type { Row } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import type { ModelTable } from '../query/table.js'

/** Operations on sessions beyond the contract. */
export function sessionExtensions(sessions: ModelTable) {
  const { unprotected = sessions } = sessions

  /** The form of a token that stays the same when `protectSecrets` rewrites the row. */
  const sealed = async (token: unknown) => ((await sessions.seal({ sessionToken: token }, {})) as { sessionToken: unknown }).sessionToken
  // Hashed twice, so that an id is never equal to a stored hash.
  const idOf = async ({ sessionToken }: Row) => sha256(await sha256(String(await sealed(sessionToken))))

  return {
    async listSessions(userId: string, { current, limit = 100 }: { current?: string | undefined; limit?: number } = {}) {
      if (!Number.isSafeInteger(limit) || limit < 1) throw new Failure('invalid', { hint: 'limit must be a whole number, 1 or more' })
      const where = { and: [equal({ userId }), { column: 'expires', is: 'gt' as const, value: new Date() }] }
      const currentToken = typeof current === 'string' ? await sealed(current) : undefined
      const rows = await unprotected.list(where, { orderBy: 'expires', descending: true, limit })
      return Promise.all(
        rows.map(async (row) => {
          const { sessionToken, userId: _, ...shown } = row
          return { ...shown, id: await idOf(row), current: (await sealed(sessionToken)) === currentToken }
        }),
      )
    },

    async revokeSession(userId: string, id: string) {
      // protectSecrets may hash the session in between, so retry once.
      for (let tries = 0; tries < 2; tries++) {
        const rows = await unprotected.list(equal({ userId }), { forUpdate: true })
        const ids = await Promise.all(rows.map(idOf))
        const row = rows[ids.indexOf(id)]
        if (!row) return false
        if ((await unprotected.deleteAll(equal({ userId, sessionToken: row.sessionToken }))) > 0) return true
      }
      return false
    },

    async revokeSessions(userId: string, { except }: { except?: string | undefined } = {}) {
      const kept = typeof except === 'string' ? [except, await sealed(except)] : []
      const isOther = [...new Set(kept)].map((value) => ({ column: 'sessionToken', is: 'ne' as const, value }))
      return unprotected.deleteAll({ and: [equal({ userId }), ...isOther] })
    },
  }
}
