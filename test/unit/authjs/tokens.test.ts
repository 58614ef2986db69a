import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { changesOf } from '../../../src/authjs/tokens.js'

const now = 1_800_000_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 + 999 })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('changesOf', () => {
  test('keeps the fields of an account', () => {
    const texts = { access_token: 'a', refresh_token: 'r', id_token: 'i', scope: 'read write', session_state: 's' }
    const times = { expires_in: 3_600, expires_at: now + 10 }
    expect(changesOf({ ...texts, ...times, token_type: 'Bearer', other: 'x' } as object)).toEqual({
      ...texts,
      ...times,
      token_type: 'bearer',
    })
  })

  test('ignores tokens that are not texts, or empty', () => {
    for (const access_token of ['', 5, null, true, {}, ['text']]) expect(changesOf({ access_token }).access_token).toBeUndefined()
  })

  test.each([
    [3_600, 3_600],
    ['3600', 3_600],
    ['59.9', 59],
    [0, 0],
  ])('reads expires_in %j as %i seconds from now', (expires_in, seconds) =>
    expect(changesOf({ expires_in })).toMatchObject({ expires_in: seconds, expires_at: now + seconds }),
  )

  test('prefers expires_at to expires_in', () => {
    expect(changesOf({ expires_at: `${now + 5}`, expires_in: 60 })).toMatchObject({ expires_at: now + 5, expires_in: 60 })
  })

  test.each([null, '', 'soon', Number.POSITIVE_INFINITY, 2 ** 60, {}])('ignores the time %j', (value) => {
    expect(changesOf({ expires_in: value })).toMatchObject({ expires_in: undefined, expires_at: undefined })
    expect(changesOf({ expires_at: value, expires_in: 60 })).toMatchObject({ expires_at: now + 60 })
  })
})
