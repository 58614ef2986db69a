import { toBase64Url } from '../base64url.js'
import type { AccountKey, TokenField } from '../models.js'
import { fromBase64Url, fromUtf8, lazy, utf8 } from './encoding.js'

/** A key for encrypting OAuth tokens. */
export interface TokenKey {
  /** Any text without dots, colons, commas and spaces. It is stored with each token and is not secret. */
  id: string
  /** Any text of 32 characters or more, without spaces at either end. `undefined` is rejected; the type allows it for environment variables. */
  secret: string | undefined
}

/** The parts of an encrypted token. `body` is absent if the token is damaged, and `key` as well if its id cannot be read. */
export interface Encrypted {
  key?: string
  body?: Uint8Array<ArrayBuffer>
}

/** Encrypts tokens with the first key, and decrypts them with any of the keys. */
export interface Cipher {
  /** The id of the key that encrypts. */
  readonly newest: string
  encrypt(token: string, field: TokenField, account: AccountKey): Promise<string>
  /** Returns `undefined` if the token cannot be decrypted. */
  decrypt(encrypted: Encrypted, field: TokenField, account: AccountKey): Promise<string | undefined>
}

const prefix = 'e1.'
const nonceBytes = 12
const tagBytes = 16

export const isEncrypted = (stored: string) => stored.startsWith(prefix)

/** The parts of a stored token; `undefined` for a plain one. */
export function parse(stored: string): Encrypted | undefined {
  if (!isEncrypted(stored)) return undefined
  const [, key, text] = /^e1\.([^.\s\p{C}]+)\.([\w-]*)$/u.exec(stored) ?? []
  // A value in any other form may be a plain token, so no part of it may appear in a message.
  if (key === undefined || text === undefined) return {}
  const body = fromBase64Url(text)
  return body && body.length >= nonceBytes + tagBytes ? { key, body } : { key }
}

export function createCipher(keys: readonly { id: string; secret: string }[]): Cipher {
  const derived = new Map(keys.map(({ id, secret }) => [id, lazy(() => deriveKey(secret))]))
  const newest = keys[0]?.id as string
  const keyOf = (id: string) => derived.get(id)?.()
  return {
    newest,

    async encrypt(token, field, account) {
      const iv = crypto.getRandomValues(new Uint8Array(nonceBytes))
      const key = (await keyOf(newest)) as Derived
      const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: contextOf(field, account) }, key, utf8(token))
      const body = new Uint8Array(nonceBytes + sealed.byteLength)
      body.set(iv)
      body.set(new Uint8Array(sealed), nonceBytes)
      return `${prefix}${newest}.${toBase64Url(body)}`
    },

    async decrypt({ key: id, body }, field, account) {
      const key = id === undefined ? undefined : await keyOf(id)
      if (!key || !body) return undefined
      const algorithm = { name: 'AES-GCM', iv: body.subarray(0, nonceBytes), additionalData: contextOf(field, account) }
      try {
        return fromUtf8(await crypto.subtle.decrypt(algorithm, key, body.subarray(nonceBytes)))
      } catch {
        return undefined
      }
    },
  }
}

type Derived = Awaited<ReturnType<typeof deriveKey>>

async function deriveKey(secret: string) {
  const base = await crypto.subtle.importKey('raw', utf8(secret), 'HKDF', false, ['deriveKey'])
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: utf8('drizzle-auth-adapter account tokens e1') }
  return crypto.subtle.deriveKey(parameters, base, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

/** The additional data: a ciphertext decrypts only in the same field of the same account. Length prefixes make the encoding unambiguous. */
function contextOf(field: TokenField, { provider, providerAccountId }: AccountKey): Uint8Array<ArrayBuffer> {
  const parts = ['account', field, provider, providerAccountId].map(utf8)
  const context = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0))
  let at = 0
  for (const part of parts) {
    new DataView(context.buffer).setUint32(at, part.length)
    context.set(part, at + 4)
    at += 4 + part.length
  }
  return context
}
