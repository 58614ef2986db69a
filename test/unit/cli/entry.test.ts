import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { root } from '../../support/root.js'

// What the program does with the process. test/integration/commands/process.once.test.ts starts it.

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { argv, exitCode } = process

beforeEach(() => void vi.resetModules())
afterEach(() => {
  vi.restoreAllMocks()
  Object.assign(process, { argv, exitCode })
})

/** Starts the program in this process, and gives what it printed, with its way to end on an unexpected error. */
async function start(...args: string[]) {
  process.argv = ['node', 'drizzle-auth-adapter', ...args]
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      printed[name] += text
      return true
    })
  const on = vi.spyOn(process, 'on').mockReturnThis()
  const removed = vi.spyOn(process, 'removeAllListeners').mockReturnThis()
  const exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  await import('../../../src/cli/index.js')
  const code = process.exitCode
  const [, end] = on.mock.calls.find(([name]) => (name as string) === 'uncaughtException') ?? []
  return { code, printed, removed, exit, end: end as unknown as (error: Error) => void }
}

test('the arguments after the name of the program are the command, and its exit code is that of the process', async () => {
  expect(await start('--version')).toMatchObject({ code: 0, printed: { stdout: `${version}\n`, stderr: '' } })
  vi.resetModules()
  expect(await start('unknown')).toMatchObject({ code: 2, printed: { stdout: '', stderr: expect.stringContaining('not a command') } })
})

test('warnings of files and drivers are not printed', async () => {
  expect((await start('--version')).removed.mock.calls).toEqual([['warning']])
})

test('an error that nobody catches ends the process, without a text that could hold a password', async () => {
  const { end, exit, printed } = await start('--version')
  end(new TypeError('postgres://ada:secret@host'))
  expect(exit.mock.calls).toEqual([[1]])
  expect(printed.stderr).toContain('an unexpected TypeError')
  expect(printed.stderr).not.toContain('secret')
})
