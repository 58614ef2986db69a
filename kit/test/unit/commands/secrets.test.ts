import { expect, test } from 'vitest'
import { partsOfEnvironment } from '../../../src/commands/secrets.js'

const secret = 'TopSecret-TopSecret-TopSecret-TopSecret'

test('the first key is the newest, and --only ignores the variable of the other table', () => {
  const right = { AUTH_TOKEN_KEYS: ` new :${secret}, old:${secret}`, AUTH_SESSION_HMAC: secret }
  expect(Object.keys(partsOfEnvironment(right, undefined))).toEqual(['sessions', 'accounts'])
  expect(partsOfEnvironment(right, undefined).accounts?.cipher.newest).toBe('new')
  expect(Object.keys(partsOfEnvironment({ ...right, AUTH_TOKEN_KEYS: 'wrong' }, 'sessions'))).toEqual(['sessions'])
  expect(Object.keys(partsOfEnvironment({ ...right, AUTH_SESSION_HMAC: 'wrong' }, 'accounts'))).toEqual(['accounts'])
})

test.each([
  [{ AUTH_TOKEN_KEYS: '' }, undefined, /^AUTH_TOKEN_KEYS is not set/],
  [{ AUTH_TOKEN_KEYS: `new:${secret},${secret}` }, undefined, /^pair 2 of AUTH_TOKEN_KEYS is not id:secret/],
  [{ AUTH_TOKEN_KEYS: 'new:TopSecret' }, undefined, /^the secret of pair 1 of AUTH_TOKEN_KEYS must be a text of 32 characters/],
  [{ AUTH_SESSION_HMAC: 'TopSecret' }, 'sessions', /^AUTH_SESSION_HMAC must be/],
  [{ AUTH_SESSION_HMAC: '' }, 'sessions', /^AUTH_SESSION_HMAC is missing/],
] as const)('%j is rejected by its name and position, without its value', (env, only, message) => {
  const read = () => partsOfEnvironment(env, only)
  expect(read).toThrow(expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 }))
  expect(read).not.toThrow('TopSecret')
})
