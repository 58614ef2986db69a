import { expect, test } from 'vitest'
import { lines, some } from '../../../src/commands/progress.js'

test.each([
  [1, '1 session'],
  [1_234_567, '1,234,567 sessions'],
])('%i is written as %s', (count, text) => {
  expect(some(count, 'session')).toBe(text)
})

test('logs get a line every few seconds', () => {
  let written = ''
  const progress = lines('deleted', { write: (text) => (written += text) }, 0)
  progress.show('sessions', 1_200)
  expect(written).toBe('sessions: 1,200 deleted\n')
})
