import { randomText, uniqueInteger } from './rows.js'

/** A text with a character of every kind that loose comparisons confuse with others. */
export const mixedText = () => `Jos\u00e9.Ki\u00dfling+a/b${randomText(20)}@Example.COM==`

/** Nineteen digits, as some providers make ids. Floating point rounds them. */
export const manyDigits = () => String(10n ** 18n + 2n * BigInt(uniqueInteger()) + 1n)

/** An address of a mailbox that has others, too. */
export const gmailAddress = () => `ada.lovelace.${randomText(12)}@gmail.com`

/** A long text, for comparisons that stop early. */
export const longText = () => randomText(200)

/** Texts that collations, normal forms, patterns, parsers and encodings confuse with the text. */
export function lookalikesOf(text: string): string[] {
  const others = [
    text.toUpperCase(),
    text.toLowerCase(),
    text.replace(/@.*/, (domain) => domain.toLowerCase()),
    text.replace('\u00e9', 'e'),
    text.replace('\u00df', 'ss'),
    text.replace('J', '\uff2a'),
    text.replace('K', '\u212a'),
    text.replace('i', '\u0131'),
    text.normalize('NFD'),
    text.replaceAll('.', ''),
    text.replace(/\.(?=.*@)/g, ''),
    text.replace('@', '+x@'),
    text.replace('@gmail.', '@googlemail.'),
    text.replaceAll('-', ''),
    text.replace(/\+a/, ''),
    text.replaceAll('+', ' '),
    text.replaceAll('+', '-').replaceAll('/', '_'),
    text.replace(/=+$/, ''),
    encodeURIComponent(text),
    JSON.stringify(text),
    `${text.slice(0, -6)}%`,
    text.slice(1),
    ...[' ', '\t', '\n', '\u00a0', '\u200b', '\0', '%', '*', 'x', '/x', '?x', '#x', '.0'].map((end) => text + end),
    ...[' ', '\n', '%', 'x', '0', '+'].map((beginning) => beginning + text),
    ...['%', '_', '?', '.', ''].map((end) => text.slice(0, -1) + end),
  ]
  // Other numbers that are equal to it, or that floating point rounds to the same one.
  if (/^\d+$/.test(text)) others.push(`${text}e0`, `0x${BigInt(text).toString(16)}`, `${text}n`, `-${text}`, `${BigInt(text) - 1n}`)
  return [...new Set(others)].filter((other) => other !== text)
}
