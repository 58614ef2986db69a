const start = performance.now()

/** Prints a line with the time since the start. */
export function progress(line: string): void {
  const seconds = Math.round((performance.now() - start) / 1000)
  console.log(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`.padStart(6), ` ${line}`)
}
