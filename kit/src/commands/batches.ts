import { setTimeout as sleep } from 'node:timers/promises'
import { AdapterOperationError } from 'drizzle-auth-adapter/internal'
import type { Context } from './command.js'

export const number = (value: number) => value.toLocaleString('en')

/** A number of things, as in `1 session` and `1,200 sessions`. */
export const some = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? '' : 's'}`

/**
 * Shows the progress of a command on one line of a terminal. The progress bar of @clack/prompts reads the keyboard and exits at Ctrl-C, where
 * these commands finish a batch and say what they did.
 */
export function startProgress({ stderr }: Context, quiet: boolean, verb: string, totals: Record<string, number> = {}) {
  let shown: string | undefined
  return {
    show(what: string, done: number): void {
      if (quiet || !stderr.isTTY) return
      // Other runs may work at the same time, and more rows may expire.
      const total = totals[what] === undefined ? '' : ` of ${number(Math.max(totals[what], done))}`
      // Not through the context, which escapes control characters.
      process.stderr.write(`${shown === undefined || shown === what ? '' : '\n'}\r${what}: ${number(done)}${total} ${verb}\x1b[K`)
      shown = what
    },
    /** Leaves the last state visible. */
    end(): void {
      if (shown !== undefined) process.stderr.write('\n')
    },
  }
}

const exitCodes: Partial<Record<NodeJS.Signals, number>> = { SIGINT: 130, SIGTERM: 143 }

/** Aborts at the first signal. A later one ends the process. */
function stopOnSignals() {
  const stopping = new AbortController()
  const signals = Object.keys(exitCodes)
  const stop = { signal: stopping.signal, exitCode: 1, forget: () => signals.map((name) => process.off(name, onSignal)) }
  const onSignal = (signal: NodeJS.Signals) => {
    stop.exitCode = exitCodes[signal] ?? 1
    stopping.abort()
    // npx forwards a signal that the terminal has already sent to every process.
    setTimeout(stop.forget, 1_000).unref()
  }
  for (const signal of signals) process.on(signal, onSignal)
  return stop
}

// The adapter has already retried each statement for some seconds.
const lossesInARow = 3

interface Batches<Counted extends string> {
  context: Context
  quiet: boolean
  /** What is done with the rows, for the progress. */
  verb: string
  /** The expected number of rows, by what is counted. */
  totals: Record<string, number>
  /** Works until all is done or `signal` is aborted, and reports the rows of this call. Returns whether all is done. */
  work(signal: AbortSignal, onProgress: (what: Counted, done: number) => void): Promise<boolean>
  /** What was done, for the output. */
  summary(counts: Partial<Record<Counted, number>>): string
}

/** Works in batches, with a progress display. A signal stops it after a batch; after a lost connection, it continues. Returns the exit code. */
export async function inBatches<Counted extends string>(batches: Batches<Counted>): Promise<number> {
  const { context, quiet, verb, totals, work, summary } = batches
  const progress = startProgress(context, quiet, verb, totals)
  const stop = stopOnSignals()
  const counts: Partial<Record<Counted, number>> = {}
  let isFinished = false
  try {
    for (let losses = 0; ; ) {
      const before = { ...counts }
      const onProgress = (what: Counted, done: number) => {
        losses = 0
        const count = (before[what] ?? 0) + done
        counts[what] = count
        progress.show(what, count)
      }
      try {
        isFinished = await work(stop.signal, onProgress)
        return isFinished ? 0 : stop.exitCode
      } catch (error) {
        if (!(error instanceof AdapterOperationError) || error.kind !== 'unreachable' || ++losses > lossesInARow) throw error
        await sleep(100 * losses)
      }
    }
  } finally {
    progress.end()
    stop.forget()
    const isTold = isFinished || stop.signal.aborted || Object.keys(counts).length > 0
    if (isTold && !quiet) context.stdout.write(`${isFinished ? '' : 'stopped; '}${summary(counts)}\n`)
  }
}
