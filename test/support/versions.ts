import { readFile } from 'node:fs/promises'
import { cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'
import { root } from './root.js'

/** The version of this package, or of one that is installed in the project or in one of its folders, such as `lab/matrix`. */
export async function versionOf(name: string, folder = ''): Promise<string> {
  const home = name === 'drizzle-auth-adapter' ? root : join(root, folder, 'node_modules', name)
  return JSON.parse(await readFile(join(home, 'package.json'), 'utf8')).version
}

/** The versions of packages by their names. */
export async function versionsOf(names: string[]): Promise<Record<string, string>> {
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await versionOf(name)])))
}

/** The machine on which something was measured. */
export interface Machine {
  date: string
  cpu: string
  cores: number
  memoryGigabytes: number
  system: string
  node: string
}

export function describeMachine(): Machine {
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: platform(),
    node: process.version,
  }
}
