import { readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { root } from '../support/root.js'

/** A name that a file declares, imports or passes on: the file where it comes from, and its name there. */
interface Origin {
  file: string
  name: string
}

interface Declarations {
  /** The statements that declare a name. An overloaded function has several. */
  declared: Map<string, string[]>
  imported: Map<string, Origin>
  exported: Map<string, Origin>
  /** The files of `export * from`. */
  all: string[]
}

const dist = join(root, 'dist')
const sources = new Map<string, Promise<Declarations>>()

/** Reads a declaration file of the build. The compiler begins each statement at the start of a line. */
function declarationsOf(file: string): Promise<Declarations> {
  const known = sources.get(file) ?? read(file)
  sources.set(file, known)
  return known
}

/** The declaration file that an import means. Packages keep their names. */
const fileOf = (path: string, from: string) => (path.startsWith('.') ? posix.join(dirname(from), path).replace(/\.js$/, '.d.ts') : path)

async function read(file: string): Promise<Declarations> {
  const text = (await readFile(join(dist, file), 'utf8')).replace(/\/\*\*[\s\S]*?\*\/\s*|^\/\/.*$/gm, '')
  const found: Declarations = { declared: new Map(), imported: new Map(), exported: new Map(), all: [] }
  for (const statement of text.split(/^(?=(?:import|export|declare|type|interface)\b)/m).map((each) => each.trim())) {
    if (!statement || statement === 'export {};') continue
    const [, path] = /from ['"](.+)['"];$/.exec(statement) ?? []
    const origin = path ? fileOf(path, file) : file
    const [, keyword, list] = /^(import|export)(?: type)? (?:\{(.*)\}|\*).*;$/s.exec(statement) ?? []
    const [, name] = /^(?:export )?(?:declare )?(?:abstract )?(?:function|const|class|type|interface) ([\w$]+)/.exec(statement) ?? []
    if (keyword && list === undefined) found.all.push(origin)
    else if (keyword && list)
      for (const [, from = '', to = from] of list.matchAll(/([\w$]+)(?: as ([\w$]+))?/g))
        (keyword === 'import' ? found.imported : found.exported).set(to, { file: origin, name: from })
    else if (name) {
      found.declared.set(name, [...(found.declared.get(name) ?? []), statement])
      if (statement.startsWith('export')) found.exported.set(name, { file, name })
    } else throw new Error(`${file} has a statement that test/package/api.ts cannot read:\n${statement}`)
  }
  return found
}

async function exportsOf(file: string): Promise<Map<string, Origin>> {
  const { exported, all } = await declarationsOf(file)
  const others = await Promise.all(all.map(exportsOf))
  return new Map([...others.flatMap((each) => [...each]), ...exported])
}

/** Follows a name to the file that declares it. */
async function declarationOf({ file, name }: Origin): Promise<Origin | undefined> {
  if (!file.endsWith('.d.ts')) return undefined
  const { declared, imported } = await declarationsOf(file)
  if (declared.has(name)) return { file, name }
  const next = imported.get(name) ?? (await exportsOf(file)).get(name)
  return next && declarationOf(next)
}

/** The names that each entry point exports, and the declarations of all types that they mention, without comments. */
export async function describeApi(): Promise<string> {
  const { name, exports } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    name: string
    exports: Record<string, string>
  }
  const lines = [
    '# The public API',
    '',
    'A test compares this page with the build. `npm run build && npx vitest run test/package/api.test.ts -u` writes it.',
    '',
  ]
  const exportedNames: Origin[] = []
  for (const [path, target] of Object.entries(exports).filter(([path, target]) => target.endsWith('.js') && path !== './internal')) {
    const exported = await exportsOf(target.replace('./dist/', '').replace(/\.js$/, '.d.ts'))
    lines.push(`- \`${path.replace('.', name)}\`: ${[...exported.keys()].sort().join(', ')}`)
    exportedNames.push(...exported.values())
  }
  for (const [file, statements] of await mentioned(exportedNames)) lines.push('', `## ${file}`, '', '```ts', ...statements, '```')
  return `${lines.join('\n')}\n`
}

/** The declarations of the names and of what they mention, by file. */
async function mentioned(names: Origin[]): Promise<[file: string, statements: string[]][]> {
  const found = new Map<string, Map<string, string[]>>()
  // The loop also visits the names that it adds.
  for (const each of names) {
    const origin = await declarationOf(each)
    if (!origin || found.get(origin.file)?.has(origin.name)) continue
    const { declared, imported } = await declarationsOf(origin.file)
    const statements = declared.get(origin.name) ?? []
    found.set(origin.file, (found.get(origin.file) ?? new Map()).set(origin.name, statements))
    const text = statements.join('\n')
    for (const [, path = '', word = ''] of text.matchAll(/import\("(.+?)"\)\.([\w$]+)/g))
      names.push({ file: fileOf(path, origin.file), name: word })
    // A name before a colon or a parenthesis is that of a property or a method.
    for (const [word] of text.matchAll(/(?<![\w$.])[\w$]+(?![\w$]|\??:|\()/g))
      if (declared.has(word) || imported.has(word)) names.push({ file: origin.file, name: word })
  }
  const sorted = <T>(entries: Iterable<[string, T]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1))
  return sorted(found).map(([file, statements]) => [file, sorted(statements).flatMap(([, each]) => each)])
}
