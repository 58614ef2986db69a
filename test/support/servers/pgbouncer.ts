import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { capture } from '../process.js'
import { findOrInstall } from './apt.js'
import { findPort } from './port.js'
import { findAccount, findFolders } from './programs.js'
import type { Log, Server } from './server.js'
import { createNode, withKeeper } from './server.js'

const folders = ['/usr/sbin', '/opt/homebrew/bin', '/opt/homebrew/opt/pgbouncer/bin', '/usr/local/opt/pgbouncer/bin']

/** Starts a private PgBouncer in transaction mode in front of PostgreSQL. As root on Debian or Ubuntu, it installs it if missing. */
export async function startPgBouncer(databaseUrl: string, log: Log): Promise<Server & { title: string }> {
  const bin = await findOrInstall(async () => (await findFolders(['pgbouncer'], folders))[0], ['pgbouncer'], log)
  if (!bin) throw new Error('PgBouncer is not on this machine: install it (apt-get install pgbouncer, brew install pgbouncer)')
  const command = join(bin, 'pgbouncer')
  const title = `PgBouncer ${(await capture(command, ['--version'])).output.match(/[\d.]+/)?.[0] ?? ''}`
  const url = new URL(databaseUrl)
  const port = await findPort()
  return withKeeper('auth-pgbouncer-', async (keeper) => {
    // PgBouncer refuses to run as root.
    const account = await findAccount('postgres')
    if (account) await chown(keeper.folder, account.uid, account.gid)
    const [users, config] = [join(keeper.folder, 'users'), join(keeper.folder, 'config')]
    const lines = [
      '[databases]',
      `* = host=${url.hostname} port=${url.port}`,
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
    await writeFile(users, `"${url.username}" ""\n`)
    await writeFile(config, lines.join('\n'))
    url.port = `${port}`
    const program = { command, args: [config], account, signal: 'SIGINT' as const, ready: /process up/ }
    await createNode(keeper, log, { ...program, name: title, port, url: url.href }).start()
    return { url: url.href, title }
  })
}
