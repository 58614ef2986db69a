import { createInterface } from 'node:readline/promises'
import type { Context } from './command.js'
import { Problem } from './command.js'

/** A function that asks questions, if the process has a terminal. */
export function askAtTerminal(): Context['ask'] {
  const { stdin: input, stdout: output } = process
  if (!input.isTTY || !output.isTTY) return undefined
  return async (question) => {
    const lines = createInterface({ input, output })
    // Ctrl-C and Ctrl-D close the interface, and the question would never resolve.
    const closed = new Promise<never>((_, reject) => lines.once('close', () => reject(new Problem('stopped. Nothing was written.'))))
    try {
      return await Promise.race([lines.question(question), closed])
    } finally {
      lines.close()
    }
  }
}

/** Asks until the answer is one of the values. An empty answer means the default, if there is one. */
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
