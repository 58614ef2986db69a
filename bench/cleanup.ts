import { constants } from 'node:os'

type Task = () => unknown

const tasks: Task[] = []

/** Registers a cleanup task for the end of the run or Ctrl-C. The last task runs first. Returns a function that runs it immediately. */
export function onExit(task: Task): () => Promise<void> {
  tasks.push(task)
  return async () => {
    const index = tasks.indexOf(task)
    if (index < 0) return
    tasks.splice(index, 1)
    await task()
  }
}

/** Runs all remaining tasks. If one fails, the others still run. */
export async function cleanUp(): Promise<void> {
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    try {
      await task()
    } catch (error) {
      process.stderr.write(`while cleaning up: ${error instanceof Error ? error.message : error}\n`)
    }
  }
}

let interrupted = false

/** Whether a signal has interrupted the run. Errors after that are a consequence of it. */
export const isInterrupted = () => interrupted

/** Cleans up when a signal interrupts the run. A second signal ends it immediately. */
export function cleanUpOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      interrupted = true
      await cleanUp()
      process.exit(128 + constants.signals[signal])
    })
  }
}
