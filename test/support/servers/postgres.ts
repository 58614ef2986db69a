import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { capture } from '../process.js'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import type { Account } from './programs.js'
import { findAccount, findFolders, isRoot } from './programs.js'
import type { Log, PrivateServer } from './server.js'
import { serve, withKeeper } from './server.js'

const folders = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/home/linuxbrew/.linuxbrew/opt/postgresql*/bin',
]

const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
]

/** The account to run PostgreSQL as. It becomes the owner of the keeper's folder. */
export async function chooseAccount(keeper: Keeper): Promise<Account | undefined> {
  const account = await findAccount('postgres')
  if (isRoot && !account) {
    throw new Error('PostgreSQL refuses to run as root and there is no account postgres to run it as: add one, or set PG_URL')
  }
  if (account) await chown(keeper.folder, account.uid, account.gid)
  return account
}

/** Creates the data folder of a new server. */
export async function initialise(keeper: Keeper, bin: string, data: string, account: Account | undefined): Promise<void> {
  const initdb = (locale: string) => {
    const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', `--locale=${locale}`]
    return keeper.run({ command: join(bin, 'initdb'), args, account })
  }
  // Not every system has the locale C.UTF-8. A failed initdb leaves no data folder.
  await initdb('C.UTF-8').catch(() => initdb('C'))
}

/** The folder with the server programs of PostgreSQL and with all the further ones that are named; undefined if there is none. */
export async function findPostgres(...more: string[]): Promise<string | undefined> {
  return (await findFolders(['initdb', 'postgres', ...more], folders))[0]
}

async function start(keeper: Keeper, bin: string, log: Log): Promise<PrivateServer> {
  const account = await chooseAccount(keeper)
  const data = join(keeper.folder, 'data')
  await initialise(keeper, bin, data, account)

  const version = (await capture(join(bin, 'postgres'), ['--version'])).output.match(/\d+/)?.[0] ?? ''
  const { port, stop, restart } = await serve(
    keeper,
    `PostgreSQL ${version}`.trim(),
    (port) => ({
      command: join(bin, 'postgres'),
      args: ['-D', data, '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])],
      account,
      // A fast shutdown. SIGTERM would wait until all clients have disconnected.
      signal: 'SIGINT',
    }),
    log,
  )
  return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, data, stop, restart }
}

/** Starts a private PostgreSQL with the binaries of a folder, by default those on this machine. Returns undefined if there are none. */
export async function startPostgres(log: Log, folder?: string): Promise<PrivateServer | undefined> {
  const bin = folder ?? (await findPostgres())
  return bin ? withKeeper(await openKeeper('auth-pg-'), (keeper) => start(keeper, bin, log)) : undefined
}
