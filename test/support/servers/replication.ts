import { join } from 'node:path'
import { install } from './apt.js'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import { findReusablePorts } from './port.js'
import { chooseAccount, findPostgres, initialise } from './postgres.js'
import type { Log } from './server.js'
import { createMember, withKeeper } from './server.js'

// Nothing is synced to disk, because these tests kill processes and not machines.
const settings = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'fsync=off',
  'full_page_writes=off',
  'synchronous_commit=on',
]

/** A PostgreSQL primary with a synchronous replica, which has each commit before the primary acknowledges it. */
export interface Replication {
  readonly primary: { readonly url: string; kill(): Promise<void> }
  readonly replica: { readonly url: string; promote(): Promise<void> }
  stop(): Promise<void>
}

async function start(keeper: Keeper, bin: string, log: Log): Promise<Replication> {
  const account = await chooseAccount(keeper)
  const [port, replicaPort] = (await findReusablePorts(2)) as [number, number]
  const run = (program: string, ...args: string[]) => ({ command: join(bin, program), args, account })
  const server = (name: string, port: number, own: string[]) => ({
    ...run('postgres', '-D', join(keeper.folder, name), '-p', `${port}`, ...[...settings, ...own].flatMap((setting) => ['-c', setting])),
    signal: 'SIGINT' as const,
  })

  await initialise(keeper, bin, join(keeper.folder, 'primary'), account)
  const primary = createMember(keeper, 'primary', port, /ready to accept connections/, log)
  await primary.start(server('primary', port, ['synchronous_standby_names=*']))

  const data = join(keeper.folder, 'replica')
  const source = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres']
  await keeper.run(run('pg_basebackup', '-D', data, ...source, '--write-recovery-conf', '--checkpoint=fast', '--no-sync'))
  const replica = createMember(keeper, 'replica', replicaPort, /started streaming WAL from primary/, log)
  await replica.start(server('replica', replicaPort, []))

  const url = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`
  keeper.release()
  return {
    primary: { url: url(port), kill: primary.kill },
    replica: { url: url(replicaPort), promote: () => keeper.run(run('pg_ctl', '-D', data, 'promote', '--wait')) },
    stop: keeper.stop,
  }
}

/** Starts a private PostgreSQL with a streaming replica. As root on Debian or Ubuntu, it installs PostgreSQL if missing. */
export async function startReplication(log: Log): Promise<Replication> {
  const find = () => findPostgres('pg_ctl', 'pg_basebackup')
  const bin = (await find()) ?? ((await install('postgresql', log)) ? await find() : undefined)
  if (!bin) throw new Error('PostgreSQL is not on this machine: install it (apt-get install postgresql, brew install postgresql@17)')
  return withKeeper(await openKeeper('auth-replication-'), (keeper) => start(keeper, bin, log))
}
