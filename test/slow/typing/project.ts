import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { run, step } from '../../support/process.js'
import { root } from '../../support/root.js'
import type { Snippet } from '../../support/snippets.js'
import { snippets } from '../../support/snippets.js'

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
  for (const drivers of ['drivers', `drivers-${drizzle.split('.')[0]}`])
    await cp(join(source, drivers), join(folder, 'drivers'), { recursive: true })
  await writeHosts(folder)
  return writeUses(folder)
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

// Writes a copy of project/uses/<dialect>.ts for each driver of the dialect.
async function writeUses(folder: string): Promise<Map<string, string[]>> {
  await mkdir(join(folder, 'uses'))
  const drivers = new Map<string, string[]>()
  for (const dialect of await readdir(join(folder, 'drivers'))) {
    const uses = await readFile(join(source, 'uses', `${dialect}.ts`), 'utf8')
    const names = (await readdir(join(folder, 'drivers', dialect))).map((file) => basename(file, '.ts'))
    for (const name of names)
      await writeFile(join(folder, 'uses', `${dialect}-${name}.ts`), uses.replace('../driver.js', `../drivers/${dialect}/${name}.js`))
    drivers.set(dialect, names)
  }
  return drivers
}
