import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { digest } from '../../src/query/digest.js'

test('the digest of a text is its SHA-256 in base64url', async () => {
  // Among so many digests, every character of the alphabet occurs more than once in one of them.
  const texts = ['', 'ada@example.com', '\u{1F600}', ...Array.from({ length: 200 }, (_, index) => `token ${index}`)]
  for (const text of texts) expect(await digest(text)).toBe(createHash('sha256').update(text).digest('base64url'))
})
