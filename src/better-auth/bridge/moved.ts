import type { AuthContext } from '@better-auth/core'
import { getCurrentAdapter } from '@better-auth/core/context'
import { toBase64Url } from '../../base64url.js'
import { isStored } from '../../secrets/sessions.js'
import { hmac } from './hmac.js'
import type { Candidate, Session } from './lookup.js'
import { isLive } from './lookup.js'
import type { Settings } from './options.js'

const grace = 60_000
const prefix = 'authjs-session:'

/**
 * Sessions that were moved. Each has a mark: a row of `verification` with the moved token and the id of the session. A session without a mark
 * is never accepted, because Better Auth's own sessions need a signature.
 */
export function movedSessions({ tokens }: Settings) {
  /** The forms in which the sessions table may hold a token. */
  async function storedForms(token: string): Promise<string[]> {
    // A stored form is not a token: it must not let a reader of the database sign in.
    if (isStored(token) || !/^[\x21-\x7e]{1,255}$/.test(token)) return []
    if (!tokens) return [token]
    const hashed = await tokens.hash(token)
    return tokens.mode === 'hashed' ? [hashed] : [token, hashed]
  }

  return {
    async read(context: AuthContext, token: string): Promise<Candidate[]> {
      return Promise.all(
        (await storedForms(token)).map(async (stored): Promise<Candidate> => {
          const identifier = prefix + stored
          const current = stored === token ? token : await replacementFor(context, token)
          return {
            tokens: [stored, current],
            identifiers: [identifier],
            async admit(sessions, rows) {
              const mark = rows.find((row) => row.identifier === identifier && row.expiresAt > new Date())
              // Databases reuse ids, and some compare tokens without regard to case.
              const isMoved = ({ id, token }: Session) => String(id) === mark?.value && (token === stored || token === current)
              const session = sessions.find((one) => isMoved(one) && isLive(one))
              if (session && session.token !== current) await replace(context, session, current)
              return session && { ...session, token: current }
            },
          }
        }),
      )
    },

    /** Expires the marks among these rows of `verification`, now or in a minute, for requests that are still running. */
    async forget(context: AuthContext, identifiers: string[], when: 'now' | 'soon'): Promise<void> {
      const marks = identifiers.filter((identifier) => identifier.startsWith(prefix))
      if (marks.length === 0) return
      const adapter = await getCurrentAdapter(context.adapter)
      const expiresAt = new Date(Date.now() + (when === 'soon' ? grace : -1))
      const where = [
        { field: 'identifier', operator: 'in' as const, value: marks },
        { field: 'expiresAt', operator: 'gt' as const, value: expiresAt },
      ]
      await adapter.updateMany({ model: 'verification', where, update: { expiresAt } })
    },
  }
}

/**
 * The new token of a hashed session. It cannot be computed from the database, and parallel requests with the same cookie compute the same one.
 */
const replacementFor = async (context: AuthContext, token: string) => toBase64Url(await hmac(context.secret, `authjs-session:${token}`))

async function replace(context: AuthContext, session: Session, token: string): Promise<void> {
  const where = [
    { field: 'id', value: session.id },
    { field: 'token', value: session.token },
  ]
  await (await getCurrentAdapter(context.adapter)).updateMany({ model: 'session', where, update: { token } })
}
