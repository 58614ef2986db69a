import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { run, step } from '../../support/process.js'
import { root } from '../../support/root.js'
import type { Snippet } from '../../support/snippets.js'
import { snippets } from '../../support/snippets.js'
import { driversOf, usesOf } from './drivers.js'

const source = join(import.meta.dirname, 'project')
const types = join(root, 'test/types')
const hosts = join(root, 'docs', 'hosts')
const options = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--prefer-offline']

/** Installs the packages that all projects share: the drivers, for their types, and the compilers. */
export async function installShared(folder: string): Promise<void> {
  await cp(join(source, 'package.json'), join(folder, 'package.json'))
  await step('install the drivers and the compilers', () => run('npm', ['install', ...options], { cwd: folder }))
}

/** Creates a project inside the shared folder, with the packed package and one version of Drizzle. Returns its drivers by dialect. */
export async function makeProject(folder: string, tarball: string, drizzle: string): Promise<Map<string, string[]>> {
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true, type: 'module' }))
  const wanted = [tarball, `drizzle-orm@${drizzle}`]
  await step(`drizzle ${drizzle}: install`, () => run('npm', ['install', ...options, ...wanted], { cwd: folder }))
  for (const part of ['tables.ts', 'written', 'tsconfig.json', 'tsconfig.types.json', 'tsconfig.hosts.json'])
    await cp(join(source, part), join(folder, part), { recursive: true })
  await cp(types, join(folder, 'types'), { recursive: true })
  await writeHosts(folder)
  return writeDrivers(folder, drizzle.startsWith('1'))
}

/** The schema that a page does not show, because it is the ordinary one. */
function schemaFor(shown: Snippet[]): string {
  const dialect = shown.some(({ text }) => text.includes('drizzle-auth-adapter/sqlite')) ? 'sqlite' : 'pg'
  return `import { defineTables } from 'drizzle-auth-adapter/${dialect}'\nexport const { usersTable, accountsTable } = defineTables()\n`
}

/** Writes the snippets of docs/hosts, which use the drivers, too. */
async function writeHosts(folder: string): Promise<void> {
  for (const page of await readdir(hosts)) {
    const target = join(folder, 'hosts', basename(page, '.md'))
    await mkdir(target, { recursive: true })
    const shown = await snippets(join('docs', 'hosts', page))
    for (const { file, text } of [{ file: 'schema.ts', text: schemaFor(shown) }, ...shown]) await writeFile(join(target, file), text)
  }
}

/** Writes a file for each driver, and one that uses it. */
async function writeDrivers(folder: string, isCurrent: boolean): Promise<Map<string, string[]>> {
  await mkdir(join(folder, 'uses'))
  const drivers = Object.entries(driversOf(isCurrent))
  for (const [dialect, files] of drivers) {
    await mkdir(join(folder, 'drivers', dialect), { recursive: true })
    for (const [name, code] of Object.entries(files)) {
      await writeFile(join(folder, 'drivers', dialect, `${name}.ts`), code)
      await writeFile(join(folder, 'uses', `${dialect}-${name}.ts`), usesOf(dialect, name))
    }
  }
  return new Map(drivers.map(([dialect, files]) => [dialect, Object.keys(files)]))
}
