import type { Context, Output } from './command.js'

// Control, format, private and unassigned characters, lone surrogates, and the separators of lines and paragraphs.
const hidden = /[\p{C}\u2028\u2029]/gu

const escaped = (character: string) =>
  Array.from({ length: character.length }, (_, unit) => `\\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`).join('')

/** Escapes every character that a terminal or a database client could act on, or that cannot be seen. */
export const visible = (text: string) => text.replace(hidden, escaped)

/** The same for a text of several lines. It leaves JSON valid, and its meaning unchanged. */
export const visibleLines = (text: string) => text.replace(hidden, (character) => (character === '\n' ? '\n' : escaped(character)))

/** The context, with everything that is printed made visible. Names from a database may contain any character. */
export const withVisibleOutput = ({ stdout, stderr, ask, ...context }: Context): Context => ({
  ...context,
  stdout: visibleOutput(stdout),
  stderr: visibleOutput(stderr),
  ask: ask && ((question) => ask(visible(question))),
})

const visibleOutput = (stream: Output): Output => ({ isTTY: stream.isTTY, write: (text) => stream.write(visibleLines(text)) })
