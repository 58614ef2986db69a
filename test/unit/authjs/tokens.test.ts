import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AccessTokenError } from '../../../src/authjs/errors.js'
import { changesOf } from '../../../src/authjs/tokens.js'

const now = 1_800_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 + 999 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('what a provider sends', () => {
  test('is stored as far as an account has it', () => {
    const issued = {
      access_token: 'a',
      refresh_token: 'r',
      id_token: 'i',
      scope: 'read write',
      token_type: 'Bearer',
      session_state: 's',
      expires_in: 3_600,
      expires_at: now + 10,
      other: 'x',
    }
    const { other: _, ...stored } = issued
    expect(changesOf(issued)).toEqual({ ...stored, token_type: 'bearer' })
  })

  test('may be nothing', () => expect(Object.values(changesOf({})).filter((value) => value !== undefined)).toEqual([]))

  test.each(['access_token', 'refresh_token', 'id_token', 'scope', 'token_type', 'session_state'] as const)(
    '%s is a text that is not empty',
    (field) => {
      expect(changesOf({ [field]: 'text' })[field]).toBe('text')
      for (const value of ['', 5, null, true, {}, ['text']]) expect(changesOf({ [field]: value })[field]).toBeUndefined()
    },
  )

  test.each([
    [3_600, 3_600],
    ['3600', 3_600],
    [3_600.9, 3_600],
    ['59.9', 59],
    [0, 0],
    ['0', 0],
    [-5, -5],
  ])('expires_in %j is %i seconds from now', (expires_in, seconds) =>
    expect(changesOf({ expires_in })).toMatchObject({ expires_in: seconds, expires_at: now + seconds }),
  )

  test('expires_at comes first', () => {
    expect(changesOf({ expires_at: `${now + 5}`, expires_in: 60 })).toMatchObject({ expires_at: now + 5, expires_in: 60 })
    expect(changesOf({ expires_at: 0, expires_in: 60 })).toMatchObject({ expires_at: 0 })
  })

  test.each([null, undefined, '', 'soon', Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, {}])('a time that is %j is none', (value) => {
    expect(changesOf({ expires_in: value })).toMatchObject({ expires_in: undefined, expires_at: undefined })
    expect(changesOf({ expires_at: value, expires_in: 60 })).toMatchObject({ expires_at: now + 60 })
  })
})

describe('an AccessTokenError', () => {
  const kinds = ['no-account', 'no-provider', 'ambiguous', 'no-refresh-token', 'undecipherable', 'revoked', 'unreachable'] as const

  test('has its kind, and a message of its own', () => {
    const errors = kinds.map((kind) => new AccessTokenError(kind))
    expect(errors.map(({ kind }) => kind)).toEqual(kinds)
    expect(new Set(errors.map(({ message }) => message)).size).toBe(kinds.length)
    for (const error of errors) {
      expect(error).toBeInstanceOf(Error)
      expect(error.name).toBe('AccessTokenError')
      expect(error.message).toMatch(/^\w[^()]+\w\.$/)
    }
  })

  test('says more where more is known', () => {
    expect(new AccessTokenError('unreachable', 'status 500').message).toBe(
      `${new AccessTokenError('unreachable').message.slice(0, -1)} (status 500).`,
    )
  })
})
