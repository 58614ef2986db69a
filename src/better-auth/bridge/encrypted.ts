import type { AuthContext } from '@better-auth/core'
import { getCurrentAdapter } from '@better-auth/core/context'
import { isAPIError } from '@better-auth/core/utils/is-api-error'
import { toBase64Url } from '../../base64url.js'
import type { OldCookie } from './cookies.js'
import { longestCookie } from './cookies.js'
import { hmac } from './hmac.js'
import type { Claims } from './jwt.js'
import { readJwt } from './jwt.js'
import type { Candidate, Session } from './lookup.js'
import { findRows, findSessions, isLive } from './lookup.js'
import type { Settings } from './options.js'

/** Sessions of Auth.js that are JWTs. A JWT becomes a session when it is first used. */
export function encryptedSessions({ jwtSecrets, cookieName, accept }: Settings) {
  /**
   * The identifiers of the rows of `verification` that record a user's sign-out, one for each secret. They cannot be guessed, because some
   * endpoints delete the row of any identifier in a request.
   */
  const identifiersOf = (userId: string) =>
    Promise.all(jwtSecrets.map(async (secret) => `authjs-signed-out:${toBase64Url(await hmac(secret, `signed out: ${userId}`))}`))

  /** Whether a session may be made from a JWT. */
  async function isAccepted(context: AuthContext, claims: Claims): Promise<boolean> {
    const { sub, iat } = claims
    const user = await context.internalAdapter.findUserById(sub)
    // Databases reuse numbers: this may be another user than the one who got the JWT. `iat` has no fractions of a second.
    if (user?.id !== sub || (isNumber(sub) && (iat + 1) * 1_000 <= user.createdAt.getTime())) return false
    if (!accept) return true
    try {
      return (await accept({ ...claims }, user as never)) === true
    } catch {
      context.logger.error('authjsSessions: accept has thrown an error, so the JWT was refused')
      return false
    }
  }

  async function create(context: AuthContext, { sub, iat, exp }: Claims, token: string): Promise<Session | undefined> {
    const now = Date.now()
    const { freshAge, expiresIn } = context.sessionConfig
    // Auth.js writes a new `iat` at every read, so it is not the time of the sign-in.
    const createdAt = new Date(Math.min(iat * 1_000, now - freshAge * 1_000))
    const expiresAt = new Date(Math.min(exp * 1_000, now + expiresIn * 1_000))
    try {
      return await context.internalAdapter.createSession(sub, false, { token, createdAt, expiresAt }, true)
    } catch (error) {
      // A hook refuses some sessions, for example those of banned users.
      if (isAPIError(error)) return undefined
      // Parallel requests with one JWT derive the same token, and the table accepts it once.
      const [session] = await findSessions(context, [token])
      if (!session) throw error
      return session
    }
  }

  return {
    async read(context: AuthContext, cookie: OldCookie): Promise<Candidate | undefined> {
      const claims = await readJwt(cookie, jwtSecrets, cookieName !== undefined)
      if (!claims) return undefined
      const { sub } = claims
      if (!isNumber(sub) && context.options.advanced?.database?.generateId === 'serial') return undefined
      const token = toBase64Url(await hmac(context.secret, `authjs-jwt:${cookie.value}`))
      const identifiers = await identifiersOf(sub)
      const hasSignedOut = (rows: readonly { identifier: string }[]) => rows.some(({ identifier }) => identifiers.includes(identifier))
      const admit: Candidate['admit'] = async (sessions, rows) => {
        if (hasSignedOut(rows)) return undefined
        let session = sessions.find((one) => one.token === token)
        if (!session && (await isAccepted(context, claims))) {
          session = await create(context, claims, token)
          // The user may have signed out since the first look.
          if (session && hasSignedOut(await findRows(context, identifiers))) {
            await context.internalAdapter.deleteSession(token)
            return undefined
          }
        }
        return session?.token === token && session.userId === sub && isLive(session) ? session : undefined
      }
      return { tokens: [token], identifiers, admit }
    },

    /** Records that JWTs of a user are no longer accepted, whatever their age: an old deployment can renew them. */
    async signOut(context: AuthContext, userId: string): Promise<void> {
      const adapter = await getCurrentAdapter(context.adapter)
      const now = new Date()
      // Not `until`, which can be moved: Better Auth deletes the rows that have expired at any lookup.
      const row = { value: now.toISOString(), expiresAt: new Date(now.getTime() + longestCookie * 1_000), updatedAt: now }
      for (const identifier of await identifiersOf(userId)) {
        const where = [{ field: 'identifier', value: identifier }]
        const changed = await adapter.updateMany({ model: 'verification', where, update: row })
        if (changed === 0) await adapter.create({ model: 'verification', data: { ...row, identifier, createdAt: now } })
      }
    },
  }
}

const isNumber = (id: string) => /^\d+$/.test(id)
