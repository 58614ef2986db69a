/** A constraint of a column or a table, as it was written. */
interface Clause {
  kind: 'primary' | 'not null' | 'null' | 'unique' | 'check' | 'default' | 'collate' | 'references' | 'foreign' | 'generated'
  text: string
}

interface ColumnDefinition {
  name: string
  type: string
  clauses: Clause[]
}

/** SQLite's CREATE TABLE statement, the only place where CHECK, COLLATE and the like are stored. */
export interface TableDefinition {
  columns: ColumnDefinition[]
  constraints: Clause[]
  /** What follows the columns: STRICT, WITHOUT ROWID. */
  options: string
}

/** Parses a CREATE TABLE statement that SQLite has accepted. Throws at unknown clauses. */
export function readDefinition(definition: string): TableDefinition {
  const body = wordsOf(definition).find(({ text }) => text.startsWith('('))
  if (!body) throw new Error('no columns')
  const columns: ColumnDefinition[] = []
  const constraints: Clause[] = []
  for (const words of split(wordsOf(body.text.slice(1, -1)))) {
    const [first] = words
    if (first && /^(constraint|primary|unique|check|foreign)$/i.test(first.text)) constraints.push(...clausesOf(words))
    else columns.push(columnOf(words))
  }
  return { columns, constraints, options: definition.slice(body.end).trim() }
}

/** A token: a name, a literal, a symbol, or everything between two parentheses. */
interface Word {
  text: string
  source: string
  start: number
  end: number
}

// Quoted names, strings and comments are one token each. Names may contain any character beyond ASCII.
const token = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\w$\u0080-\uffff]+|\s+|[\s\S]/g

/** The parts of a statement, from which it can be joined again. */
export const sqlTokens = (statement: string): string[] => statement.match(token) ?? []

function wordsOf(source: string): Word[] {
  const words: Word[] = []
  let depth = 0
  for (const { 0: text, index } of source.matchAll(token)) {
    const end = index + text.length
    if (depth > 0) {
      const group = words.at(-1) as Word
      group.end = end
      group.text = source.slice(group.start, end)
    } else if (!/^(\s|--|\/\*)/.test(text)) words.push({ text, source, start: index, end })
    if (text === '(') depth++
    if (text === ')') depth--
  }
  return words
}

function split(words: Word[]): Word[][] {
  const parts: Word[][] = [[]]
  for (const word of words)
    if (word.text === ',') parts.push([])
    else parts.at(-1)?.push(word)
  return parts
}

const textOf = (words: Word[]) => words[0]?.source.slice(words[0].start, words.at(-1)?.end) ?? ''

export function unquoted(name: string): string {
  const [first = ''] = name
  if (first === '[') return name.slice(1, -1)
  return '"`\''.includes(first) ? name.slice(1, -1).replaceAll(first + first, first) : name
}

const isClause = ({ text }: Word) =>
  /^(constraint|primary|not|null|unique|check|default|collate|references|foreign|generated|as)$/i.test(text)

function columnOf([name, ...words]: Word[]): ColumnDefinition {
  const end = words.findIndex(isClause)
  const type = end < 0 ? words : words.slice(0, end)
  return { name: unquoted(name?.text ?? ''), type: textOf(type), clauses: clausesOf(words.slice(type.length)) }
}

const simpleKinds: [string[], Clause['kind']][] = [
  [['NOT', 'NULL'], 'not null'],
  [['NULL'], 'null'],
  [['UNIQUE'], 'unique'],
  [['CHECK'], 'check'],
]

/** Splits constraints, which need no comma between them. */
function clausesOf(words: Word[]): Clause[] {
  const clauses: Clause[] = []
  let at = 0
  /** Consumes these words if they come next. `*` stands for any word, `()` for a list. */
  const take = (...expected: string[]) => {
    const isNext = expected.every((wanted, index) => {
      const text = words[at + index]?.text
      if (text === undefined) return false
      return wanted === '*' || (wanted === '()' ? text.startsWith('(') : text.toUpperCase() === wanted)
    })
    if (isNext) at += expected.length
    return isNext
  }
  const takeConflict = () => take('ON', 'CONFLICT', '*')
  const takeRule = () =>
    take('ON', '*', 'SET', '*') ||
    take('ON', '*', 'NO', 'ACTION') ||
    take('ON', 'DELETE', '*') ||
    take('ON', 'UPDATE', '*') ||
    take('MATCH', '*') ||
    take('NOT', 'DEFERRABLE') ||
    take('DEFERRABLE') ||
    take('INITIALLY', '*')
  const takeClause = (): Clause['kind'] => {
    if (take('PRIMARY', 'KEY')) {
      take('()') || take('ASC') || take('DESC')
      takeConflict()
      take('AUTOINCREMENT')
      return 'primary'
    }
    const simple = simpleKinds.find(([keywords]) => take(...keywords))
    if (simple) {
      take('()')
      takeConflict()
      return simple[1]
    }
    if (take('GENERATED', 'ALWAYS', 'AS', '()') || take('AS', '()')) {
      take('STORED') || take('VIRTUAL')
      return 'generated'
    }
    const isForeign = take('FOREIGN', 'KEY', '()')
    if (take('REFERENCES', '*')) {
      take('()')
      while (takeRule());
      return isForeign ? 'foreign' : 'references'
    }
    if (take('COLLATE', '*')) return 'collate'
    if (!take('DEFAULT', '*')) throw new Error(`unknown clause: ${words[at]?.text}`)
    // The value may be several tokens: a sign and a number, or the parts of a blob.
    while (at < words.length && !isClause(words[at] as Word)) at++
    return 'default'
  }
  while (at < words.length) {
    const start = at
    take('CONSTRAINT', '*')
    const kind = takeClause()
    clauses.push({ kind, text: textOf(words.slice(start, at)) })
  }
  return clauses
}
