import { constants } from 'node:os'

type Task = () => unknown

const tasks: Task[] = []

/** Has something undone at the end, or on Ctrl-C: the last comes first. Gives a function that does it at once. */
export function atEnd(task: Task): () => Promise<void> {
  tasks.push(task)
  return async () => {
    const index = tasks.indexOf(task)
    if (index < 0) return
    tasks.splice(index, 1)
    await task()
  }
}

/** Undoes all that is left; a failure keeps none of the others from their turn. */
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

/** Whether a signal has ended the run: what fails after that fails because of it. */
export const isInterrupted = () => interrupted

/** Cleans up when the run is interrupted; a second signal ends it at once. */
export function cleanUpOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, async () => {
      interrupted = true
      await cleanUp()
      process.exit(128 + constants.signals[signal])
    })
  }
}
