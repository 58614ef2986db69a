/** A part of CREATE TABLE: a column or a constraint of the table. */
export interface Part {
  /** The column's name; absent for a constraint. */
  column?: string
  text: string
}

/** The parts of SQLite's CREATE TABLE, and what follows them. SQLite keeps CHECK, COLLATE and the like nowhere else. */
export function readDefinition(definition: string): { parts: Part[]; options: string } {
  const tokens = tokensOf(definition)
  const parts: string[] = []
  let depth = 0
  let part = ''
  let end = 0
  for (const { text, index } of tokens) {
    if (text === ')' && --depth === 0) {
      end = index + 1
      break
    }
    if (text === ',' && depth === 1) {
      parts.push(part)
      part = ''
    } else if (depth > 0) part += text
    if (text === '(') depth++
  }
  parts.push(part)
  return { parts: parts.map((text) => read(text.trim())), options: definition.slice(end).trim() }
}

/** Quoted names, texts and comments are one token each, so that a comma or a parenthesis in them counts for nothing. */
const token = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[\w$]+|[\s\S]/g

function tokensOf(text: string): { text: string; index: number }[] {
  return [...text.matchAll(token)].map((match) => ({ text: match[0].replace(/^(--.*|\/\*[\s\S]*)$/, ' '), index: match.index }))
}

function read(text: string): Part {
  if (/^(constraint|primary|unique|check|foreign)\b/i.test(text)) return { text }
  const [first = ''] = tokensOf(text).map((one) => one.text)
  return { column: unquoted(first), text }
}

function unquoted(name: string): string {
  const [first = ''] = name
  if (first === '[') return name.slice(1, -1)
  return '"`\''.includes(first) ? name.slice(1, -1).replaceAll(first + first, first) : name
}

/** The columns of a constraint, as in PRIMARY KEY (a, b). */
export function columnsIn(constraint: string): string[] {
  const inner = /\(([\s\S]*?)\)/.exec(constraint)?.[1] ?? ''
  return tokensOf(inner)
    .map(({ text }) => text)
    .filter((text) => /^["`[\w$']/.test(text))
    .map(unquoted)
}

/** A definition of a column without its NOT NULL and PRIMARY KEY. */
export function withoutNotNull(text: string): string {
  const words = tokensOf(text).map((one) => one.text)
  const isWord = (index: number, word: string) => words[index]?.toUpperCase() === word
  for (let index = 0; index < words.length; index++) {
    const next = words.findIndex((word, at) => at > index && word.trim() !== '')
    const isPair = (isWord(index, 'NOT') && isWord(next, 'NULL')) || (isWord(index, 'PRIMARY') && isWord(next, 'KEY'))
    if (isPair) words.splice(index, next - index + 1)
  }
  return words
    .join('')
    .replace(/\bautoincrement\b/i, '')
    .trimEnd()
}

/** The text with other names for tables and columns. */
export function replaceNames(text: string, names: Map<string, string>): string {
  if (names.size === 0) return text
  const lower = new Map([...names].map(([before, after]) => [before.toLowerCase(), after]))
  const replaced = (token: string) => {
    const after = /^(["`[]|[\w$])/.test(token) ? lower.get(unquoted(token).toLowerCase()) : undefined
    return after === undefined ? token : `\`${after.replaceAll('`', '``')}\``
  }
  return tokensOf(text)
    .map((one) => replaced(one.text))
    .join('')
}
