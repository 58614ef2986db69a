import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { dirname, extname, join } from 'node:path/posix'
import { findFiles, matchesPattern } from '../patterns.js'
import type { Layout } from './layout.js'
import { findModule, quoted } from './layout.js'
import type { Library } from './library.js'
import type { Project } from './project.js'
import { readText } from './project.js'

/** Where the tables are, or will be. */
export interface TablesPlace {
  file: string
  /** The file has them already. */
  isDone: boolean
  /** The setting `schema` of drizzle-kit that includes the file. */
  schema: string[]
  /** The app's own users table, if Auth.js is to use it. */
  users?: UsersTable | undefined
  /** The names of the app's columns, if they are not those in code. */
  casing?: 'snake_case' | undefined
  /** The change to the app's drizzle.config.ts that makes drizzle-kit read the file. */
  advice: { title: string; text: string }[]
}

export interface UsersTable {
  file: string
  /** The name of the export. */
  name: string
  hasEmailVerified: boolean
  /** The columns that Auth.js does not always fill, although an insert must. */
  required: string[]
  /** Whether the columns are given names in snake_case. */
  isSnakeCase: boolean
  /** The text of the file. */
  text: string
}

export async function placeTables(project: Project, layout: Layout, library: Library): Promise<TablesPlace> {
  const { hasTables, takesUsers, schemaNames } = library
  const { cwd, config } = project
  const schema = config?.schema ?? (await findSchema(cwd)) ?? []
  const files = await schemaFiles(schema, cwd)
  const users = takesUsers ? await findUsers(cwd, files) : undefined
  const place = (await placeWithTables(cwd, files, hasTables)) ?? (await newPlace(schema, cwd, layout, schemaNames))
  const text = (await readText(cwd, place.file)) ?? ''
  const isDone = hasTables(text)
  const all = place.isRead ? schema : [...schema, `./${place.file}`]
  return {
    file: place.file,
    isDone,
    schema: all,
    users: !isDone || text.includes('usersTable:') ? users : undefined,
    casing: config?.casing ?? (await casingOf(cwd, files)),
    advice: config && !place.isRead ? [schemaAdvice(config.file, place.file, all)] : [],
  }
}

function schemaAdvice(config: string, file: string, schema: string[]): TablesPlace['advice'][number] {
  const isJson = config.endsWith('.json')
  const list = schema.map((path) => (isJson ? JSON.stringify(path) : quoted(path))).join(', ')
  return { title: `So that drizzle-kit reads ${file}, set in ${config}`, text: `${isJson ? '"schema"' : 'schema'}: [${list}],` }
}

interface Place {
  file: string
  /** drizzle-kit reads the file without a change to its configuration. */
  isRead: boolean
}

async function placeWithTables(cwd: string, files: string[], hasTables: Library['hasTables']): Promise<Place | undefined> {
  for (const file of files) if (hasTables((await readText(cwd, file)) ?? '')) return { file, isRead: true }
  return undefined
}

/**
 * A file for the tables, next to those of the app. The app's schema must not re-export it: it may import the users table from there,
 * and a circular import fails.
 */
async function newPlace([schema]: string[], cwd: string, layout: Layout, [alone, beside]: Library['schemaNames']): Promise<Place> {
  const named = (folder: string, name = beside) => join(folder, name + layout.extension)
  if (schema === undefined) {
    const plain = layout.inDir(alone)
    return { file: existsSync(join(cwd, plain)) ? layout.inDir(beside) : plain, isRead: false }
  }
  if (isPattern(schema, cwd)) {
    const folder = /^[^*?{[]*\//.exec(schema)?.[0] ?? '.'
    const names = ['auth-schema', 'auth/schema', 'auth.schema'].map((name) => named(folder, name))
    const file = names.find((name) => matchesPattern(schema, name, cwd))
    return file ? { file, isRead: true } : { file: layout.inDir('auth-schema'), isRead: false }
  }
  const path = join(schema)
  const isFolder = await stat(join(cwd, path)).then(
    (found) => found.isDirectory(),
    () => extname(path) === '',
  )
  if (isFolder) return { file: named(path), isRead: true }
  const text = await readText(cwd, path)
  if (text === undefined) return { file: path, isRead: true }
  return { file: named(dirname(path)), isRead: text.includes('auth-schema') }
}

const isPattern = (schema: string, cwd: string) => /[*?{[]|[@!+]\(/.test(schema) && !existsSync(join(cwd, schema))

const usual = ['db/schema', 'server/db/schema', 'lib/server/db/schema', 'lib/db/schema', 'lib/schema', 'drizzle/schema', 'schema']

/** The app's schema in one of the usual places, if drizzle-kit is not told yet. */
async function findSchema(cwd: string): Promise<string[] | undefined> {
  const paths = ['src', '.'].flatMap((folder) => usual.map((name) => join(folder, name)))
  for (const path of paths.flatMap((path) => ['.ts', '.js', '.mjs', ''].map((end) => path + end)))
    if (await usesDrizzle(await schemaFiles([path], cwd), cwd)) return [`./${path}`]
  return undefined
}

async function usesDrizzle(files: string[], cwd: string): Promise<boolean> {
  for (const file of files) if (/drizzle-(orm|auth-adapter)\//.test((await readText(cwd, file)) ?? '')) return true
  return false
}

/** The files that the setting `schema` names, and all files that they re-export. */
async function schemaFiles(schema: string[], cwd: string): Promise<string[]> {
  const files = new Set((await findFiles(schema, cwd)).map((file) => relative(cwd, file).replaceAll('\\', '/')))
  // The loop also visits the files that it adds.
  for (const file of files)
    for (const [, path = ''] of ((await readText(cwd, file)) ?? '').matchAll(reexport)) {
      const found = await findModule(cwd, [join(dirname(file), path.replace(/\.[cm]?[jt]sx?$/, ''))])
      if (found) files.add(found.file)
    }
  return [...files]
}

const reexport = /^export\s+(?:\*|\{[^}]*\})\s*from\s*["'](\.[^"']*)["']/gm

/** The exported table `users` or `user` that has an id and an email. */
async function findUsers(cwd: string, files: string[]): Promise<UsersTable | undefined> {
  for (const file of files) {
    const text = (await readText(cwd, file)) ?? ''
    const found = /export const (\w+)\s*=\s*[\w.]*[tT]able\(\s*["'`]users?["'`]/.exec(text)
    if (!found) continue
    const table = callIn(text.slice(found.index))
    const columns = columnsOf(table)
    if (!columns.has('id') || !columns.has('email')) continue
    const required = [...columns].filter(([name, definition]) => !/^(id|email)$/.test(name) && isRequired(definition))
    return {
      file,
      name: found[1] as string,
      hasEmailVerified: columns.has('emailVerified'),
      required: required.map(([name]) => name),
      isSnakeCase: isSnakeCase(table),
      text,
    }
  }
  return undefined
}

/** The text up to the end of its first call. */
function callIn(text: string): string {
  let depth = 0
  for (const { 0: bracket, index } of text.matchAll(/[()]/g)) {
    depth += bracket === '(' ? 1 : -1
    if (depth === 0) return text.slice(0, index)
  }
  return text
}

const bracketDepth: Record<string, number> = { '(': 1, '[': 1, '{': 1, ')': -1, ']': -1, '}': -1 }

/** The columns of a table, with the text that defines them: the properties of its first object. */
function columnsOf(table: string): Map<string, string> {
  const parts = ['']
  let depth = 0
  for (const [token] of table.slice(table.indexOf('{')).matchAll(/(["'`])(?:\\.|(?!\1)[^\\])*\1|\/\/.*|\/\*[\s\S]*?\*\/|[\s\S]/g)) {
    if (/^\/[/*]/.test(token)) continue
    depth += bracketDepth[token] ?? 0
    if (depth === 0) break
    if (depth === 1 && token === ',') parts.push('')
    else parts.push(parts.pop() + token)
  }
  const properties = parts.flatMap((part) => {
    const [, name, definition] = /^[\s{]*["']?(\w+)["']?\s*:\s*([\s\S]*)$/.exec(part) ?? []
    return name && definition ? [[name, definition] as const] : []
  })
  return new Map(properties)
}

const isRequired = (definition: string) =>
  /\.(notNull|primaryKey)\(/.test(definition) &&
  !/\.(\$?default|\$onUpdate|generated)\w*\(/.test(definition) &&
  !/^[\w.]*serial\(/i.test(definition)

/** Whether columns are given names, and in snake_case. */
function isSnakeCase(text: string): boolean {
  const names = [...text.matchAll(/:\s*[\w.]+\(\s*["'`](\w+)["'`]/g)].map(([, name]) => name as string)
  return /snakeCase\.table\(/.test(text) || (names.some((name) => name.includes('_')) && !names.some((name) => /[A-Z]/.test(name)))
}

async function casingOf(cwd: string, files: string[]): Promise<'snake_case' | undefined> {
  const texts = await Promise.all(files.map((file) => readText(cwd, file)))
  return isSnakeCase(texts.join('\n')) ? 'snake_case' : undefined
}
