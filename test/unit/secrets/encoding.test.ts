import { describe, expect, test } from 'vitest'
import { toBase64Url } from '../../../src/base64url.js'
import { fromBase64Url, memoize } from '../../../src/secrets/encoding.js'

/** Bytes of every value, whose base64 has every character of the alphabet. */
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, index) => (index * 151 + 7) % 256)

describe('base64url', () => {
  // Also around the sizes at which the text is put together from pieces.
  test.each([0, 1, 2, 3, 8_192, 8_193, 300_000])('writes and reads %i bytes as Node.js does', (length) => {
    const bytes = bytesOf(length)
    const text = Buffer.from(bytes).toString('base64url')
    expect(toBase64Url(bytes)).toBe(text)
    expect(Buffer.from(fromBase64Url(text) ?? [0]).equals(bytes)).toBe(true)
  })

  test.each([
    ['padding', 'AA=='],
    ['the characters of base64', '++//'],
    ['unused bits that are set', 'AB'],
    ['spaces', 'AAAA AAAA'],
  ])('does not accept %s', (_, text) => expect(fromBase64Url(text)).toBeUndefined())
})

describe('memoize', () => {
  const counting = () => {
    const asked: string[] = []
    const get = memoize(async (text) => {
      asked.push(text)
      return `${text}!`
    })
    return { asked, get }
  }

  test('caches a thousand results, and then drops only the oldest', async () => {
    const { asked, get } = counting()
    const texts = Array.from({ length: 1_000 }, (_, index) => `${index}`)
    for (const text of [...texts, ...texts]) await get(text)
    expect(asked).toEqual(texts)
    for (const text of ['more', '1', '0']) await get(text)
    expect(asked.slice(1_000)).toEqual(['more', '0'])
  })

  test('does not keep long texts in memory', async () => {
    const { asked, get } = counting()
    const [longest, longer] = ['x'.repeat(255), 'x'.repeat(256)]
    for (const text of [longest, longer, longest, longer]) expect(await get(text)).toBe(`${text}!`)
    expect(asked).toEqual([longest, longer, longer])
  })
})
