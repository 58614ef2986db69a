import { inspect } from 'node:util'
import { describe, expect, test, vi } from 'vitest'
import { AdapterConfigError } from '../../../src/query/errors.js'
import type { AccountTokens } from '../../../src/secrets/accounts.js'
import type { Cipher, Encrypted } from '../../../src/secrets/cipher.js'
import { parse } from '../../../src/secrets/cipher.js'
import type { SecretsOptions } from '../../../src/secrets/options.js'
import { readOptions } from '../../../src/secrets/options.js'
import { secretsAtRest } from '../../../src/secrets/secrets.js'

const secret = 'exactly 32 characters of secret.'
const key = { id: '2026b', secret }

/** The message of an AdapterConfigError, which shows no secret. */
function messageOf(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    expect(error).toBeInstanceOf(AdapterConfigError)
    expect(inspect(error, { depth: 9 })).not.toContain('32 characters of secret')
    return (error as Error).message
  }
  return expect.fail('no error was thrown')
}
const rejected = (options: unknown) => messageOf(() => readOptions(options as SecretsOptions))

describe('accepted', () => {
  test('nothing to protect', () => {
    for (const options of [{}, { sessionTokens: undefined, accountTokens: undefined }, { sessionTokens: { mode: 'plain' } }])
      expect(readOptions(options as SecretsOptions)).toEqual({})
    expect(readOptions({ sessionTokens: 'plain' })).toEqual({})
  })

  test.each(['ready', 'migrating', 'hashed'] as const)('sessions at %s, alone', (mode) => {
    for (const sessionTokens of [mode, { mode }, { mode, hmac: secret }]) {
      const parts = readOptions({ sessionTokens })
      expect(Object.keys(parts)).toEqual(['sessions'])
      expect(parts.sessions?.mode).toBe(mode)
    }
  })

  test('sessions with a secret, and without', async () => {
    const hash = (hmac: object) => readOptions({ sessionTokens: { mode: 'hashed', ...hmac } }).sessions?.hash('token')
    expect(await hash({ hmac: secret })).toMatch(/^s2\./)
    expect(await hash({})).toMatch(/^s1\./)
  })

  test.each([undefined, 'ready', 'migrating', 'encrypted'] as const)('accounts at %s, alone', (mode) => {
    const parts = readOptions({ accountTokens: { keys: [key], ...(mode && { mode }) } })
    expect(Object.keys(parts)).toEqual(['accounts'])
    expect(parts.accounts).toMatchObject({ mode: mode ?? 'encrypted', cipher: { newest: '2026b' } })
  })

  test('several keys, as a list and as text', async () => {
    const ids = ['1', 'a-b_c', 'schlüssel', '鍵', '\u{1F511}', '2026/b=x']
    const list = ids.map((id) => ({ id, secret: `${id}:${secret}` }))
    const text = list.map(({ id, secret }) => ` ${id} :${secret}`).join()
    const [fromList, fromText] = [list, text].map((keys) => readOptions({ accountTokens: { keys } }).accounts?.cipher as Cipher)
    expect(fromText?.newest).toBe('1')
    const account = { provider: 'google', providerAccountId: '1' }
    for (const key of list) {
      const { cipher } = readOptions({ accountTokens: { keys: [key] } }).accounts as AccountTokens
      const stored = parse(await cipher.encrypt('token', 'access_token', account)) as Encrypted
      expect(await fromList?.decrypt(stored, 'access_token', account)).toBe('token')
      expect(await fromText?.decrypt(stored, 'access_token', account)).toBe('token')
    }
  })
})

describe('rejected', () => {
  test.each([null, 'text', 5, [], [{}]])('options that are %j', (options) =>
    expect(rejected(options)).toContain('options must be an object'),
  )

  test.each([
    ['sessionTokens', { sessionTokens: [] }],
    ['sessionTokens', { sessionTokens: { mode: 'hashed', other: 1 } }],
    ['accountTokens', { accountTokens: null }],
    ['accountTokens', { accountTokens: [key] }],
    ['accountTokens.keys[0]', { accountTokens: { keys: [null] } }],
    ['accountTokens.keys[1]', { accountTokens: { keys: [key, { ...key, more: 1 }] } }],
  ])('%s that are not an object of the right properties', (place, options) =>
    expect(rejected(options)).toContain(`${place} must be an object with`),
  )

  test.each([
    ['sessionTokens must be one of', { sessionTokens: 'toString' }],
    ['sessionTokens must be one of', { sessionTokens: 5 }],
    ['sessionTokens.mode must be one of', { sessionTokens: { mode: 'encrypted' } }],
    ['accountTokens.mode must be one of', { accountTokens: { mode: 'plain', keys: [key] } }],
    ['accountTokens.keys must be a list', { accountTokens: { keys: {} } }],
    ['accountTokens.keys must be a list of one key or more', { accountTokens: { keys: [] } }],
    ['accountTokens.keys is missing. Set the environment variable', { accountTokens: { keys: undefined } }],
    ['accountTokens.keys is missing. Set the environment variable', { accountTokens: { keys: '' } }],
  ])('%s', (message, options) => expect(rejected(options)).toContain(message))

  test.each(['', '.', 'a.b', 'a:b', ':', 'a,b', ',', ' ', 'a b', ' a', 'a ', 'a\n', 'a\tb', 'a\u0000', 'a\u200b', 5, null])(
    'the id %j',
    (id) => expect(rejected({ accountTokens: { keys: [{ id, secret }] } })).toContain('accountTokens.keys[0].id must be a text'),
  )

  test.each([
    ['is missing', undefined],
    ['is missing', ''],
    ['must be a text of 32 characters', secret.slice(1)],
    ['must be a text of 32 characters', `${secret}\ud800`],
    ['must be a text of 32 characters', null],
    ['must be a text of 32 characters', Array(40).fill('x')],
    ['begins or ends with a space or a line break', ` ${secret}`],
    ['begins or ends with a space or a line break', `${secret}\n`],
  ])('a secret that %s: %j', (message, wrong) => {
    expect(rejected({ accountTokens: { keys: [{ id: 'a', secret: wrong }] } })).toContain(`accountTokens.keys[0].secret ${message}`)
    expect(rejected({ sessionTokens: { mode: 'plain', hmac: wrong } })).toContain(`sessionTokens.hmac ${message}`)
  })

  test.each([
    ['pair 1 of accountTokens.keys is not id:secret', secret],
    ['pair 1 of accountTokens.keys is not id:secret', ` :${secret}`],
    ['pair 2 of accountTokens.keys is not id:secret', `new:${secret},`],
    ['the secret of pair 1 of accountTokens.keys begins or ends with', `new: ${secret}`],
    ['the secret of pair 2 of accountTokens.keys is missing', `new:${secret},old:`],
    ['the secret of pair 2 of accountTokens.keys must be', `new:${secret},old:32 characters of secret`],
    ['the id of pair 1 of accountTokens.keys must be', `a.b:${secret}`],
    ['pair 2 of accountTokens.keys has the id of another key', `new:${secret},new:${secret}`],
  ])('%s: %j', (message, keys) => expect(rejected({ accountTokens: { keys } })).toContain(message))

  test('two keys with one id, of which the second is named', () => {
    const keys = ['a', 'b', 'c', 'b'].map((id) => ({ id, secret }))
    expect(rejected({ accountTokens: { keys } })).toContain('accountTokens.keys[3] has the id of another key')
    expect(rejected({ accountTokens: { keys: [key, key] } })).toContain('accountTokens.keys[1] has')
  })

  test.each([
    ['no crypto', undefined],
    ['no crypto.subtle', {}],
  ])('a runtime that has %s', (_, value) => {
    vi.stubGlobal('crypto', value)
    try {
      expect(rejected({})).toContain('crypto.subtle')
    } finally {
      vi.unstubAllGlobals()
    }
  })
})

test('a secret in the place of something else is not shown', () => {
  const keyOptions = [{ keys: [secret] }, { keys: { secret } }, { keys: [{ id: secret, secret }] }, { mode: secret, keys: [key] }]
  const others = [secret, { [secret]: 1 }, { sessionTokens: secret }, { sessionTokens: { mode: secret } }, { accountTokens: secret }]
  for (const options of [...others, ...keyOptions.map((accountTokens) => ({ accountTokens }))])
    expect(rejected(options)).toContain('must be')
})

test('what secretsAtRest returns shows no secret', () => {
  const secrets = secretsAtRest({ sessionTokens: { mode: 'hashed', hmac: secret }, accountTokens: { keys: [key] } })
  expect(inspect(secrets, { depth: 9, showHidden: true }) + JSON.stringify(secrets)).not.toContain(secret)
})
