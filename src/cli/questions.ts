import { createInterface } from 'node:readline/promises'
import type { Context } from './command.js'
import { Problem } from './command.js'

/** What asks at the terminal, where there is one. */
export function askAtTerminal(): Context['ask'] {
  const { stdin: input, stdout: output } = process
  if (!input.isTTY || !output.isTTY) return undefined
  return async (question) => {
    const lines = createInterface({ input, output })
    // Ctrl-C and Ctrl-D close it, and would leave the question open for ever.
    const closed = new Promise<never>((_, reject) => lines.once('close', () => reject(new Problem('stopped. Nothing was written.'))))
    try {
      return await Promise.race([lines.question(question), closed])
    } finally {
      lines.close()
    }
  }
}

/** Asks until the answer is one of the values. No answer stands for the first value that is the default. */
export async function askFor<const T extends string>(
  ask: NonNullable<Context['ask']>,
  question: string,
  values: readonly T[],
  fallback?: NoInfer<T>,
): Promise<T> {
  const choices = values.map((value) => (value === fallback ? `[${value}]` : value)).join(', ')
  for (;;) {
    const answer = (await ask(`${question} ${choices}: `)).trim()
    const value = answer === '' ? fallback : values.find((one) => one === answer)
    if (value !== undefined) return value
  }
}
