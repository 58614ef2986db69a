import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import type { Keeper } from './keeper.js'
import { findPort } from './port.js'
import type { Account } from './programs.js'
import { findAccount, findFolders, isRoot } from './programs.js'
import type { Log, Node, PrivateServer } from './server.js'
import { createNode, withKeeper } from './server.js'

const stopSignal = 'SIGINT'

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

/** Creates the data folder of a new server. Returns the account to run it as, which owns the keeper's folder. */
export async function prepareFolder(keeper: Keeper, bin: string, data: string): Promise<Account | undefined> {
  const account = await findAccount('postgres')
  if (isRoot && !account)
    throw new Error('PostgreSQL refuses to run as root and there is no account postgres to run it as: add one, or set PG_URL')
  if (account) await chown(keeper.folder, account.uid, account.gid)
  const initdb = (locale: string) => {
    const args = ['-D', join(keeper.folder, data), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', `--locale=${locale}`]
    return keeper.run({ command: join(bin, 'initdb'), args, account })
  }
  // Not every system has the locale C.UTF-8. A failed initdb leaves no data folder.
  await initdb('C.UTF-8').catch(() => initdb('C'))
  return account
}

/** A server with this data folder, which is not started yet. */
export function createPostgres(
  keeper: Keeper,
  bin: string,
  data: string,
  port: number,
  account: Account | undefined,
  log: Log,
  ready = /ready to accept connections/,
): Node {
  return createNode(keeper, log, {
    name: `PostgreSQL ${data}`,
    port,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    command: join(bin, 'postgres'),
    args: ['-D', join(keeper.folder, data), '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])],
    account,
    // A fast shutdown. SIGTERM would wait until all clients have disconnected.
    signal: stopSignal,
    ready,
  })
}

/** The folder with the server programs of PostgreSQL and with all the further ones that are named; undefined if there is none. */
export async function findPostgres(...more: string[]): Promise<string | undefined> {
  return (await findFolders(['initdb', 'postgres', ...more], folders))[0]
}

/** Starts a private PostgreSQL with the binaries of a folder, by default those on this machine. Returns undefined if there are none. */
export async function startPostgres(log: Log, folder?: string): Promise<PrivateServer | undefined> {
  const bin = folder ?? (await findPostgres())
  if (!bin) return undefined
  return withKeeper('auth-pg-', async (keeper) => {
    const account = await prepareFolder(keeper, bin, 'data')
    const node = createPostgres(keeper, bin, 'data', await findPort(), account, log)
    await node.start()
    const restart = async () => {
      await node.kill(stopSignal)
      await node.start()
    }
    return { url: node.url, data: join(keeper.folder, 'data'), restart }
  })
}
