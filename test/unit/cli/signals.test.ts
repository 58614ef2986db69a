import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { stopOnSignals } from '../../../src/cli/signals.js'

let stop: ReturnType<typeof stopOnSignals>
let exit: ReturnType<typeof vi.spyOn>
const listeners = () => process.listenerCount('SIGINT') + process.listenerCount('SIGTERM')

beforeEach(() => {
  vi.useFakeTimers()
  exit = vi.spyOn(process, 'exit').mockImplementation((() => {}) as never)
  stop = stopOnSignals()
})
afterEach(() => {
  stop.forget()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const send = (signal: 'SIGINT' | 'SIGTERM') => process.emit(signal, signal)

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('the first %s asks the command to stop', (signal, exitCode) => {
  expect(stop.signal.aborted).toBe(false)
  expect(stop.exitCode()).toBe(1)
  send(signal)
  expect(stop.signal.aborted).toBe(true)
  expect(stop.exitCode()).toBe(exitCode)
  expect(exit).not.toHaveBeenCalled()
})

test('the same signal within a second is not a second one', () => {
  send('SIGINT')
  send('SIGTERM')
  vi.advanceTimersByTime(1_000)
  send('SIGINT')
  expect(exit).not.toHaveBeenCalled()
  expect(stop.exitCode()).toBe(130)
})

test('a second signal ends the process with the exit code of the first', () => {
  send('SIGTERM')
  vi.advanceTimersByTime(1_001)
  send('SIGINT')
  expect(exit).toHaveBeenCalledExactlyOnceWith(143)
})

test('listens no longer than the command runs', () => {
  const before = listeners()
  stop.forget()
  expect(listeners()).toBe(before - 2)
})
