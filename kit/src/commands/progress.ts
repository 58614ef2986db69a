import type { Context, Output } from './command.js'
import { replaceLine } from './terminal.js'

/** Shows the progress of a command. */
export interface Progress {
  show(what: string, done: number): void
  /** Ends the display, and leaves the last state visible. */
  end(): void
}

export const number = (value: number) => value.toLocaleString('en')

/** A number of things, as in `1 session` and `1,200 sessions`. */
export const some = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? '' : 's'}`

/** Progress bars on a terminal, log lines otherwise. Only bars need the totals. */
export async function progressOn(
  { stderr, env }: Context,
  quiet: boolean,
  verb: string,
  totals: () => Record<string, number> | Promise<Record<string, number>>,
): Promise<Progress> {
  if (quiet) return silence
  return stderr.isTTY && env.TERM !== 'dumb' ? bars(stderr, await totals()) : lines(stderr, verb)
}

/** A bar for each thing, redrawn in place on one line of the terminal. */
function bars(stream: Output, totals: Record<string, number>): Progress {
  let shown: string | undefined
  return {
    show(what, done) {
      if (shown !== undefined && shown !== what) stream.write('\n')
      shown = what
      // Other runs may work at the same time, and more rows may expire.
      const total = Math.max(totals[what] ?? 0, done)
      replaceLine(stream, line(what, done, total, (stream.columns || 80) - 1))
    },
    end() {
      if (shown !== undefined) stream.write('\n')
      shown = undefined
    },
  }
}

/** Fits the line into the width: the bar shrinks first. */
function line(what: string, done: number, total: number, width: number): string {
  const part = total === 0 ? 1 : done / total
  const label = what.padEnd(20)
  const numbers = `${`${Math.floor(part * 100)} %`.padStart(6)}  ${number(done)} of ${number(total)}`
  const room = Math.min(24, width - label.length - numbers.length)
  if (room < 4) return `${what}${numbers}`.slice(0, Math.max(width, 0))
  const full = Math.round(part * room)
  return `${label}${'█'.repeat(full)}${'░'.repeat(room - full)}${numbers}`
}

/** Prints a line every few seconds, for logs. */
export function lines(stream: Output, verb: string, everyMilliseconds = 5_000): Progress {
  let told = Date.now()
  return {
    show(what, done) {
      if (Date.now() - told < everyMilliseconds) return
      told = Date.now()
      stream.write(`${what}: ${number(done)} ${verb}\n`)
    },
    end() {},
  }
}

const silence: Progress = { show() {}, end() {} }
