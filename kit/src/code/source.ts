import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, extname, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parse } from '@babel/parser'
import type { ImportDeclaration, Node, Statement } from '@babel/types'
import { BetterAuthError } from '@better-auth/core/error'
import { createJiti } from 'jiti'
import MagicString from 'magic-string'

/** A top-level name of a file, and the names under which the file exports it. */
export interface Declared {
  readonly source: Source
  readonly name: string
  readonly exports: readonly string[]
  readonly init?: Node | null | undefined
  readonly start: number
}

const extension = /\.[cm]?[jt]sx?$/
/** A file that waits for tables. */
const placeholder = /^(\s*\/\/.*)*\s*export\s*\{\s*\};?\s*$/

/** A file of an app, parsed, with what is inserted into it. */
export class Source {
  readonly body: readonly Statement[]
  /** The text with spaces in place of comments. */
  readonly code: string
  readonly imports: readonly ImportDeclaration[]
  /** What the file imports and re-exports from. */
  readonly specifiers: readonly string[]
  /** The names in lists like `export { user } from './users'`. */
  readonly reexports: readonly string[]
  readonly declared: readonly Declared[]
  /** The top-level names. */
  readonly names: Set<string>
  /** How the file is written. One without code has single quotes and no semicolons. */
  readonly style: { readonly quote: string; readonly semicolon: string; readonly indent: string }
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
    this.code = (comments ?? []).reduce((code, { start = 0, end = 0 }) => {
      return code.slice(0, start) + ' '.repeat(end - start) + code.slice(end)
    }, text)
    this.imports = this.body.filter((each) => each.type === 'ImportDeclaration')
    this.specifiers = this.body.flatMap((each) => ('source' in each && each.source ? [each.source.value] : []))
    const lists = this.body.flatMap((each) => (each.type === 'ExportNamedDeclaration' && each.source ? each.specifiers : []))
    this.reexports = lists.flatMap((each) => (each.type === 'ExportSpecifier' ? [each.local.name] : []))
    this.declared = declaredIn(this)
    const locals = this.imports.flatMap(({ specifiers }) => specifiers.map(({ local }) => local.name))
    this.names = new Set([...locals, ...this.declared.map(({ name }) => name)])
    const count = (text: string) => this.code.split(text).length
    this.style = {
      quote: count('"') > count("'") ? '"' : "'",
      semicolon: /;[ \t]*$/m.test(this.code) ? ';' : '',
      indent: /[{[(]\r?\n([ \t]+)(?=[\w'"$.])/.exec(text)?.[1] ?? '  ',
    }
  }

  #parse() {
    const jsx = /x$/.test(this.file) || !this.isTypeScript ? (['jsx'] as const) : []
    try {
      return parse(this.text, {
        sourceType: 'module',
        plugins: ['decorators', ...jsx, ...(this.isTypeScript ? ['typescript' as const] : [])],
      })
    } catch (error) {
      const { message, loc } = error as Error & { loc?: { line: number; column: number } }
      const at = `${relative(process.cwd(), this.file)}:${loc?.line}:${(loc?.column ?? 0) + 1}`
      throw new BetterAuthError(`${at}: ${message.replace(/\.? \(\d+:\d+\)$/, '.')} The file stays as it is.`)
    }
  }

  insert(at: number, text: string): void {
    this.#insertions.push({ at, text: this.text.includes('\r\n') ? text.replace(/\r?\n/g, '\r\n') : text })
  }

  get isChanged(): boolean {
    return this.#insertions.length > 0
  }

  /** Whether the file can be edited: it is a module, or empty. */
  get isModule(): boolean {
    return this.body.length === 0 || this.body.some(({ type }) => /^(Import|Export)/.test(type))
  }

  get result(): string {
    const edit = new MagicString(this.text)
    for (const { at, text } of this.#insertions) edit.appendLeft(at, text)
    return edit.toString()
  }

  /** The insertions in their order, each with its place. */
  get diff(): string {
    const sorted = this.#insertions.filter(({ text }) => text !== ',').sort((one, other) => one.at - other.at)
    return sorted.map(({ at, text }) => `${this.place(at)}\n${text.replace(/^, /, '').trim().replace(/^/gm, '+ ')}`).join('\n')
  }

  /** A place in the file, for people. */
  place(at: number): string {
    return `${relative(process.cwd(), this.file)}:${this.text.slice(0, at).split('\n').length}`
  }

  textOf({ start, end }: Pick<Node, 'start' | 'end'>): string {
    return this.text.slice(start ?? 0, end ?? 0)
  }
}

/** The files of an app, each parsed once. */
export class Sources {
  readonly #opened = new Map<string, Source>()

  /** A file. One that does not exist, or is a placeholder, is empty. */
  open(file: string): Source {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const source = this.#opened.get(file) ?? new Source(file, placeholder.test(text) ? '' : text)
    this.#opened.set(file, source)
    return source
  }

  /** The file that an import names: relative, by a path of tsconfig.json, or in another package of the workspace. */
  resolve(specifier: string, from: string): string | undefined {
    try {
      const url = createJiti(from, { tsconfigPaths: true }).esmResolve(specifier, { parentURL: pathToFileURL(from).href, try: true })
      const file = url?.startsWith('file:') ? realpathSync(fileURLToPath(url)) : ''
      return extension.test(file) && !file.includes(`${sep}node_modules${sep}`) ? file : undefined
    } catch {
      return undefined
    }
  }

  /** The files and all that they import and re-export from, nearest first. Those that do not parse are left out. */
  reachable(files: readonly string[]): Source[] {
    const found = new Set<Source>()
    const queue = new Set(files)
    for (const file of queue) {
      try {
        found.add(this.open(file))
        for (const each of this.open(file).specifiers) queue.add(this.resolve(each, file) ?? file)
      } catch {}
    }
    return [...found]
  }

  /** How one file imports another: as it does already, or by a relative path with the ending of other imports. */
  specifier(from: Source, to: string): string {
    const known = from.specifiers.find((each) => this.resolve(each, from.file) === to)
    if (known) return known
    const others = [from, ...this.#opened.values()].flatMap(({ specifiers }) => specifiers).filter((each) => each.startsWith('.'))
    const usual = extension.exec(others[0] ?? '')?.[0] ?? ''
    const ending = usual.includes('j') ? extname(to).replace('t', 'j').replace('x', '') : usual && extname(to)
    const path = relative(dirname(from.file), to).split(sep).join('/').replace(extension, ending)
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
  return source.body.flatMap((statement) => {
    const isExport = statement.type === 'ExportNamedDeclaration'
    const declaration = (isExport && statement.declaration) || statement
    const declared = declaration.type === 'VariableDeclaration' ? declaration.declarations : [declaration]
    return declared.flatMap((each) => {
      const name = 'id' in each && each.id ? nameOf(each.id) : ''
      const listed = lists.flatMap((one) => (one.type === 'ExportSpecifier' && one.local.name === name ? [nameOf(one.exported)] : []))
      const init = each.type === 'VariableDeclarator' ? each.init : undefined
      return name ? [{ source, name, exports: isExport ? [name, ...listed] : listed, init, start: each.start ?? 0 }] : []
    })
  })
}
