import { Failure } from '../query/errors.js'

const encoder = new TextEncoder()
// A byte order mark is part of the text, like any other character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The text of a value that was selected as bytes. Some drivers make text of them. */
export function decodeText(raw: unknown): string {
  if (typeof raw === 'string') return raw
  // A proxy that sends bytes as JSON sends an object.
  if (!ArrayBuffer.isView(raw)) throw new Failure('garbled')
  return decoder.decode(raw as Uint8Array)
}

// The two digits of each byte, as one number, so that long texts take no longer than they must.
const digits = encoder.encode(Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0')).join(''))
const pairs = new Uint16Array(digits.slice().buffer)

/** The text's bytes in UTF-8, in hexadecimal. */
export function hexOf(text: string): string {
  const bytes = encoder.encode(text)
  const hex = new Uint16Array(bytes.length)
  for (let index = 0; index < bytes.length; index++) hex[index] = pairs[bytes[index] as number] as number
  return decoder.decode(hex)
}
