import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

interface Package {
  name: string
  description: string
  version: string
  exports: Record<string, string>
  repository: { url: string }
}

export const { name, description, version, exports, repository }: Package = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))

/** The entry points of the package: the name that people import, and the source file. */
export const entryPoints = Object.entries(exports)
  .filter(([path, file]) => file.endsWith('.js') && path !== './internal')
  .map(([path, file]) => ({ name: path.replace(/^\./, name), source: file.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts') }))

const [, path = ''] = /github\.com\/([\w-]+\/[\w.-]+)\.git$/.exec(repository.url) ?? []

/** The address of the repository on GitHub. While package.json has the placeholder OWNER, links to source files are plain text. */
export const repositoryAddress = /^(OWNER\/|$)/.test(path) ? undefined : `https://github.com/${path}`
