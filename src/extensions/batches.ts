import { checkOptions } from '../options.js'
import { configError } from '../query/errors.js'

/** Options of functions that work in batches. */
export interface BatchOptions {
  /**
   * Maximum number of rows in a batch.
   *
   * @default 200
   */
  batch?: number
  /**
   * Milliseconds between two batches, so that the app's own queries can run.
   *
   * @default 100
   */
  pause?: number
  /** Stops after the current batch. A later call continues where this one stopped. */
  signal?: AbortSignal
}

/** Checks the options of a function that works in batches, and returns those that all of them have. */
export function checkBatches(caller: string, options: BatchOptions, names: readonly string[]) {
  const fail = (message: string): never => configError(`${caller}: ${message}`)
  checkOptions(caller, 'options', options, names)
  const { batch = 200, pause = 100, signal } = options
  if (!Number.isSafeInteger(batch) || batch < 1) fail('batch must be a whole number of rows, 1 or more')
  if (!(pause >= 0 && pause < 2 ** 31)) fail('pause must be a number of milliseconds, 0 or more')
  return { batch, pause, signal }
}

// Waits for at least one turn of the event loop, because a synchronous driver would otherwise block everything else.
export function rest(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', end)
      resolve()
    }
    // It may have been aborted while progress was reported.
    const timer = setTimeout(end, signal?.aborted ? 0 : milliseconds)
    signal?.addEventListener('abort', end)
  })
}
