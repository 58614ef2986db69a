import type { Context } from './command.js'

/** Shows the progress of a command. */
export interface Progress {
  show(what: string, done: number): void
  /** Ends the display, and leaves the last state visible. */
  end(): void
}

export const number = (value: number) => value.toLocaleString('en')

/** A number of things, as in `1 session` and `1,200 sessions`. */
export const some = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? '' : 's'}`

type Totals = Record<string, number>

/**
 * One line on a terminal, and a line every few seconds elsewhere. Only the first needs the totals. The progress bar of @clack/prompts reads
 * the keyboard and exits at Ctrl-C, where these commands finish a batch and say what they did.
 */
export async function progressOn(
  { stderr, env }: Context,
  quiet: boolean,
  verb: string,
  totals: () => Totals | Promise<Totals>,
): Promise<Progress> {
  if (quiet) return { show() {}, end() {} }
  return stderr.isTTY && env.TERM !== 'dumb' ? onTerminal(verb, await totals()) : lines(verb, stderr)
}

function onTerminal(verb: string, totals: Totals): Progress {
  let shown: string | undefined
  return {
    show(what, done) {
      // Other runs may work at the same time, and more rows may expire.
      const total = Math.max(totals[what] ?? 0, done)
      const next = shown === undefined || shown === what ? '' : '\n'
      // Not through the context, which escapes control characters.
      process.stderr.write(`${next}\r${what}: ${number(done)} of ${number(total)} ${verb}\x1b[K`)
      shown = what
    },
    end() {
      if (shown !== undefined) process.stderr.write('\n')
      shown = undefined
    },
  }
}

export function lines(verb: string, stream: Context['stderr'], everyMilliseconds = 5_000): Progress {
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
