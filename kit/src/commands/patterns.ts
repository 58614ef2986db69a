import { existsSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, parse as parsePath, sep } from 'node:path'

const isModule = (file: string) => /(?<!\.d)\.[cm]?[jt]sx?$/.test(file)

/** The files that paths and patterns name, as drizzle-kit reads them: a folder stands for the modules in it. */
export async function findFiles(patterns: string[], cwd: string): Promise<string[]> {
  const found = await Promise.all(patterns.map((pattern) => (pattern === '' ? [] : filesOf(pattern, cwd))))
  return [...new Set(found.flat())]
}

async function filesOf(pattern: string, cwd: string): Promise<string[]> {
  const { base, globs } = parse(pattern, cwd)
  const paths = await Promise.all(globs.map((glob) => pathsOf(base, glob)))
  const files = await Promise.all(paths.flat().map((path) => modulesOf(path, path === base)))
  return files.flat().sort()
}

/** A file, or the modules in a folder. Only a file that is named without a pattern may have any ending. */
async function modulesOf(path: string, isNamed: boolean): Promise<string[]> {
  const kind = await stat(path).catch(() => undefined)
  if (kind?.isFile()) return isNamed || isModule(path) ? [path] : []
  return (await entriesOf(path)).filter((entry) => !entry.isDirectory() && isModule(entry.name)).map(({ name }) => join(path, name))
}

const entriesOf = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => [])

/** What a pattern matches below a folder. */
async function pathsOf(folder: string, [segment, ...rest]: string[]): Promise<string[]> {
  if (segment === undefined) return [folder]
  if (segment === '..') return pathsOf(join(folder, segment), rest)
  const matches = matcherOf(segment)
  const entries = (await entriesOf(folder)).filter(({ name }) => matches(name))
  if (segment !== '**') return (await Promise.all(entries.map(({ name }) => pathsOf(join(folder, name), rest)))).flat()
  const folders = entries.filter((entry) => entry.isDirectory())
  const below = await Promise.all(folders.map(({ name }) => pathsOf(join(folder, name), [segment, ...rest])))
  return [...(await pathsOf(folder, rest)), ...below.flat()]
}

/** Splits a pattern into the leading path that exists, which is taken literally, and the globs to match below it. */
function parse(pattern: string, cwd: string): { base: string; globs: string[][] } {
  const own = pattern.startsWith(cwd + sep) ? pattern.slice(cwd.length + 1) : pattern
  const text = sep === '\\' ? own.replaceAll(sep, '/') : own
  const { root } = parsePath(text)
  let base = root || cwd
  const segments = text.slice(root.length).split('/')
  while (segments.length > 0 && existsSync(join(base, segments[0] as string))) base = join(base, segments.shift() as string)
  const globs = expandBraces(segments.join('/')).map((glob) => glob.split('/').filter((segment) => segment !== '' && segment !== '.'))
  return { base, globs }
}

/** `{a,b}` stands for each of its alternatives, and `{a}` for itself. */
function expandBraces(pattern: string): string[] {
  const [, before, alternatives, after] = /^(.*?)(?<!\\)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(pattern) ?? []
  if (alternatives === undefined) return [pattern]
  return alternatives.split(',').flatMap((alternative) => expandBraces(before + alternative + after))
}

/** Whether a name matches a part of a pattern. Wildcards match neither hidden files nor node_modules. */
function matcherOf(segment: string): (name: string) => boolean {
  const pattern = new RegExp(`^${/^\\?\./.test(segment) ? '' : '(?!\\.)'}${sourceOf(segment)}$`, 'su')
  return (name) => pattern.test(name) && (name !== 'node_modules' || segment === name)
}

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

// An escaped character, a class, a group as in !(a|b), a wildcard, or any other character.
const tokens = /\\(?<escaped>.)|\[(?<not>[!^]?)(?<members>\]?[^\]]*)\]|(?<kind>[@!?*+])\((?<group>[^()]*)\)|\*+|\?|./gsu

/** `*`, `?`, `[ab]`, `[!a-z]`, `@(a|b)`, `?(a)`, `*(a)`, `+(a)` and `!(a)` as a regular expression. */
function sourceOf(glob: string): string {
  return glob.replace(tokens, (token, ...rest) => {
    const { escaped, not, members, kind, group } = rest.at(-1) as Record<string, string | undefined>
    if (escaped !== undefined) return literal(escaped)
    if (members !== undefined) return classOf(not ? '^' : '', members) ?? literal(token)
    if (kind === undefined || group === undefined) return token === '?' ? '.' : token.startsWith('*') ? '.*' : literal(token)
    const alternatives = `(?:${group.split('|').map(sourceOf).join('|')})`
    if (kind !== '!') return alternatives + (kind === '@' ? '' : kind)
    const after = glob.slice((rest.at(-3) as number) + token.length)
    return `(?!${alternatives}${sourceOf(after)}$).*`
  })
}

/** Returns undefined if it is not a character class, such as the folder [user-id]. */
function classOf(not: string, members: string): string | undefined {
  const source = `[${not}${members.replace(/[\\\][]/g, '\\$&')}]`
  try {
    return new RegExp(source, 'u').source
  } catch {
    return undefined
  }
}
