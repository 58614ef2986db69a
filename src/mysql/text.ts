import { Failure } from '../query/errors.js'

// A byte order mark is part of the text, like any other character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true })

/** The text of a column that holds its bytes in UTF-8. Some drivers make text of them; a proxy may send an object. */
export function decodeText(raw: unknown): string {
  if (typeof raw === 'string') return raw
  try {
    return decoder.decode(raw as Uint8Array)
  } catch {
    throw new Failure('garbled')
  }
}
