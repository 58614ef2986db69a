import type { AuthContext } from '@better-auth/core'
import { getCurrentAdapter } from '@better-auth/core/context'
import { isAPIError } from '@better-auth/core/utils/is-api-error'
import { toBase64Url } from '../../secrets/encoding.js'
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
      const session = (await read()) ?? (await create(context, claims, token, read))
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
  const { generateId } = context.options.advanced?.database ?? {}
  const isSerial = generateId === 'serial'
  if (isSerial && !/^\d+$/.test(sub)) return false
  const user = await context.internalAdapter.findUserById(sub)
  if (!user || user.id !== sub) return false
  // Databases reuse ids that they generate: this may be another user than the one who got the JWT.
  const canReuseIds = isSerial || generateId === false
  return !canReuseIds || iat * 1_000 >= user.createdAt.getTime()
}

async function create(
  context: AuthContext,
  { sub, iat, exp }: Claims,
  token: string,
  read: () => Promise<Session | undefined>,
): Promise<Session | undefined> {
  // Auth.js writes a new `iat` at every read, so it does not say that somebody has just signed in.
  const createdAt = new Date(Math.min(iat * 1_000, Date.now() - context.sessionConfig.freshAge * 1_000))
  try {
    return (
      (await context.internalAdapter.createSession(sub, false, { token, createdAt, expiresAt: new Date(exp * 1_000) }, true)) ?? undefined
    )
  } catch (error) {
    const created = await read()
    // A hook refuses the session, for example of a banned user.
    if (!created && !isAPIError(error)) throw error
    return created
  }
}
