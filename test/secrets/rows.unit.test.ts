import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { AdapterOperationError } from '../../src/query/errors.js'
import { secretsAtRest } from '../../src/secrets/index.js'

// `encryptAccount` and `decryptAccount`, for rows that the app reads and writes itself.

const newer = { id: '2026b', secret: 'the new secret of the tests with 32 characters or more' }
const lost = { id: 'lost', secret: 'a secret that nobody has any more, of 32 characters' }
const secrets = secretsAtRest({ accountTokens: { keys: [newer] } })
const key = { provider: 'github', providerAccountId: '42' }
const row = Object.freeze({ ...key, access_token: 'access-token', refresh_token: null, id_token: '', scope: 'read', note: 1 })
const both = ['encryptAccount', 'decryptAccount'] as const

async function failureOf(call: Promise<unknown>, ...texts: string[]): Promise<AdapterOperationError> {
  const error = await call.then(
    () => expect.fail('did not fail'),
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(AdapterOperationError)
  const shown = inspect(error, { depth: 9, showHidden: true })
  for (const text of texts) expect(shown).not.toContain(text)
  return error
}

test('a copy has its tokens encrypted, and decrypted again', async () => {
  const encrypted = await secrets.encryptAccount(row)
  const form = expect.stringMatching(/^e1\.2026b\./)
  expect(encrypted).toEqual({ ...row, access_token: form, id_token: form })
  expect(await secrets.decryptAccount(Object.freeze(encrypted))).toEqual(row)
})

test('without tokens to protect, they copy', async () => {
  const none = secretsAtRest({})
  for (const name of both) {
    const copy = await none[name](row)
    expect(copy).toEqual(row)
    expect(copy).not.toBe(row)
    expect(await none[name]({ ...key, access_token: 5 })).toEqual({ ...key, access_token: 5 })
  }
})

describe.each(both)('%s', (name) => {
  test.each([
    [{}, 'provider'],
    [null, 'provider'],
    ['text', 'provider'],
    [{ providerAccountId: '42' }, 'provider'],
    [{ provider: 1, providerAccountId: '42' }, 'provider'],
    [{ provider: 'github' }, 'providerAccountId'],
    [{ provider: 'github', providerAccountId: 42 }, 'providerAccountId'],
    [{ provider: 'github', providerAccountId: '\ud800' }, 'providerAccountId'],
  ])('rejects the row %j for its %s', async (wrong, column) => {
    for (const each of [secrets, secretsAtRest({})])
      expect(await failureOf(each[name](wrong as object))).toMatchObject({ operation: name, kind: 'invalid', column })
  })

  test.each(['access_token', 'refresh_token', 'id_token'])('rejects a value of %s that is not a text', async (column) => {
    for (const value of [5, {}, false])
      expect(await failureOf(secrets[name]({ ...key, [column]: value }))).toMatchObject({ operation: name, kind: 'invalid', column })
  })
})

test('a text that is not valid Unicode is not encrypted', async () => {
  const failure = await failureOf(secrets.encryptAccount({ ...key, id_token: 'id-token\ud800' }), 'id-token')
  expect(failure).toMatchObject({ operation: 'encryptAccount', kind: 'invalid', column: 'id_token' })
  expect(failure.message).not.toContain('key')
})

test('a token that cannot be decrypted is an error, which names its key', async () => {
  const stored = await secretsAtRest({ accountTokens: { keys: [lost] } }).encryptAccount(row)
  const failure = await failureOf(secrets.decryptAccount(stored), stored.access_token)
  expect(failure).toMatchObject({ operation: 'decryptAccount', kind: 'undecipherable', column: 'access_token' })
  expect(failure.message).toContain('key lost')
  const plain = await failureOf(secrets.decryptAccount(row), 'access-token')
  expect(plain).toMatchObject({ kind: 'undecipherable', column: 'access_token' })
  expect(plain.message).not.toContain('undefined')
})

test('at ready and migrating, plain tokens are returned, and at ready they are written', async () => {
  for (const mode of ['ready', 'migrating'] as const) {
    const early = secretsAtRest({ accountTokens: { mode, keys: [newer] } })
    expect(await early.decryptAccount(row)).toEqual(row)
    expect(await early.decryptAccount(await secrets.encryptAccount(row))).toEqual(row)
    expect((await early.encryptAccount(row)).access_token === 'access-token').toBe(mode === 'ready')
  }
})
