import { utf8 } from '../../secrets/encoding.js'

/** The HMAC of a text or of bytes. */
export async function hmac(
  secret: string | Uint8Array<ArrayBuffer>,
  data: string | Uint8Array<ArrayBuffer>,
  hash = 'SHA-256',
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = (value: string | Uint8Array<ArrayBuffer>) => (typeof value === 'string' ? utf8(value) : value)
  const key = await crypto.subtle.importKey('raw', bytes(secret), { name: 'HMAC', hash }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(data)))
}
