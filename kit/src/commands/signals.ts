const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const

// npx forwards a signal that the terminal has already sent to every process. Within this time, it counts as the same signal.
const sameSignal = 1_000

interface Stop {
  /** Aborted by the first signal. */
  signal: AbortSignal
  exitCode(): number
  /** Stops listening. */
  forget(): void
}

/** Aborts at the first signal; the second ends the process. */
export function stopOnSignals(): Stop {
  const stopping = new AbortController()
  let first: { exitCode: number; time: number } | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (first && Date.now() - first.time > sameSignal) process.exit(first.exitCode)
    first ??= { exitCode: exitCodes[signal as keyof typeof exitCodes], time: Date.now() }
    stopping.abort()
  }
  for (const signal of Object.keys(exitCodes)) process.on(signal, onSignal)
  return {
    signal: stopping.signal,
    exitCode: () => first?.exitCode ?? 1,
    forget: () => {
      for (const signal of Object.keys(exitCodes)) process.off(signal, onSignal)
    },
  }
}
