import { expect, onTestFinished, test, vi } from 'vitest'
import { decodeText, hexOf } from '../../src/mysql/text.js'

test.each([
  ['', ''],
  ['Ada', '416461'],
  ['\0\t\n\x0f', '00090a0f'],
  ['é', 'c3a9'],
  ['\u{1F600}', 'f09f9880'],
  ['\ufeff', 'efbbbf'],
])('%j in hexadecimal', (text, hex) => expect(hexOf(text)).toBe(hex))

test('every character has the bytes that Node.js gives it', () => {
  const text = String.fromCodePoint(...Array.from({ length: 0x800 }, (_, code) => code), 0xfffd, 0x10ffff)
  expect(hexOf(text)).toBe(Buffer.from(text).toString('hex'))
})

test('a runtime may encode into a part of a larger buffer', async () => {
  const encode = (text: string) => new Uint8Array(Buffer.from(`before${text}after`)).subarray(6, -5)
  vi.stubGlobal(
    'TextEncoder',
    class {
      encode = encode
    },
  )
  onTestFinished(() => {
    vi.unstubAllGlobals()
    vi.resetModules()
  })
  vi.resetModules()
  const text = await import('../../src/mysql/text.js')
  expect(text.hexOf('Zoë')).toBe('5a6fc3ab')
})

test('text is read from bytes, also with a byte order mark', () => {
  for (const text of ['', 'Zoë', '\ufeffAda', '\u{1F600}']) {
    expect(decodeText(Buffer.from(text))).toBe(text)
    expect(decodeText(new TextEncoder().encode(text))).toBe(text)
    expect(decodeText(text)).toBe(text)
  }
})

test('bytes that a proxy has made an object of are not text', () => {
  for (const raw of [{ type: 'Buffer', data: [65] }, [65], null, undefined, 65])
    expect(() => decodeText(raw)).toThrow(expect.objectContaining({ kind: 'garbled' }))
})
