import type { Context, Output, Prompts } from './command.js'
import { Problem } from './command.js'

// Control, format, private and unassigned characters, lone surrogates, and the separators of lines and paragraphs.
const hidden = /[\p{C}\u2028\u2029]/gu

const escaped = (character: string) =>
  Array.from({ length: character.length }, (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`).join('')

/** Escapes every character that a terminal or a database client could act on, or that cannot be seen. */
export const visible = (text: string) => text.replace(hidden, escaped)

/** The same for a text of several lines. It leaves JSON valid, and its meaning unchanged. */
export const visibleLines = (text: string) => text.replace(hidden, (character) => (character === '\n' ? '\n' : escaped(character)))

/** The context, with hidden characters in its output escaped. Names from a database may contain any character. */
export const withVisibleOutput = (context: Context): Context => ({
  ...context,
  stdout: visibleOutput(context.stdout),
  stderr: visibleOutput(context.stderr),
})

const visibleOutput = (stream: Output): Output => ({ isTTY: stream.isTTY, write: (text) => stream.write(visibleLines(text)) })

/** Asks at the terminal of this process, if it has one. */
export function promptsOfTerminal(): Prompts | undefined {
  const { stdin, stdout } = process
  if (!stdin.isTTY || !stdout.isTTY) return undefined
  // Some terminals do not report their size, and @clack/prompts would draw nothing.
  Object.assign(stdout, { columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const answer = <T>(given: T | symbol): T => {
    if (typeof given === 'symbol') throw new Problem('stopped. Nothing was changed.')
    return given
  }
  return {
    async confirm(question) {
      const { confirm } = await import('@clack/prompts')
      return answer<boolean>(await confirm({ message: visible(question), initialValue: false }))
    },
    async select(question, values) {
      const { select } = await import('@clack/prompts')
      return answer(await select<string>({ message: question, options: values.map((value) => ({ value })) })) as (typeof values)[number]
    },
  }
}
