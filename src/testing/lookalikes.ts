import { randomText, uniqueInteger } from './rows.js'

/** A text, and others that loose comparisons confuse with it. */
export interface Lookalikes {
  text: string
  others: readonly string[]
}

/** Nineteen digits, as some providers make ids. Floating point rounds them. */
export const manyDigits = () => String(10n ** 18n + 2n * BigInt(uniqueInteger()) + 1n)

/** Texts that collations and normal forms confuse. */
const folded = (text: string) => [
  ...[text.toUpperCase(), text.toLowerCase(), text.replace(/@.*/, (domain) => domain.toLowerCase()), text.normalize('NFD')],
  ...[text.replace('\u00e9', 'e'), text.replace('\u00df', 'ss'), text.replace('J', '\uff2a'), text.replace('K', '\u212a')],
  ...[`${text} `, ` ${text}`, `${text}\n`, `${text}\u00a0`, `${text}\u200b`],
]

/** Texts that patterns, parsers and encodings confuse. */
const mistaken = (text: string) => [
  ...[text.replaceAll('.', ''), text.replaceAll('-', ''), text.replace(/\+a/, ''), text.replaceAll('+', ' ')],
  ...[text.replaceAll('+', '-').replaceAll('/', '_'), text.replace(/=+$/, ''), encodeURIComponent(text), JSON.stringify(text)],
  ...['\0', '%', '*', 'x', '/x', '?x', '#x'].map((end) => text + end),
  ...['%', 'x', '+'].map((beginning) => beginning + text),
  ...['%', '_', '?', '.', ''].map((end) => text.slice(0, -1) + end),
  ...[`${text.slice(0, -6)}%`, text.slice(1)],
]

/** Other ways to write a number, and one that floating point rounds to it. */
const sameNumber = (text: string) => [
  ...[`0${text}`, `+${text}`, `-${text}`, `${text}.0`, `${text}e0`, `${text}n`, ` ${text}`, `${text} `],
  ...[`0x${BigInt(text).toString(16)}`, `${BigInt(text) - 1n}`],
]

/** Other addresses of the same mailbox. */
const sameMailbox = (text: string) => [
  ...[text.replace(/\.(?=.*@)/g, ''), text.replace('@', '+x@'), text.replace('@gmail.', '@googlemail.')],
  ...[`mailto:${text}`, `<${text}>`, `Ada <${text}>`, `${text}.`],
]

const mixedText = () => `Jos\u00e9.Ki\u00dfling+a/b${randomText(20)}@Example.COM==`

const withOthers = (text: string, othersOf: (text: string) => string[]): Lookalikes => ({
  text,
  others: [...new Set(othersOf(text))].filter((other) => other !== text),
})

/** Lookalikes by which no row may be found. */
export const lookalikes = (isEmail: boolean): Lookalikes[] => [
  withOthers(mixedText(), (text) => [...folded(text), ...mistaken(text)]),
  isEmail ? withOthers(`ada.lovelace.${randomText(12)}@gmail.com`, sameMailbox) : withOthers(manyDigits(), sameNumber),
  // For comparisons that stop early.
  withOthers(randomText(200), (text) => [`${text}x`, `${text.slice(0, -1)}x`]),
]

/** Lookalikes that may be rejected, but must not be stored as something else. */
export const storedLookalikes = (): Lookalikes[] => [
  withOthers(mixedText(), (text) => folded(text).slice(0, 10)),
  withOthers(manyDigits(), (text) => sameNumber(text).slice(0, 4)),
]

/** Lookalikes of any text, such as an id that the adapter generated. */
export const lookalikesOf = (text: string): Lookalikes => withOthers(text, (key) => [...folded(key), ...mistaken(key)])
