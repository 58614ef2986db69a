/** One command of `drizzle-auth-adapter`. */
export interface Command {
  /** What it does, in a line. */
  summary: string
  help: string
  /** Runs it, and gives the exit code. */
  run(args: string[]): Promise<number>
}

/** What the person at the keyboard can put right; the message says how. */
export class Problem extends Error {
  constructor(
    message: string,
    /** 2 where the command line is wrong, 1 where it is something else. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
  }
}
