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

/**
 * Quoted names, texts and comments are one token each, so that a comma or a parenthesis in them counts for nothing. Every character beyond
 * ASCII can be part of a name.
 */
const token = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\/|[\w$\u0080-\uffff]+|[\s\S]/g
const isName = (text: string) => /^["`[\w$\u0080-\uffff]/.test(text)

function tokensOf(text: string): { text: string; index: number }[] {
  return [...text.matchAll(token)].map((match) => ({ text: match[0].replace(/^(--|\/\*)[\s\S]*$/, ' '), index: match.index }))
}

function read(text: string): Part {
  const [first = ''] = tokensOf(text).map((one) => one.text)
  if (/^(constraint|primary|unique|check|foreign)$/i.test(first)) return { text }
  return { column: unquoted(first), text }
}

function unquoted(name: string): string {
  const [first = ''] = name
  if (first === '[') return name.slice(1, -1)
  return '"`\''.includes(first) ? name.slice(1, -1).replaceAll(first + first, first) : name
}

/** A constraint of a table without its name, which CONSTRAINT gives it. */
export function withoutName(constraint: string): string {
  const [first, , next] = tokensOf(constraint).filter(({ text }) => text.trim() !== '')
  return next && /^constraint$/i.test(first?.text ?? '') ? withoutName(constraint.slice(next.index)) : constraint
}

/** The columns of a constraint, as in PRIMARY KEY (a, b). */
export function columnsIn(constraint: string): string[] {
  const inner = /\(([\s\S]*?)\)/.exec(constraint)?.[1] ?? ''
  return tokensOf(inner)
    .map(({ text }) => text)
    .filter((text) => isName(text) || text.startsWith("'"))
    .map(unquoted)
}

/** A definition of a column without its NOT NULL and PRIMARY KEY, and what belongs to them. */
export function withoutNotNull(text: string): string {
  const words = wordsOf(text)
  const isNext = (...expected: string[]) => expected.every((word, index) => words[index]?.toUpperCase() === word)
  const kept: string[] = []
  while (words.length > 0) {
    const isKey = isNext('PRIMARY', 'KEY')
    if (!isKey && !isNext('NOT', 'NULL')) {
      kept.push(words.shift() as string)
      continue
    }
    words.splice(0, 2)
    if (isKey && (isNext('ASC') || isNext('DESC'))) words.shift()
    if (isNext('ON', 'CONFLICT')) words.splice(0, 3)
    if (isNext('AUTOINCREMENT')) words.shift()
  }
  return kept.join(' ')
}

/** The words of a definition. What is in parentheses belongs to a word, such as the length of a type. */
function wordsOf(text: string): string[] {
  const words = ['']
  let depth = 0
  for (const { text: token } of tokensOf(text)) {
    if (token === ')') depth--
    if (depth === 0 && token.trim() === '') words.push('')
    else words[words.length - 1] += token
    if (token === '(') depth++
  }
  return words.filter((word) => word !== '')
}

/** The text with other names for tables and columns. */
export function replaceNames(text: string, names: Map<string, string>): string {
  if (names.size === 0) return text
  const lower = new Map([...names].map(([before, after]) => [before.toLowerCase(), after]))
  const replaced = (token: string) => {
    const after = isName(token) ? lower.get(unquoted(token).toLowerCase()) : undefined
    return after === undefined ? token : `\`${after.replaceAll('`', '``')}\``
  }
  return tokensOf(text)
    .map((one) => replaced(one.text))
    .join('')
}
