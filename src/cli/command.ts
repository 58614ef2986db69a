/** One command of `drizzle-auth-adapter`. */
export interface Command {
  /** What it does, in a line. */
  summary: string
  help: string
  /** Runs it and gives the exit code. */
  run(args: string[], context: Context): Promise<number>
}

/** What a command reads and writes besides databases and files. */
export interface Context {
  stdout: Output
  stderr: Output
  /** Variables of a `.env` file are added to it. */
  env: Record<string, string | undefined>
  /** The folder of the app. */
  cwd: string
  /** Asks whoever sits at the terminal; not there without one. */
  ask?: ((question: string) => Promise<string>) | undefined
}

export interface Output {
  write(text: string): unknown
  isTTY?: boolean | undefined
  columns?: number | undefined
}

/**
 * Something that the user can put right. The message says how.
 *
 * It names arguments and variables, and never contains their values, because each of them may be a URL with a password.
 */
export class Problem extends Error {
  constructor(
    message: string,
    /** 2 where the command line or a setting is wrong, 1 for everything else. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
  }
}
