import type { DatabaseName } from './databases.js'
import { databaseTitles } from './databases.js'

/** One line on the standard error, so that the standard output stays free. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

const start = performance.now()

/** A line of progress, with the time since the start. */
export function progress(database: DatabaseName, line: string): void {
  const seconds = Math.round((performance.now() - start) / 1000)
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  say(`${time.padStart(5)}  ${databaseTitles[database].padEnd(10)}  ${line}`)
}
