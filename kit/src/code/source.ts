import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, extname, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from '@babel/parser'
import type { Comment, Expression, ImportDeclaration, Node, Statement } from '@babel/types'
import { BetterAuthError } from '@better-auth/core/error'
import { createJiti } from 'jiti'
import MagicString from 'magic-string'
import type { Style } from './style.js'
import { styleOf } from './style.js'

/** A top-level name that a file declares, and the names under which it exports it. */
export interface Declared {
  readonly source: Source
  readonly name: string
  readonly exports: readonly string[]
  readonly init?: Expression | null | undefined
  readonly start: number
}

const code = /\.[cm]?[jt]sx?$/

/** A file of an app, parsed, with what is inserted into it. */
export class Source {
  readonly body: readonly Statement[]
  readonly comments: readonly Comment[]
  readonly imports: readonly ImportDeclaration[]
  /** What the file imports and re-exports from. */
  readonly specifiers: readonly string[]
  readonly declared: readonly Declared[]
  readonly style: Style
  /** Top-level names of values. */
  readonly names: Set<string>
  /** What the insertions import: for each module the local names of what it exports. */
  readonly imported = new Map<string, Map<string, string>>()
  readonly isTypeScript: boolean
  readonly #insertions: { at: number; text: string }[] = []

  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    this.isTypeScript = /\.[cm]?tsx?$/.test(file)
    const { program, comments } = this.#parse()
    this.body = program.body
    this.comments = comments ?? []
    this.imports = this.body.filter((each): each is ImportDeclaration => each.type === 'ImportDeclaration')
    this.specifiers = this.body.flatMap((each) => ('source' in each && each.source ? [each.source.value] : []))
    this.declared = declaredIn(this)
    this.style = styleOf(this)
    const locals = this.imports.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name))
    this.names = new Set([...locals, ...this.declared.map(({ name }) => name)])
  }

  #parse() {
    const jsx = /x$/.test(this.file) || !this.isTypeScript ? ['jsx' as const] : []
    try {
      const plugins = [...jsx, ...(this.isTypeScript ? ['typescript' as const] : []), 'decorators' as const]
      return parse(this.text, { sourceType: 'module', plugins })
    } catch (error) {
      const { message, loc } = error as Error & { loc?: { line: number; column: number } }
      const at = `${relative(process.cwd(), this.file)}:${loc?.line}:${(loc?.column ?? 0) + 1}`
      throw new BetterAuthError(`${at}: ${message.replace(/ \(\d+:\d+\)$/, '')} The file stays as it is.`)
    }
  }

  insert(at: number, text: string): void {
    this.#insertions.push({ at, text: text.replace(/\r?\n/g, this.style.newline) })
  }

  get isChanged(): boolean {
    return this.#insertions.length > 0
  }

  get result(): string {
    const edit = new MagicString(this.text)
    for (const { at, text } of this.#insertions) edit.appendLeft(at, text)
    return edit.toString()
  }

  /** The insertions in their order, each with its place. */
  get diff(): string {
    const sorted = this.#insertions.filter(({ text }) => text !== ',').sort((one, other) => one.at - other.at)
    return sorted.map(({ at, text }) => `${this.place(at)}\n${text.trim().replace(/^/gm, '+ ')}`).join('\n')
  }

  /** A place in the file, for people. */
  place(at: number): string {
    return `${relative(process.cwd(), this.file)}:${this.text.slice(0, at).split('\n').length}`
  }

  textOf({ start, end }: Node): string {
    return this.text.slice(start ?? 0, end ?? 0)
  }
}

/** The files of an app, each parsed once. */
export class Sources {
  readonly #opened = new Map<string, Source | undefined>()

  /** A file, if it exists and parses. */
  open(file: string): Source | undefined {
    if (!this.#opened.has(file)) {
      try {
        this.#opened.set(file, existsSync(file) ? new Source(file, readFileSync(file, 'utf8')) : undefined)
      } catch {
        this.#opened.set(file, undefined)
      }
    }
    return this.#opened.get(file)
  }

  /** The file that an import names: relative, by a path of tsconfig.json, or in another package of the workspace. */
  resolve(specifier: string, from: string): string | undefined {
    try {
      const url = createJiti(from, { tsconfigPaths: true }).esmResolve(specifier, { parentURL: pathToFileURL(from).href, try: true })
      const file = url?.startsWith('file:') ? realpathSync(fileURLToPath(url)) : ''
      return code.test(file) && !file.includes(`${sep}node_modules${sep}`) ? file : undefined
    } catch {
      return undefined
    }
  }

  /** The files and all that they import and re-export from, nearest first. */
  reachable(files: readonly string[]): Source[] {
    const found = new Set<Source>()
    const queue = [...files]
    for (const file of queue) {
      const source = this.open(file)
      if (!source || found.has(source)) continue
      found.add(source)
      queue.push(...source.specifiers.flatMap((specifier) => this.resolve(specifier, file) ?? []))
    }
    return [...found]
  }

  /** How one file imports another: as it does already, or by a relative path with the ending of other imports. */
  specifier(from: Source, to: string): string {
    const known = from.imports.find(({ source }) => this.resolve(source.value, from.file) === to)
    if (known) return known.source.value
    const others = [from, ...this.#opened.values()].flatMap((each) => each?.specifiers ?? []).filter((each) => each.startsWith('.'))
    const usual = others[0] && code.test(others[0]) ? extname(others[0]) : ''
    const ending = usual.includes('js') ? extname(to).replace('t', 'j').replace('x', '') : usual && extname(to)
    const path = relative(dirname(from.file), to).split(sep).join('/').replace(code, ending)
    return path.startsWith('.') ? path : `./${path}`
  }
}

/** The expression without parentheses and type assertions. */
export function unwrap(node: Node | null | undefined): Node | null | undefined {
  const isWrapper = node && /^(TS(As|Satisfies|NonNull|TypeAssertion)|Parenthesized)/.test(node.type)
  return isWrapper && 'expression' in node ? unwrap(node.expression as Node) : node
}

export const nameOf = (node: Node) => (node.type === 'Identifier' ? node.name : node.type === 'StringLiteral' ? node.value : '')

function declaredIn(source: Source): Declared[] {
  const lists = source.body.flatMap((each) => (each.type === 'ExportNamedDeclaration' && !each.source ? each.specifiers : []))
  const declare = (id: Node, isExport: boolean, init?: Expression | null): Declared[] => {
    if (id.type === 'ObjectPattern')
      return id.properties.flatMap((each) => declare(each.type === 'RestElement' ? each.argument : each.value, isExport))
    const name = nameOf(id)
    const others = lists.flatMap((each) => (each.type === 'ExportSpecifier' && each.local.name === name ? [nameOf(each.exported)] : []))
    return name ? [{ source, name, exports: [...(isExport ? [name] : []), ...others], init, start: id.start ?? 0 }] : []
  }
  return source.body.flatMap((statement) => {
    const isExport = statement.type === 'ExportNamedDeclaration'
    const declaration = (isExport && statement.declaration) || statement
    if (declaration.type === 'VariableDeclaration') return declaration.declarations.flatMap(({ id, init }) => declare(id, isExport, init))
    const isValue = /^(Function|Class|TSEnum)Declaration$/.test(declaration.type)
    return isValue && 'id' in declaration && declaration.id ? declare(declaration.id as Node, isExport) : []
  })
}
