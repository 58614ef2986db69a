import { expect, test } from 'vitest'
import { parse } from '../../../../src/secrets/cipher.js'
import { partsOfEnvironment } from '../../../src/commands/keys.js'

const secret = 'TopSecret-TopSecret-TopSecret-TopSecret'
const problem = (message: RegExp) => expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 })

const cipherOf = (AUTH_TOKEN_KEYS: string) => partsOfEnvironment({ AUTH_TOKEN_KEYS }, 'accounts').accounts?.cipher

/** Whether a token that was encrypted with some keys can be decrypted with others. */
async function canRead(written: string, given: string): Promise<boolean> {
  const account = { provider: 'google', providerAccountId: '1' }
  const stored = parse((await cipherOf(written)?.encrypt('token', 'access_token', account)) ?? '')
  return (await cipherOf(given)?.decrypt(stored ?? {}, 'access_token', account)) === 'token'
}

test('--only ignores the variable of the other table', () => {
  const wrong = { AUTH_TOKEN_KEYS: 'wrong', AUTH_SESSION_HMAC: 'wrong' }
  const right = { AUTH_TOKEN_KEYS: `new:${secret}`, AUTH_SESSION_HMAC: secret }
  expect(Object.keys(partsOfEnvironment(right, undefined))).toEqual(['sessions', 'accounts'])
  expect(Object.keys(partsOfEnvironment({ ...right, AUTH_TOKEN_KEYS: wrong.AUTH_TOKEN_KEYS }, 'sessions'))).toEqual(['sessions'])
  expect(Object.keys(partsOfEnvironment({ ...right, AUTH_SESSION_HMAC: wrong.AUTH_SESSION_HMAC }, 'accounts'))).toEqual(['accounts'])
})

test('the first key is the newest, and each of them decrypts', async () => {
  expect(cipherOf(` new :${secret}, old:${secret}`)?.newest).toBe('new')
  expect(await canRead(`old:${secret}`, `new:a${secret},old:${secret}`)).toBe(true)
  expect(await canRead(`old:${secret}`, `new:a${secret}`)).toBe(false)
  expect(await canRead(`old:${secret}`, `old:a${secret}`)).toBe(false)
})

test.each([
  ['', /^AUTH_TOKEN_KEYS is not set/],
  [secret, /^pair 1 of AUTH_TOKEN_KEYS is not id:secret/],
  [`new:${secret},${secret}`, /^pair 2 of AUTH_TOKEN_KEYS is not id:secret/],
  [`new:TopSecret`, /^the secret of pair 1 of AUTH_TOKEN_KEYS must be a text of 32 characters/],
])('AUTH_TOKEN_KEYS=%j is rejected by its position, without its value', (AUTH_TOKEN_KEYS, message) => {
  expect(() => partsOfEnvironment({ AUTH_TOKEN_KEYS }, undefined)).toThrow(problem(message))
  expect(() => partsOfEnvironment({ AUTH_TOKEN_KEYS }, undefined)).not.toThrow('TopSecret')
})

test.each(['TopSecret', ''])('AUTH_SESSION_HMAC=%j is rejected by its name, without its value', (AUTH_SESSION_HMAC) => {
  expect(() => partsOfEnvironment({ AUTH_SESSION_HMAC }, 'sessions')).toThrow(problem(/^AUTH_SESSION_HMAC (must be|is missing)/))
  expect(() => partsOfEnvironment({ AUTH_SESSION_HMAC }, 'sessions')).not.toThrow('TopSecret')
})
