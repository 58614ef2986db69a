import type { AuthContext } from '@better-auth/core'
import { getCurrentAdapter } from '@better-auth/core/context'
import { toBase64Url } from '../../base64url.js'
import { isStored } from '../../secrets/sessions.js'
import { hmac } from './hmac.js'
import type { Settings } from './options.js'

/** A session as Better Auth returns it. */
export type Session = NonNullable<AuthContext['session']>['session']

interface Mark {
  identifier: string
  /** The id of the session. */
  value: string
  expiresAt: Date
}

const grace = 60_000

/**
 * The sessions that were moved. Each has a mark: a row of `verification` with the token as it was moved and the id of the session. A session
 * without one is never let in, because Better Auth's own sessions need a signature.
 *
 * Marks are not read through the internal adapter, which may hash identifiers, or look in the secondary storage.
 */
export function movedSessions({ tokens }: Settings) {
  /** The forms in which the sessions table may hold a token. */
  async function storedForms(token: string): Promise<string[]> {
    // A stored form is not a token: somebody who has read the database must not be able to sign in with it.
    if (isStored(token) || !/^[\x21-\x7e]{1,255}$/.test(token)) return []
    if (!tokens) return [token]
    const hashed = await tokens.hash(token)
    return tokens.mode === 'hashed' ? [hashed] : [token, hashed]
  }

  const identifiersOf = async (token: string) => (await storedForms(token)).map(identifierOf)

  return {
    /** Returns the session that a cookie of Auth.js stands for, if it was moved and is alive. */
    async find(context: AuthContext, token: string): Promise<Session | undefined> {
      const adapter = await getCurrentAdapter(context.adapter)
      for (const stored of await storedForms(token)) {
        const identifier = identifierOf(stored)
        const marks = await adapter.findMany<Mark>({ model: 'verification', where: [{ field: 'identifier', value: identifier }] })
        const mark = marks.find((row) => row.identifier === identifier && row.expiresAt > new Date())
        if (!mark) continue
        const current = stored === token ? token : await replacementFor(context, token)
        if (current !== token) {
          const where = [
            { field: 'id', value: mark.value },
            { field: 'token', value: stored },
          ]
          await adapter.updateMany({ model: 'session', where, update: { token: current } })
        }
        const session = (await context.internalAdapter.findSession(current))?.session
        // Databases reuse ids, and some compare tokens without regard to case.
        if (session?.token === current && String(session.id) === mark.value && session.expiresAt > new Date()) return session
      }
      return undefined
    },

    /** Ends the marks of a cookie, now or after a minute for the requests that are on their way. */
    async forget(context: AuthContext, token: string, when: 'now' | 'soon'): Promise<void> {
      const identifiers = await identifiersOf(token)
      if (identifiers.length === 0) return
      const adapter = await getCurrentAdapter(context.adapter)
      const expiresAt = new Date(Date.now() + (when === 'soon' ? grace : -1))
      const where = [
        { field: 'identifier', operator: 'in' as const, value: identifiers },
        { field: 'expiresAt', operator: 'gt' as const, value: expiresAt },
      ]
      await adapter.updateMany({ model: 'verification', where, update: { expiresAt } })
    },
  }
}

const identifierOf = (stored: string) => `authjs-session:${stored}`

/**
 * The token that a hashed session gets. Nobody can compute it from the database, and parallel requests with the same cookie compute the same.
 */
const replacementFor = async (context: AuthContext, token: string) => toBase64Url(await hmac(context.secret, `authjs-session:${token}`))
