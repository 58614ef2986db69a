import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { dirname, extname, join } from 'node:path/posix'
import { findFiles } from '../patterns.js'
import type { Framework, Library } from './libraries.js'
import type { Project } from './project.js'
import { findModule, readText } from './project.js'

/** Where files go in an app, and how they import each other. */
export interface Layout {
  dir: string
  extension: '.ts' | '.js'
  inDir(name: string): string
  /** The folder that contains `app`, with Next.js. Otherwise the folder of the project. */
  root: string
  /** How one file imports another, in quotes. */
  importPath(from: string, to: string): string
}

export function layoutOf({ cwd, usesTypeScript }: Project, { name, hasBundler }: Framework, given: string | undefined): Layout {
  const has = (path: string) => existsSync(join(cwd, path))
  const hasRoutes = (folder: string) => has(join(folder, 'app')) || has(join(folder, 'pages'))
  const withoutSrc = name === 'next' && hasRoutes('.') && !hasRoutes('src')
  const root = name === 'sveltekit' || (has('src') && !withoutSrc) ? 'src' : '.'
  const dir = join(given ?? root)
  const extension = usesTypeScript ? '.ts' : '.js'
  return {
    dir,
    extension,
    root: name === 'next' ? root : '.',
    inDir: (file) => join(dir, file + extension),
    importPath(from, to) {
      const path = relative(dirname(from), to)
        .replace(/\.([cm]?)[jt]sx?$/, hasBundler ? '' : '.$1js')
        .replace(/\/index$/, '')
      return quoted(path.startsWith('.') ? path : `./${path}`)
    },
  }
}

/** A text as JavaScript writes it. */
export const quoted = (text: string) => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** Paths of modules in the folder of the project and in `src`. */
export const placesOf = (...names: string[]) => ['', 'src/'].flatMap((folder) => names.map((name) => folder + name))

/** Where apps configure their library. */
export const authPlaces = placesOf('auth', 'lib/auth', 'server/auth', 'lib/server/auth')

/** Where the tables are, or will be. */
interface TablesPlace {
  file: string
  /** The file has them already. */
  isDone: boolean
  /** The setting `schema` of drizzle-kit that includes the file. */
  schema: string[]
  /** The app's own users table, if Auth.js is to use it. */
  users?: UsersTable | undefined
  /** drizzle-kit reads the file without a change to its configuration. */
  isRead: boolean
}

interface UsersTable {
  file: string
  /** The name of the export. */
  name: string
  hasEmailVerified: boolean
  /** The text of the file. */
  text: string
}

export async function placeTables({ cwd, config }: Project, layout: Layout, library: Library): Promise<TablesPlace> {
  const schema = config?.schema ?? (await findSchema(cwd)) ?? []
  const files = await readSchema(schema, cwd)
  const done = files.find(({ text }) => library.tables.test(text))
  const place = done ? { file: done.file, isRead: true } : await newPlace(schema, cwd, layout, library)
  const text = done?.text ?? (await readText(cwd, place.file)) ?? ''
  const isDone = library.tables.test(text)
  return {
    ...place,
    isDone,
    schema: place.isRead ? schema : [...schema, `./${place.file}`],
    users: library.name === 'authjs' && (!isDone || text.includes('usersTable:')) ? findUsers(files) : undefined,
  }
}

/**
 * A file for the tables, next to those of the app. The app's schema must not re-export it: it may import the users table from there,
 * and a circular import fails.
 */
async function newPlace([schema]: string[], cwd: string, layout: Layout, { schemaName }: Library) {
  const inFolder = (folder: string) => join(folder, `auth-schema${layout.extension}`)
  if (schema === undefined) {
    const plain = layout.inDir(schemaName)
    return { file: existsSync(join(cwd, plain)) ? layout.inDir('auth-schema') : plain, isRead: false }
  }
  const path = join(schema)
  const text = await readText(cwd, path)
  if (text !== undefined) return { file: inFolder(dirname(path)), isRead: text.includes('auth-schema') }
  if (existsSync(join(cwd, path)) || extname(path) === '') return { file: inFolder(path), isRead: true }
  const [, folder = '.', rest] = /^([^*?{[]*\/)?(.*[*?{[].*)$/.exec(schema) ?? []
  if (rest === undefined) return { file: path, isRead: true }
  return { file: inFolder(folder), isRead: /^(\*\*\/)?\*(\.\w+)?$/.test(rest) }
}

const usual = ['db/schema', 'server/db/schema', 'lib/server/db/schema', 'lib/db/schema', 'lib/schema', 'drizzle/schema', 'schema']

/** The app's schema in one of the usual places, if drizzle-kit is not told yet. */
async function findSchema(cwd: string): Promise<string[] | undefined> {
  const paths = ['src', '.'].flatMap((folder) => usual.map((name) => join(folder, name)))
  for (const path of paths.flatMap((path) => ['.ts', '.js', '.mjs', ''].map((end) => path + end)))
    if ((await readSchema([path], cwd)).some(({ text }) => /drizzle-(orm|auth-adapter)\//.test(text))) return [`./${path}`]
  return undefined
}

/** The files that the setting `schema` names, and all files that they re-export. */
async function readSchema(schema: string[], cwd: string): Promise<{ file: string; text: string }[]> {
  const files = new Map<string, string>()
  for (const path of await findFiles(schema, cwd)) {
    const file = relative(cwd, path).replaceAll('\\', '/')
    files.set(file, (await readText(cwd, file)) ?? '')
  }
  // The loop also visits the files that it adds.
  for (const [file, text] of files)
    for (const [, path = ''] of text.matchAll(/^export\s+(?:\*|\{[^}]*\})\s*from\s*["'](\.[^"']*)["']/gm)) {
      const found = await findModule(cwd, [join(dirname(file), path.replace(/\.[cm]?[jt]sx?$/, ''))])
      if (found && !files.has(found.file)) files.set(found.file, found.text)
    }
  return [...files].map(([file, text]) => ({ file, text }))
}

/** The exported table `users` or `user` that has an id and an email. */
function findUsers(files: { file: string; text: string }[]): UsersTable | undefined {
  for (const { file, text } of files) {
    const [code, name] = /^export const (\w+)\s*=\s*[\w.]*[tT]able\(\s*["'`]users?["'`](?:.|\n(?!export|const))*/m.exec(text) ?? []
    const has = (column: string) => new RegExp(`\\b${column}["']?\\s*:`).test(code ?? '')
    if (name && has('id') && has('email')) return { file, name, hasEmailVerified: has('emailVerified'), text }
  }
  return undefined
}

const emailVerified = {
  pg: ['timestamp', "{ mode: 'date', precision: 3 }"],
  mysql: ['datetime', "{ mode: 'date', fsp: 3 }"],
  sqlite: ['integer', "{ mode: 'timestamp_ms' }"],
} as const

/** What the app's own users table needs, so that Auth.js can use it. */
export function usersAdvice({ file, name, hasEmailVerified, text }: UsersTable, dialect: keyof typeof emailVerified) {
  const [type, options] = emailVerified[dialect]
  const isImported = new RegExp(`import[^;]*?\\b${type}\\b[^;]*?from ["']drizzle-orm/`).test(text)
  const lines = [
    ...(isImported ? [] : [`import { ${type} } from 'drizzle-orm/${dialect}-core'`, '']),
    `emailVerified: ${type}(${options}),`,
  ]
  const check = `Check ${name} in ${file}: Auth.js creates users with id, name, email, emailVerified and image. Every other column must be nullable or have a default. A numeric id needs a default, too`
  const add = { title: `Auth.js will use ${name} in ${file}. Add this column to it`, text: lines.join('\n') }
  return [...(hasEmailVerified ? [] : [add]), { title: check }]
}
