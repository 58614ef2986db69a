import { createDecipheriv, hkdfSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { TokenField } from '../../../src/models.js'
import { createCipher, parse } from '../../../src/secrets/cipher.js'
import { newKey, oldKey } from '../../integration/secrets/modes.js'

const ada = { provider: 'github', providerAccountId: '42' }

const encrypt = (token: string, field: TokenField = 'access_token', account = ada, keys = [newKey]) =>
  createCipher(keys).encrypt(token, field, account)
const decrypt = (stored: string, field: TokenField = 'access_token', account = ada, keys = [newKey, oldKey]) =>
  createCipher(keys).decrypt(parse(stored) ?? {}, field, account)

// The shortest body: a nonce of 12 bytes and a tag of 16, without a text.
const shortest = Buffer.alloc(28, 7)
const bodyOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

describe('parse', () => {
  test('returns the key and the bytes of an encrypted token', () => {
    expect(parse(`e1.schlüssel-1.${bodyOf(shortest)}`)).toEqual({ key: 'schlüssel-1', body: new Uint8Array(shortest) })
  })

  test.each(['', 'a token', 'e2.2026b.AAAA', ' e1.2026b.AAAA', 'ya29.e1.x'])('returns nothing for the plain token %j', (token) => {
    expect(parse(token)).toBeUndefined()
  })

  test.each([
    ['no bytes', ''],
    ['a byte too few', bodyOf(shortest.subarray(1))],
    ['another spelling of its bytes', `${'A'.repeat(37)}B`],
  ])('returns only the key of a damaged token with %s', (_, text) => {
    expect(parse(`e1.2026b.${text}`)).toEqual({ key: '2026b' })
  })

  test.each(['e1.', 'e1.2026b', 'e1..AAAA', 'e1.20 26.AAAA', 'e1.a.AAAA.x', 'e1.a.AA=', 'e1.a.AA\n'])(
    'returns no part of %j, which may be anything',
    (stored) => expect(parse(stored)).toStrictEqual({}),
  )
})

/** Decrypts a stored token as the documentation describes it, without code of the package. */
function decryptByHand(stored: string, secret: string, context: string[]): string {
  const body = Buffer.from(stored.split('.')[2] as string, 'base64url')
  const key = hkdfSync('sha256', secret, '', 'drizzle-auth-adapter account tokens e1', 32)
  const decipher = createDecipheriv('aes-256-gcm', Buffer.from(key), body.subarray(0, 12))
  const parts = context.flatMap((part) => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(Buffer.byteLength(part))
    return [length, Buffer.from(part)]
  })
  decipher.setAAD(Buffer.concat(parts)).setAuthTag(body.subarray(-16))
  return Buffer.concat([decipher.update(body.subarray(12, -16)), decipher.final()]).toString()
}

describe('an encrypted token', () => {
  test.each(['', 'rëfresh \u{1F600}', '\ufeffx', 'x'.repeat(10_000)])('is decrypted to the same text', async (token) => {
    const stored = await encrypt(token)
    expect(stored).toMatch(/^e1\.2026b\.[\w-]{38,}$/)
    expect(await decrypt(stored)).toBe(token)
  })

  test('has the documented form', async () => {
    const account = { provider: 'gîthub', providerAccountId: '42' }
    for (const field of ['access_token', 'refresh_token', 'id_token'] as const) {
      const stored = await encrypt('rëfresh', field, account)
      expect(decryptByHand(stored, newKey.secret, ['account', field, 'gîthub', '42'])).toBe('rëfresh')
    }
    // Of an earlier version.
    const stored = 'e1.2026b.MFzb9z8qk12XnwFEh1yq0CI2-gzO3rXoo6Iaqt_LViQoQzUNn4NwuXSxmB9dS_y6XxoUg6L-F9Q'
    expect(await decrypt(stored, 'access_token', { provider: 'google', providerAccountId: '1' })).toBe('a token of the first version')
  })

  test('differs each time', async () => {
    const stored = await Promise.all(Array.from({ length: 20 }, () => encrypt('a')))
    const nonces = stored.map((each) => bodyOf(parse(each)?.body?.subarray(0, 12) as Uint8Array))
    expect(new Set(nonces).size).toBe(20)
  })

  test('is encrypted with the first key, and decrypted with each', async () => {
    expect(createCipher([oldKey, newKey]).newest).toBe('2025a')
    const stored = await encrypt('a', 'id_token', ada, [oldKey, newKey])
    expect(stored).toMatch(/^e1\.2025a\./)
    for (const keys of [[oldKey], [oldKey, newKey], [newKey, oldKey]]) expect(await decrypt(stored, 'id_token', ada, keys)).toBe('a')
    expect(await decrypt(stored, 'id_token', ada, [newKey])).toBeUndefined()
  })
})
