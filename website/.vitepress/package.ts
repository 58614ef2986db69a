import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The folder of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '')

interface Package {
  name: string
  description: string
  version: string
  exports: Record<string, string>
  repository?: string | { url: string }
}

export const { name, description, version, exports, repository }: Package = JSON.parse(readFileSync(`${root}/package.json`, 'utf8'))

/** The entry points of the package: the name that people import, and the source file. */
export const entryPoints = Object.entries(exports)
  .filter(([, file]) => file.endsWith('.js'))
  .map(([path, file]) => ({ name: path.replace(/^\./, name), source: file.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts') }))

/** The address of the repository on GitHub, from `repository` of package.json. Without it, links to source files are plain text. */
export const repositoryAddress = addressOf(typeof repository === 'object' ? repository.url : repository)

function addressOf(value: string | undefined): string | undefined {
  if (!value) return undefined
  const [, path] =
    /^(?:git\+)?(?:https:\/\/github\.com\/|git@github\.com:|ssh:\/\/git@github\.com\/|github:)?([\w-]+\/[\w.-]+?)(?:\.git)?$/.exec(value) ??
    []
  if (!path) throw new Error(`package.json: repository ${JSON.stringify(value)} is not on GitHub. Expected https://github.com/owner/name`)
  return `https://github.com/${path}`
}
