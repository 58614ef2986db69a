import type { AuthContext } from '@better-auth/core'
import { getCurrentAdapter } from '@better-auth/core/context'
import { isAPIError } from '@better-auth/core/utils/is-api-error'
import { toBase64Url } from '../../base64url.js'
import type { OldCookie } from './cookies.js'
import { hmac } from './hmac.js'
import type { Claims } from './jwt.js'
import { readJwt } from './jwt.js'
import type { Session } from './moved.js'
import type { Settings } from './options.js'

/** The sessions that Auth.js kept in JWTs. A JWT becomes a session when it is first used. */
export function encryptedSessions({ jwtSecrets, cookieName, until }: Settings) {
  /**
   * The rows of `verification` that say when a user signed out, one for each secret. Nobody can guess their identifiers: some endpoints
   * delete the row of any identifier that a request contains.
   */
  const identifiersOf = (userId: string) =>
    Promise.all(jwtSecrets.map(async (secret) => `authjs-signed-out:${toBase64Url(await hmac(secret, `signed out: ${userId}`))}`))

  async function hasSignedOut(context: AuthContext, { sub, iat }: Claims): Promise<boolean> {
    const where = [{ field: 'identifier', operator: 'in' as const, value: await identifiersOf(sub) }]
    const rows = await (await getCurrentAdapter(context.adapter)).findMany<{ value: string }>({ model: 'verification', where })
    return rows.some(({ value }) => iat * 1_000 <= Number(value))
  }

  return {
    /** Returns the session of a JWT, and creates it if this is its first use. */
    async find(context: AuthContext, cookie: OldCookie): Promise<Session | undefined> {
      const claims = await readJwt(cookie, jwtSecrets, cookieName !== undefined)
      if (!claims || !(await hasUser(context, claims)) || (await hasSignedOut(context, claims))) return undefined
      // Parallel requests with one JWT derive the same token, and the table accepts it once.
      const token = toBase64Url(await hmac(context.secret, `authjs-jwt:${cookie.value}`))
      const read = async () => (await context.internalAdapter.findSession(token))?.session
      let session = await read()
      if (!session) {
        const error = await create(context, claims, token).catch((error) => error)
        session = await read()
        // A hook refuses some sessions, for example those of banned users.
        if (!session && error !== undefined && !isAPIError(error)) throw error
        // The user may have signed out since the first look.
        if (session && (await hasSignedOut(context, claims))) {
          await context.internalAdapter.deleteSession(token)
          return undefined
        }
      }
      return session?.token === token && session.userId === claims.sub && session.expiresAt > new Date() ? session : undefined
    },

    /** Stores that all JWTs of a user that were issued until now are invalid. */
    async signOut(context: AuthContext, userId: string): Promise<void> {
      const adapter = await getCurrentAdapter(context.adapter)
      const now = new Date()
      const row = { value: String(now.getTime()), expiresAt: until, updatedAt: now }
      for (const identifier of await identifiersOf(userId)) {
        const where = [{ field: 'identifier', value: identifier }]
        const changed = await adapter.updateMany({ model: 'verification', where, update: row })
        if (changed === 0) await adapter.create({ model: 'verification', data: { ...row, identifier, createdAt: now } })
      }
    },
  }
}

async function hasUser(context: AuthContext, { sub, iat }: Claims): Promise<boolean> {
  const isNumber = /^\d+$/.test(sub)
  if (!isNumber && context.options.advanced?.database?.generateId === 'serial') return false
  const user = await context.internalAdapter.findUserById(sub)
  if (user?.id !== sub) return false
  // Databases reuse numbers: this may be another user than the one who got the JWT. `iat` has no fractions of a second.
  return !isNumber || (iat + 1) * 1_000 > user.createdAt.getTime()
}

async function create(context: AuthContext, { sub, iat, exp }: Claims, token: string): Promise<void> {
  // Auth.js writes a new `iat` at every read, so it does not say that somebody has just signed in.
  const createdAt = new Date(Math.min(iat * 1_000, Date.now() - context.sessionConfig.freshAge * 1_000))
  const values = { token, createdAt, expiresAt: new Date(exp * 1_000) }
  await context.internalAdapter.createSession(sub, false, values, true)
}
