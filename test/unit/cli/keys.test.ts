import { expect, test } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { partsOfEnvironment } from '../../../src/cli/keys.js'
import { parse } from '../../../src/secrets/cipher.js'
import { failureOf } from './files.js'

const secret = 'TopSecret-TopSecret-TopSecret-TopSecret'

const cipherOf = (AUTH_TOKEN_KEYS: string) => partsOfEnvironment({ AUTH_TOKEN_KEYS }, 'accounts').accounts?.cipher
const hashWith = (AUTH_SESSION_HMAC?: string) => partsOfEnvironment({ AUTH_SESSION_HMAC }, 'sessions').sessions?.hash('token')

/** Whether a token that is encrypted with the first pairs can be decrypted with the second. */
async function canRead(written: string, given: string): Promise<boolean> {
  const account = { provider: 'google', providerAccountId: '1' }
  const stored = parse((await cipherOf(written)?.encrypt('token', 'access_token', account)) ?? '')
  return (await cipherOf(given)?.decrypt(stored ?? {}, 'access_token', account)) === 'token'
}

test('sessions and accounts are protected, or one of them', () => {
  const AUTH_TOKEN_KEYS = `new:${secret},old:${secret}`
  const all = partsOfEnvironment({ AUTH_TOKEN_KEYS }, undefined)
  expect(all).toMatchObject({ sessions: { mode: 'migrating' }, accounts: { mode: 'migrating', cipher: { newest: 'new' } } })
  expect(Object.keys(partsOfEnvironment({ AUTH_TOKEN_KEYS }, 'sessions'))).toEqual(['sessions'])
  expect(Object.keys(partsOfEnvironment({ AUTH_TOKEN_KEYS }, 'accounts'))).toEqual(['accounts'])
})

test('a variable of the part that is left out does not matter', () => {
  expect(partsOfEnvironment({}, 'sessions')).toHaveProperty('sessions')
  expect(partsOfEnvironment({ AUTH_TOKEN_KEYS: 'wrong' }, 'sessions')).toHaveProperty('sessions')
  expect(partsOfEnvironment({ AUTH_TOKEN_KEYS: `new:${secret}`, AUTH_SESSION_HMAC: 'wrong' }, 'accounts')).toHaveProperty('accounts')
})

test('sessions are hashed with the secret of AUTH_SESSION_HMAC, where it is set', async () => {
  const hashes = [await hashWith(), await hashWith(secret), await hashWith(`${secret}2`)]
  expect(new Set(hashes).size).toBe(3)
  expect(await hashWith(secret)).toBe(hashes[1])
})

test('tokens under each of the keys can be read', async () => {
  expect(await canRead(`old:${secret}`, `new:a${secret},old:${secret}`)).toBe(true)
  expect(await canRead(`old:${secret}`, `new:a${secret}`)).toBe(false)
  expect(await canRead(`old:${secret}`, `old:a${secret}`)).toBe(false)
})

test.each([
  ['', /^AUTH_TOKEN_KEYS is not set/],
  [secret, /^pair 1 of AUTH_TOKEN_KEYS is not id:secret/],
  [`new:${secret},${secret}`, /^pair 2 of AUTH_TOKEN_KEYS is not id:secret/],
  [`new:TopSecret`, /^the secret of pair 1 of AUTH_TOKEN_KEYS must be a text of 32 characters/],
])('AUTH_TOKEN_KEYS=%j is rejected by its name, without its value', async (AUTH_TOKEN_KEYS, message) => {
  for (const only of [undefined, 'accounts'] as const) {
    const failure = await failureOf(() => partsOfEnvironment({ AUTH_TOKEN_KEYS }, only))
    expect(failure).toBeInstanceOf(Problem)
    expect(failure).toMatchObject({ message: expect.stringMatching(message), exitCode: 2 })
    expect(String(failure)).not.toContain('TopSecret')
  }
})

test.each(['TopSecret', ''])('AUTH_SESSION_HMAC=%j is rejected by its name, without its value', async (AUTH_SESSION_HMAC) => {
  const failure = await failureOf(() => partsOfEnvironment({ AUTH_SESSION_HMAC }, 'sessions'))
  expect(failure).toBeInstanceOf(Problem)
  expect(failure).toMatchObject({ message: expect.stringMatching(/^AUTH_SESSION_HMAC (must be|is missing)/), exitCode: 2 })
  expect(String(failure)).not.toContain('TopSecret')
})
