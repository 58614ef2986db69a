import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { AdapterConfigError } from '../../../src/query/errors.js'
import { createCipher, parse } from '../../../src/secrets/cipher.js'
import type { SecretsOptions } from '../../../src/secrets/options.js'
import { readOptions } from '../../../src/secrets/options.js'
import { secretsAtRest } from '../../../src/secrets/secrets.js'

const secret = 'exactly 32 characters of secret.'
const key = { id: '2026b', secret }

/** The message for options that are rejected. It contains no secret. */
function messageFor(options: unknown): string {
  try {
    readOptions(options as SecretsOptions)
  } catch (error) {
    expect(error).toBeInstanceOf(AdapterConfigError)
    expect(inspect(error, { depth: 9 })).not.toContain('32 characters of secret')
    return (error as Error).message
  }
  return expect.fail('no error was thrown')
}

describe('readOptions accepts', () => {
  test('sessions and accounts, each alone, and nothing to protect', () => {
    for (const options of [{}, { sessionTokens: 'plain' }, { sessionTokens: { mode: 'plain' } }] as SecretsOptions[])
      expect(readOptions(options)).toEqual({})
    for (const mode of ['ready', 'migrating', 'hashed'] as const)
      for (const sessionTokens of [mode, { mode }, { mode, hmac: secret }])
        expect(readOptions({ sessionTokens })).toEqual({ sessions: { mode, hash: expect.any(Function) } })
    for (const mode of [undefined, 'ready', 'migrating', 'encrypted'] as const)
      expect(readOptions({ accountTokens: { keys: [key], ...(mode && { mode }) } })).toMatchObject({
        accounts: { mode: mode ?? 'encrypted', cipher: { newest: '2026b' } },
      })
  })

  test('several keys as text', async () => {
    const list = ['1', 'schlüssel', '2026/b=x'].map((id) => ({ id, secret: `${id}:${secret}` }))
    const { accounts } = readOptions({ accountTokens: { keys: list.map((each) => ` ${each.id} :${each.secret}`).join() } })
    expect(accounts?.cipher.newest).toBe('1')
    const account = { provider: 'google', providerAccountId: '1' }
    for (const each of list) {
      const stored = parse(await createCipher([each]).encrypt('token', 'access_token', account)) ?? {}
      expect(await accounts?.cipher.decrypt(stored, 'access_token', account)).toBe('token')
    }
  })
})

describe('readOptions rejects', () => {
  test.each([
    ['options must be an object', null],
    ['options must be an object', { sessions: 'hashed' }],
    ['sessionTokens must be an object', { sessionTokens: { mode: 'hashed', other: 1 } }],
    ['sessionTokens must be one of', { sessionTokens: 'encrypted' }],
    ['sessionTokens.mode must be one of', { sessionTokens: { mode: 'encrypted' } }],
    ['accountTokens must be an object', { accountTokens: [key] }],
    ['accountTokens.mode must be one of', { accountTokens: { mode: 'plain', keys: [key] } }],
    ['accountTokens.keys must be a list of one key or more', { accountTokens: { keys: [] } }],
    ['accountTokens.keys is missing. Set the environment variable', { accountTokens: { keys: undefined } }],
    ['accountTokens.keys[1] must be an object', { accountTokens: { keys: [key, { ...key, more: 1 }] } }],
    ['accountTokens.keys[1] has the same id as another key', { accountTokens: { keys: [key, key] } }],
  ])('%s: %j', (message, options) => expect(messageFor(options)).toContain(message))

  test.each(['', 'a.b', 'a:b', 'a,b', 'a b', 'a\n', 5])('the key id %j', (id) =>
    expect(messageFor({ accountTokens: { keys: [{ id, secret }] } })).toContain('accountTokens.keys[0].id must be a text'),
  )

  test.each([
    ['is missing', undefined],
    ['is missing', ''],
    ['must be a text of 32 characters', secret.slice(1)],
    ['must be a text of 32 characters', Array(40).fill('x')],
    ['begins or ends with a space or a line break', `${secret}\n`],
  ])('a secret that %s', (message, wrong) => {
    expect(messageFor({ accountTokens: { keys: [{ id: 'a', secret: wrong }] } })).toContain(`accountTokens.keys[0].secret ${message}`)
    expect(messageFor({ sessionTokens: { mode: 'hashed', hmac: wrong } })).toContain(`sessionTokens.hmac ${message}`)
  })

  test.each([
    ['pair 1 of accountTokens.keys is not id:secret', secret],
    ['pair 2 of accountTokens.keys is not id:secret', `new:${secret},`],
    ['the id of pair 1 of accountTokens.keys must be', `a.b:${secret}`],
    ['the secret of pair 1 of accountTokens.keys begins or ends with', `new: ${secret}`],
    ['the secret of pair 2 of accountTokens.keys is missing', `new:${secret},old:`],
    ['pair 2 of accountTokens.keys has the same id as another key', `new:${secret},new:${secret}`],
  ])('keys as text: %s', (message, keys) => expect(messageFor({ accountTokens: { keys } })).toContain(message))

  test('a secret in the wrong place, without showing it', () => {
    const accountTokens = [{ keys: [secret] }, { keys: [{ id: secret, secret }] }, { mode: secret, keys: [key] }]
    for (const options of [secret, { [secret]: 1 }, { sessionTokens: secret }, ...accountTokens.map((each) => ({ accountTokens: each }))])
      expect(messageFor(options)).toContain('must be')
  })
})

test('the object of secretsAtRest shows no secret', () => {
  const secrets = secretsAtRest({ sessionTokens: { mode: 'hashed', hmac: secret }, accountTokens: { keys: [key] } })
  expect(inspect(secrets, { depth: 9, showHidden: true }) + JSON.stringify(secrets)).not.toContain(secret)
})
