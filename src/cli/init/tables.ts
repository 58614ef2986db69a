import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { dirname, extname, join } from 'node:path/posix'
import { findFiles, matchesPattern } from '../patterns.js'
import type { Layout } from './layout.js'
import type { Project } from './project.js'
import { readText } from './project.js'

/** Where the tables are, or will be. */
export interface TablesPlace {
  file: string
  /** They are there already. */
  isDone: boolean
  /** What drizzle-kit is told. */
  schema: string
  /** What else has to be done by hand. */
  advice: { title: string; text: string }[]
}

export async function placeTables(project: Project, layout: Layout): Promise<TablesPlace> {
  const { cwd, config } = project
  const schema = config?.schema ?? (await findSchema(cwd))
  if (schema === undefined) {
    const plain = layout.inDir('schema')
    const file = existsSync(join(cwd, plain)) ? layout.inDir('auth-schema') : plain
    return { file, isDone: await hasTables(cwd, file), schema: `./${file}`, advice: [] }
  }
  const files = await relativeFiles(schema, cwd)
  for (const file of files) if (await hasTables(cwd, file)) return { file, isDone: true, schema, advice: [] }
  const place = await beside(schema, project, layout)
  return { ...place, isDone: await hasTables(cwd, place.file), schema, advice: [...place.advice, ...(await ownUsers(cwd, files))] }
}

/** A new file among those that drizzle-kit reads already, and what makes drizzle-kit read it. */
async function beside(schema: string, { cwd, config }: Project, layout: Layout): Promise<Pick<TablesPlace, 'file' | 'advice'>> {
  const named = (folder: string, name = 'auth-schema') => join(folder, name + layout.extension)
  if (isPattern(schema, cwd)) {
    const folder = /^[^*?{[]*\//.exec(schema)?.[0] ?? '.'
    const names = ['auth-schema', 'auth/schema', 'auth.schema'].map((name) => named(folder, name))
    const file = names.find((name) => matchesPattern(schema, name, cwd))
    if (file) return { file, advice: [] }
    const own = layout.inDir('auth-schema')
    return { file: own, advice: [{ title: `Add to schema in ${config?.file}`, text: `'./${own}',` }] }
  }
  const path = join(schema)
  const isFolder = await stat(join(cwd, path)).then(
    (found) => found.isDirectory(),
    () => extname(path) === '',
  )
  if (isFolder) return { file: named(path), advice: [] }
  const text = await readText(cwd, path)
  if (text === undefined) return { file: path, advice: [] }
  const file = named(dirname(path))
  const advice = { title: `Add to ${path}`, text: `export * from '${layout.importPath(path, file)}'` }
  return { file, advice: text.includes('auth-schema') ? [] : [advice] }
}

const hasTables = async (cwd: string, file: string) => /drizzle-auth-adapter\/(pg|mysql|sqlite)/.test((await readText(cwd, file)) ?? '')

const isPattern = (schema: string, cwd: string) => /[*?{[]|[@!+]\(/.test(schema) && !existsSync(join(cwd, schema))

const usual = ['db/schema', 'server/db/schema', 'lib/server/db/schema', 'lib/db/schema', 'lib/schema', 'drizzle/schema', 'schema']

/** The app's schema in one of the usual places, if drizzle-kit is not told yet. */
async function findSchema(cwd: string): Promise<string | undefined> {
  const paths = ['src', '.'].flatMap((folder) => usual.map((name) => join(folder, name)))
  for (const path of paths.flatMap((path) => ['.ts', '.js', '.mjs', ''].map((end) => path + end)))
    if (await usesDrizzle(await relativeFiles(path, cwd), cwd)) return `./${path}`
  return undefined
}

async function usesDrizzle(files: string[], cwd: string): Promise<boolean> {
  for (const file of files) if (/drizzle-(orm|auth-adapter)\//.test((await readText(cwd, file)) ?? '')) return true
  return false
}

async function relativeFiles(schema: string, cwd: string): Promise<string[]> {
  return (await findFiles([schema], cwd)).map((file) => relative(cwd, file).replaceAll('\\', '/'))
}

async function ownUsers(cwd: string, files: string[]): Promise<TablesPlace['advice']> {
  for (const file of files)
    if (/Table\(\s*["'`]users?["'`]/.test((await readText(cwd, file)) ?? ''))
      return [
        {
          title: `${file} has a table of users. To sign these users in, pass it to defineTables`,
          text: 'defineTables({ usersTable: users })',
        },
      ]
  return []
}
