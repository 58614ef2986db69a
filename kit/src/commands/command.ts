/** One command of `drizzle-auth-kit`. */
export interface Command {
  help: string
  /** Runs the command and returns the exit code. */
  run(args: string[], context: Context): Promise<number>
}

/** The environment of a command: its output, variables, folder and terminal. */
export interface Context {
  stdout: Output
  stderr: Output
  /** The environment variables. Commands add those of the app's `.env`. */
  env: Record<string, string | undefined>
  /** The folder of the app. */
  cwd: string
  /** Absent without a terminal. */
  prompts?: Prompts | undefined
}

export interface Output {
  write(text: string): unknown
  isTTY?: boolean | undefined
}

/** Questions to the user. */
export interface Prompts {
  confirm(question: string): Promise<boolean>
  select<const T extends string>(question: string, values: readonly T[]): Promise<T>
}

/**
 * An error that the user can fix. The message says how.
 *
 * The message names arguments and variables but never contains their values, because any of them may be a URL with a password.
 */
export class Problem extends Error {
  constructor(
    message: string,
    /** 2 if the command line or a setting is wrong, 1 for everything else. */
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(message)
  }
}
