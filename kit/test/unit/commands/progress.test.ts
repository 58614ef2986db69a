import { expect, test } from 'vitest'
import { lines, progressOn, some } from '../../../src/commands/progress.js'

/** What a terminal of this width shows. */
async function shownOn(columns: number | undefined, done: number, total: number): Promise<string> {
  let written = ''
  const stderr = { write: (text: string) => (written += text), isTTY: true, columns }
  const progress = await progressOn({ stdout: stderr, stderr, env: {}, cwd: '/' }, false, 'deleted', () => ({ sessions: total }))
  progress.show('sessions', done)
  expect([written.slice(0, 1), written.slice(-3)]).toEqual(['\r', '\x1b[K'])
  return written.slice(1, -3)
}

test.each([
  [1, '1 session'],
  [1_234_567, '1,234,567 sessions'],
])('%i is written as %s', (count, text) => {
  expect(some(count, 'session')).toBe(text)
})

test.each([
  [0, 48, `${'░'.repeat(24)}   0 %  0 of 48`],
  [24, 48, `${'█'.repeat(12)}${'░'.repeat(12)}  50 %  24 of 48`],
  // Not 100 % before the end.
  [47, 48, `${'█'.repeat(24)}  97 %  47 of 48`],
  [0, 0, `${'█'.repeat(24)} 100 %  0 of 0`],
  // More rows expired in the meantime.
  [50, 48, `${'█'.repeat(24)} 100 %  50 of 50`],
])('a bar for %i of %i', async (done, total, text) => {
  expect(await shownOn(100, done, total)).toBe(`sessions            ${text}`)
})

test.each([
  [59, `sessions            ${'█'.repeat(11)}${'░'.repeat(11)}  50 %  24 of 48`],
  [41, `sessions            ██░░  50 %  24 of 48`],
  [40, 'sessions  50 %  24 of 48'],
  [24, 'sessions  50 %  24 of 4'],
  [1, ''],
  [undefined, `sessions            ${'█'.repeat(12)}${'░'.repeat(12)}  50 %  24 of 48`],
])('a bar stays on one line of a terminal with %s columns', async (columns, text) => {
  expect(await shownOn(columns, 24, 48)).toBe(text)
})

test('logs get a line every few seconds', () => {
  let written = ''
  const progress = lines({ write: (text) => (written += text) }, 'deleted', 0)
  progress.show('sessions', 1_200)
  expect(written).toBe('sessions: 1,200 deleted\n')
})
