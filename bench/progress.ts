import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'

/** Prints a line to standard error. */
export function print(line: string): void {
  process.stderr.write(`${line}\n`)
}

const start = performance.now()

/** Prints a line of progress with the time since the start. */
export function progress(database: DatabaseName, line: string): void {
  const seconds = Math.round((performance.now() - start) / 1000)
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  print(`${time.padStart(5)}  ${databaseTitles[database].padEnd(10)}  ${line}`)
}
