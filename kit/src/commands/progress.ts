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

/**
 * One line on a terminal, and a line every few seconds elsewhere. Only the first needs the totals. The progress bar of @clack/prompts reads
 * the keyboard and exits at Ctrl-C, where these commands finish a batch and say what they did.
 */
export async function progressOn(
  { stderr, env }: Context,
  quiet: boolean,
  verb: string,
  totals: () => Record<string, number> | Promise<Record<string, number>>,
): Promise<Progress> {
  const isTerminal = !quiet && stderr.isTTY && env.TERM !== 'dumb'
  const expected = isTerminal ? await totals() : {}
  let shown: string | undefined
  let told = Date.now()
  return {
    show(what, done) {
      if (isTerminal) {
        // Other runs may work at the same time, and more rows may expire.
        const total = Math.max(expected[what] ?? 0, done)
        const next = shown === undefined || shown === what ? '' : '\n'
        // Not through the context, which escapes control characters.
        process.stderr.write(`${next}\r${what}: ${number(done)} of ${number(total)} ${verb}\x1b[K`)
        shown = what
      } else if (!quiet && Date.now() - told >= 5_000) {
        told = Date.now()
        stderr.write(`${what}: ${number(done)} ${verb}\n`)
      }
    },
    end() {
      if (shown !== undefined) process.stderr.write('\n')
    },
  }
}
