import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { capture } from '../process.js'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import { isRoot } from './programs.js'
import type { Log } from './server.js'

/** A server program, with the arguments that come before all others. */
export interface Mysqld {
  command: string
  args: string[]
}

const suite = 'sid'
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

async function isDebian() {
  return /^ID="?debian"?$/m.test(await readFile('/etc/os-release', 'utf8').catch(() => ''))
}

/** The mirror that this system's own packages come from. */
async function findMirror() {
  const { output } = await capture('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'])
  const mirror = output.split('\n').find((uri) => /\/debian\/?$/.test(uri))
  if (mirror) return mirror
  throw new Error('Cannot fetch MySQL: apt has no Debian mirror in its sources. Set MYSQL_URL, or install MySQL yourself')
}

/** Finds mysqld in an unpacked tree. Its C library is newer than the system's, so it must be run with the loader of the same tree. */
async function findMysqld(root: string): Promise<Mysqld | undefined> {
  const mysqld = join(root, 'usr/sbin/mysqld')
  for (const triplet of await readdir(join(root, 'usr/lib')).catch(() => [])) {
    const libraries = join(root, 'usr/lib', triplet)
    const loader = (await readdir(libraries).catch(() => [])).find((name) => name.startsWith('ld-linux'))
    if (!loader) continue
    const command = join(libraries, loader)
    const args = ['--library-path', libraries, mysqld]
    if ((await capture(command, [...args, '--no-defaults', '--version'])).code === 0) return { command, args }
  }
  return undefined
}

async function unpack(keeper: Keeper, root: string) {
  const state = join(keeper.folder, 'apt')
  const archives = join(state, 'cache/archives')
  await mkdir(join(state, 'lists/partial'), { recursive: true })
  await mkdir(join(archives, 'partial'), { recursive: true })
  await mkdir(root)
  await writeFile(join(state, 'sources.list'), `deb [signed-by=${keyring}] ${await findMirror()} ${suite} main\n`)
  // With no package known as installed, apt fetches every library too, the C library included.
  await writeFile(join(state, 'status'), '')
  const options = {
    'Dir::Etc::sourcelist': join(state, 'sources.list'),
    'Dir::Etc::sourceparts': '-',
    'Dir::State::lists': join(state, 'lists'),
    'Dir::State::status': join(state, 'status'),
    'Dir::Cache': join(state, 'cache'),
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
  }
  const args = [...Object.entries(options).flatMap(([key, value]) => ['-o', `${key}=${value}`]), '-y', '-q']
  await keeper.run({ command: 'apt-get', args: [...args, 'update'] })
  await keeper.run({ command: 'apt-get', args: [...args, '--download-only', 'install', 'mysql-server-core'] })
  for (const name of (await readdir(archives)).filter((name) => name.endsWith('.deb'))) {
    await keeper.run({ command: 'dpkg-deb', args: ['--extract', join(archives, name), root] })
  }
}

/** Unpacks Oracle's MySQL into a temporary folder, without installing anything. Debian has it in its unstable suite only. */
export async function unpackMysql(log: Log): Promise<Mysqld | undefined> {
  if (!isRoot || !(await isDebian())) return undefined
  const cache = join(tmpdir(), 'drizzle-auth-adapter-mysql')
  const status = await lstat(cache).catch(() => undefined)
  // Any user can create a folder of this name, and its programs would be run as root.
  if (status && (status.uid !== 0 || !status.isDirectory())) throw new Error(`${cache} is not a folder that root owns: remove it`)
  const cached = await findMysqld(cache)
  if (cached) return cached

  // The cache may exist and be incomplete, because systems remove old files from the temporary folder.
  await rm(cache, { recursive: true, force: true })
  log(`unpacking MySQL of Debian ${suite} into ${cache} (once, about half a minute)`)
  // Beside the cache, because a folder cannot be renamed across file systems.
  const keeper = await openKeeper('auth-unpack-', tmpdir())
  try {
    const root = join(keeper.folder, 'root')
    await unpack(keeper, root)
    if (!(await findMysqld(root))) throw new Error('The MySQL of Debian unstable does not run on this machine: set MYSQL_URL')
    // Renaming is atomic, so the cache never appears half written. If another run was first, its copy is used.
    await rename(root, cache).catch((error) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    return await findMysqld(cache)
  } finally {
    await keeper.stop()
  }
}
