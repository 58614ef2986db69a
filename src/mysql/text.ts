import { Failure } from '../query/errors.js'

// A byte order mark is part of the text, like any other character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** The text of a column that holds its bytes in UTF-8. Some drivers make text of them. A proxy or a cache may send bytes as JSON. */
export function decodeText(raw: unknown): string {
  if (typeof raw === 'string') return raw
  const { data } = Object(raw) as { data?: unknown }
  try {
    return decoder.decode(Array.isArray(data) ? Uint8Array.from(data) : (raw as Uint8Array))
  } catch {
    throw new Failure('garbled')
  }
}
