import { access, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { capture, run, step } from '../../support/process.js'
import { root } from '../../support/root.js'
import { versionOf } from '../../support/versions.js'

/** Packs the built package, or that of a workspace, as for a release. */
export async function pack(folder: string, workspace = '.'): Promise<string> {
  await access(join(root, workspace, 'dist')).catch(() => Promise.reject(new Error('dist/ is missing. Run: npm run build')))
  await step('pack', () => run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: join(root, workspace) }))
  const { name, version } = JSON.parse(await readFile(join(root, workspace, 'package.json'), 'utf8'))
  return join(folder, `${name}-${version}.tgz`)
}

/** Creates a project with the packed packages, this version of Drizzle, and the versions of all other packages that are installed here. */
export async function install(folder: string, tarballs: string[], drizzle: string): Promise<void> {
  await mkdir(folder)
  await cp(join(import.meta.dirname, 'app'), folder, { recursive: true })
  await cp(join(root, 'test/support/client.ts'), join(folder, 'client.ts'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'consumer', private: true, type: 'module' }))

  // Since 1.0, drizzle-kit has the same version as Drizzle.
  const kit = drizzle.startsWith('0.') ? await versionOf('drizzle-kit') : drizzle
  const otherNames = ['@auth/core', '@types/better-sqlite3', '@types/node', 'better-sqlite3', 'mysql2', 'postgres', 'typescript']
  const others = await Promise.all(otherNames.map(async (name) => `${name}@${await versionOf(name)}`))
  const wanted = [...tarballs, `drizzle-orm@${drizzle}`, `drizzle-kit@${kit}`, ...others]
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  await step(`drizzle ${drizzle}: install with drizzle-kit ${kit}`, () => run('npm', ['install', ...options, ...wanted], { cwd: folder }))
  await step(`drizzle ${drizzle}: one copy of drizzle-orm, of that version`, () => checkDrizzle(folder, drizzle))
  await copyAddon(folder)
}

async function checkDrizzle(folder: string, drizzle: string): Promise<void> {
  const { code, output } = await capture('npm', ['ls', 'drizzle-orm', '--parseable', '--long'], { cwd: folder })
  const found = new Set(output.match(/drizzle-orm@[\w.-]+/g))
  if (code !== 0 || [...found].join() !== `drizzle-orm@${drizzle}`) throw new Error(output)
}

// The addon is of the same version, and compiling it again would take minutes.
async function copyAddon(folder: string): Promise<void> {
  const addon = join('node_modules', 'better-sqlite3', 'build', 'Release', 'better_sqlite3.node')
  await access(join(root, addon))
  await cp(join(root, addon), join(folder, addon))
}
