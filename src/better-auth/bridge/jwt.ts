import { fromBase64Url, fromUtf8, utf8 } from '../../secrets/encoding.js'
import type { OldCookie } from './cookies.js'
import { hmac } from './hmac.js'

/** The claims of a session in a JWT, with those of the app. Dates are in seconds. */
export interface Claims {
  /** The id of the user. */
  sub: string
  iat: number
  exp: number
  [claim: string]: unknown
}

type Bytes = Uint8Array<ArrayBuffer>

/** The parts of an encrypted JWT, as in RFC 7516. */
interface Encrypted {
  /** The header as it was sent, which is authenticated as well. */
  additionalData: Bytes
  iv: Bytes
  ciphertext: Bytes
  tag: Bytes
}

/** How a version of Auth.js encrypts its sessions. */
interface Version {
  enc: string
  /** The name of its cookie, unless the app chose another one. */
  cookie: string
  keyBytes: number
  salt(cookieName: string): string
  info(cookieName: string): string
  decrypt(key: Bytes, encrypted: Encrypted): Promise<ArrayBuffer>
}

const versions: Version[] = [
  {
    enc: 'A256CBC-HS512',
    cookie: 'authjs.session-token',
    keyBytes: 64,
    salt: (name) => name,
    info: (name) => `Auth.js Generated Encryption Key (${name})`,
    async decrypt(key, { additionalData, iv, ciphertext, tag }) {
      const length = new Uint8Array(8)
      new DataView(length.buffer).setBigUint64(0, BigInt(additionalData.length * 8))
      const expected = await hmac(key.subarray(0, 32), concat(additionalData, iv, ciphertext, length), 'SHA-512')
      if (!isEqual(tag, expected.subarray(0, 32))) throw new Error('wrong tag')
      const aes = await crypto.subtle.importKey('raw', key.subarray(32), 'AES-CBC', false, ['decrypt'])
      return crypto.subtle.decrypt({ name: 'AES-CBC', iv }, aes, ciphertext)
    },
  },
  {
    enc: 'A256GCM',
    cookie: 'next-auth.session-token',
    keyBytes: 32,
    salt: () => '',
    info: () => 'NextAuth.js Generated Encryption Key',
    async decrypt(key, { additionalData, iv, ciphertext, tag }) {
      if (iv.length !== 12 || tag.length !== 16) throw new Error('wrong length')
      const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt'])
      return crypto.subtle.decrypt({ name: 'AES-GCM', iv, additionalData }, aes, concat(ciphertext, tag))
    },
  },
]

/** Whether a text has the form of a JWT that is encrypted with a key of the app itself. */
export const isJwt = (text: string) => /^[\w-]+\.(\.[\w-]+){3}$/.test(text)

/** Decrypts a session of Auth.js. Returns `undefined` if it is not one, or has expired. A name that the app chose may belong to any version. */
export async function readJwt({ name, value }: OldCookie, secrets: readonly string[], isOwnName: boolean): Promise<Claims | undefined> {
  const [header = '', , ...rest] = value.split('.')
  const [iv, ciphertext, tag] = rest.map(fromBase64Url)
  const candidates = versions.filter(({ cookie }) => isOwnName || name.replace(/^__(Secure|Host)-/, '') === cookie)
  const version = versionOf(candidates, parse(fromBase64Url(header)))
  if (!version || !iv || !ciphertext || !tag) return undefined
  for (const secret of secrets) {
    const claims = parse(await decrypt(version, name, secret, { additionalData: utf8(header), iv, ciphertext, tag }))
    if (claims) return isSession(claims) && claims.exp * 1_000 > Date.now() ? claims : undefined
  }
  return undefined
}

function versionOf(candidates: Version[], header: Record<string, unknown> | undefined): Version | undefined {
  if (header?.alg !== 'dir' || 'zip' in header || 'crit' in header) return undefined
  return candidates.find(({ enc }) => enc === header.enc)
}

/** Other JWTs of Auth.js, such as the state of a sign-in, are encrypted with the same secret and have no user. */
const isSession = (claims: Record<string, unknown>): claims is Record<string, unknown> & Claims =>
  typeof claims.sub === 'string' && claims.sub !== '' && Number.isFinite(claims.iat) && Number.isFinite(claims.exp)

async function decrypt(version: Version, name: string, secret: string, encrypted: Encrypted): Promise<ArrayBuffer | undefined> {
  const base = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveBits'])
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: utf8(version.salt(name)), info: utf8(version.info(name)) }
  const key = new Uint8Array(await crypto.subtle.deriveBits(parameters, base, version.keyBytes * 8))
  return version.decrypt(key, encrypted).catch(() => undefined)
}

function parse(bytes: ArrayBuffer | Bytes | undefined): Record<string, unknown> | undefined {
  if (!bytes) return undefined
  try {
    return Object(JSON.parse(fromUtf8(bytes)))
  } catch {
    return undefined
  }
}

function concat(...parts: Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Compares in constant time. */
const isEqual = (a: Bytes, b: Bytes) =>
  a.length === b.length && a.reduce((difference, byte, at) => difference | (byte ^ (b[at] ?? 0)), 0) === 0
