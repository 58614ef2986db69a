import { writeFileSync } from 'node:fs'
import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { capture } from '../process.js'
import { install } from './apt.js'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import { findAccount, findFolders, isRoot } from './programs.js'
import type { Log } from './server.js'
import { serve, withKeeper } from './server.js'

const folders = ['/usr/sbin', '/opt/homebrew/bin', '/opt/homebrew/opt/pgbouncer/bin', '/usr/local/opt/pgbouncer/bin']

async function start(keeper: Keeper, bin: string, database: URL, log: Log) {
  // PgBouncer refuses to run as root.
  const account = isRoot ? await findAccount('postgres') : undefined
  if (account) await chown(keeper.folder, account.uid, account.gid)
  const users = join(keeper.folder, 'users')
  writeFileSync(users, `"${database.username}" ""\n`)
  const writeConfig = (port: number) => {
    const file = join(keeper.folder, `${port}.ini`)
    const lines = [
      '[databases]',
      `* = host=${database.hostname} port=${database.port}`,
      '[pgbouncer]',
      'listen_addr = 127.0.0.1',
      `listen_port = ${port}`,
      'unix_socket_dir =',
      'auth_type = trust',
      `auth_file = ${users}`,
      'pool_mode = transaction',
      // Few server connections for many clients, so that a client's statements often run on a connection that another client used.
      'default_pool_size = 3',
      'max_client_conn = 300',
    ]
    writeFileSync(file, lines.join('\n'))
    return file
  }
  const title = `PgBouncer ${(await capture(join(bin, 'pgbouncer'), ['--version'])).output.match(/[\d.]+/)?.[0] ?? ''}`
  const program = (port: number) => ({ command: join(bin, 'pgbouncer'), args: [writeConfig(port)], account, signal: 'SIGINT' as const })
  const { port, stop } = await serve(keeper, title, program, log, /process up/)
  const url = new URL(database)
  url.port = `${port}`
  return { url: url.href, title, stop }
}

/** Starts a private PgBouncer in transaction mode in front of PostgreSQL. As root on Debian or Ubuntu, it installs it if missing. */
export async function startPgBouncer(databaseUrl: string, log: Log) {
  const find = () => findFolders(['pgbouncer'], folders)
  let [bin] = await find()
  if (!bin && (await install('pgbouncer', log))) [bin] = await find()
  if (!bin) throw new Error('PgBouncer is not on this machine: install it (apt-get install pgbouncer, brew install pgbouncer)')
  return withKeeper(await openKeeper('auth-pgbouncer-'), (keeper) => start(keeper, bin, new URL(databaseUrl), log))
}
