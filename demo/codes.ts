import { randomInt } from 'node:crypto'
import type { VerificationToken } from '@auth/core/adapters'
import { decode, encode } from '@auth/core/jwt'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import type { DemoAdapter } from './database/store.js'

const hour = 60 * 60 * 1_000
const tries = 5
const salt = 'six-digit code'

/** How long a code is valid, in seconds. */
export const maxAge = 10 * 60

/** The cookie with which a browser enters a code. */
export const codeCookie = (request: Request) => /(?:^|; )code=([^;]*)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''

/**
 * The codes of one request. They are not stored: the browser that asked keeps its code in a cookie, encrypted.
 *
 * @param entered The cookie of the browser, if the request enters a code.
 */
export function openCodes(adapter: DemoAdapter, secret: string, entered?: string) {
  let isCode = false
  const codes = {
    /** The header that sets the cookie, if the request asked for a code. */
    setCookie: undefined as string | undefined,
    /** Whether the address had no try left. */
    isLimited: false,
    /** A code of six digits. */
    generate() {
      isCode = true
      return String(randomInt(1_000_000)).padStart(6, '0')
    },
    async create(created: VerificationToken) {
      if (!isCode) return adapter.createVerificationToken(created)
      const token = { ...created, expires: created.expires.getTime() }
      const value = await encode({ token, secret, salt, maxAge })
      codes.setCookie = `code=${value}; Max-Age=${maxAge}; Path=/code; HttpOnly; SameSite=Lax`
      return created
    },
    async use({ identifier, token }: Pick<VerificationToken, 'identifier' | 'token'>) {
      if (entered === undefined) return adapter.useVerificationToken({ identifier, token })
      const code = await decode({ token: entered, secret, salt }).catch(() => null)
      // Only a browser that asked for a code can try one, so nobody else creates rows.
      if (code?.identifier !== identifier) return null
      const taken = await takeTry(adapter, identifier)
      codes.isLimited = !taken
      if (!taken || code.token !== token) return null
      const expires = new Date(Number(code.expires))
      // A code can be used once, and a right one does not count as a try.
      if (!(await createOnce(adapter, { identifier: 'used codes', token: String(code.jti), expires }))) return null
      await adapter.useVerificationToken(taken)
      return { identifier, token, expires }
    },
  }
  return codes
}

/** Each try creates a row, and the database accepts each row only once. The rows expire at the end of the hour. */
async function takeTry(adapter: DemoAdapter, email: string): Promise<VerificationToken | null> {
  const now = Math.floor(Date.now() / hour)
  for (let number = 1; number <= tries; number++) {
    const row = { identifier: `tries of ${email}`, token: `${now}: ${number}`, expires: new Date((now + 1) * hour) }
    if (await createOnce(adapter, row)) return row
  }
  return null
}

/** Returns whether the row was created by this call. */
async function createOnce(adapter: DemoAdapter, row: VerificationToken): Promise<boolean> {
  try {
    await adapter.createVerificationToken(row)
    return true
  } catch (error) {
    if (error instanceof AdapterOperationError && error.kind === 'duplicate') return false
    throw error
  }
}
