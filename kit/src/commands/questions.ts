import type { Context } from './command.js'
import { Problem } from './command.js'

/** A function that asks questions, if the process has a terminal. */
export function askAtTerminal(): Context['ask'] {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return undefined
  // Some terminals do not tell their size, and @clack/prompts would draw nothing.
  Object.assign(stdout, { columns: stdout.columns || 80, rows: stdout.rows || 24 })
  return async (question) => {
    const { isCancel, text } = await import('@clack/prompts')
    const answer = await text({ message: question.trim() })
    if (isCancel(answer)) throw new Problem('stopped. Nothing was written.')
    return answer ?? ''
  }
}

/** Asks until the answer is one of the values. An empty answer means the default, if there is one. */
export async function askFor<const T extends string>(
  ask: NonNullable<Context['ask']>,
  question: string,
  values: readonly T[],
  fallback?: NoInfer<T>,
  aliases: Record<string, NoInfer<T>> = {},
): Promise<T> {
  const choices = values.map((value) => (value === fallback ? `[${value}]` : value)).join(', ')
  for (let problem = ''; ; problem = 'Answer with one of these names, or with its number. ') {
    const answer = (await ask(`${problem}${question} ${choices}: `)).trim()
    const value = answer === '' ? fallback : meant(answer, values, aliases)
    if (value !== undefined) return value
  }
}

/** The value that an answer means: by its name in any case, its number, another name for it, or a part of its name. */
function meant<T extends string>(answer: string, values: readonly T[], aliases: Record<string, T>): T | undefined {
  const word = answer.toLowerCase()
  const parts = values.filter((value) => value.toLowerCase().includes(word))
  return (
    values.find((value) => value.toLowerCase() === word) ??
    (/^\d+$/.test(word) ? values[Number(word) - 1] : undefined) ??
    (Object.hasOwn(aliases, word) ? aliases[word] : undefined) ??
    (parts.length === 1 ? parts[0] : undefined)
  )
}
