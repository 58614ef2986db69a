import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path/posix'
import type { Framework } from './frameworks.js'
import type { Project } from './project.js'
import { readText } from './project.js'

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
  const hasRoutes = (folder: string) => ['app', 'pages'].some((name) => has(join(folder, name)))
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

const ends = ['.ts', '.js', '.mjs', '.tsx', '.mts', '/index.ts', '/index.js']

/** The first of these modules that exists, and its text. The names have no extension. */
export async function findModule(cwd: string, names: string[], isIt: (text: string) => boolean = () => true) {
  for (const file of new Set(names.flatMap((name) => ends.map((end) => join(name + end))))) {
    const text = await readText(cwd, file)
    if (text !== undefined && isIt(text)) return { file, text }
  }
  return undefined
}
