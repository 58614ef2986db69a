import { toBase64Url } from '../base64url.js'

const encoder = new TextEncoder()
// A byte order mark is part of the text, like any other character.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export const utf8 = (text: string) => encoder.encode(text)
export const fromUtf8 = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>) => decoder.decode(bytes)

/** Returns `undefined` unless `toBase64Url` would produce exactly this text. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0))
    return toBase64Url(bytes) === text ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Creates a value on first use. If that fails, the next use tries again. */
export function lazy<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error) => {
      made = undefined
      throw error
    })
    return made
  }
}

const longestCached = 255
const cacheSize = 1_000

/** Caches the results for the last thousand texts. */
export function memoize(compute: (text: string) => Promise<string>): (text: string) => Promise<string> {
  const results = new Map<string, string>()
  return async (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const result = await compute(text)
    if (text.length > longestCached) return result
    // A map keeps the order of its entries.
    if (results.size >= cacheSize) results.delete(results.keys().next().value as string)
    results.set(text, result)
    return result
  }
}
