import { join } from 'node:path'
import { findOrInstall } from './apt.js'
import { findPorts } from './port.js'
import { createPostgres, findPostgres, prepareFolder } from './postgres.js'
import type { Log, Node, Server } from './server.js'
import { withKeeper } from './server.js'

/** A PostgreSQL primary with a synchronous replica, which has each commit before the primary acknowledges it. */
export interface Replication extends Omit<Server, 'url'> {
  primary: Node
  replica: Node & { promote(): Promise<void> }
}

/** Starts a private PostgreSQL with a streaming replica. As root on Debian or Ubuntu, it installs PostgreSQL if missing. */
export async function startReplication(log: Log): Promise<Replication> {
  const bin = await findOrInstall(() => findPostgres('pg_ctl', 'pg_basebackup'), ['postgresql'], log)
  if (!bin) throw new Error('PostgreSQL is not on this machine: install it (apt-get install postgresql, brew install postgresql@17)')
  const [port, replicaPort] = (await findPorts(2)) as [number, number]
  return withKeeper('auth-replication-', async (keeper) => {
    const account = await prepareFolder(keeper, bin, 'primary')
    const primary = createPostgres(keeper, bin, 'primary', port, account, log)
    // Nothing is synced to disk, because these tests kill processes and not machines.
    const synchronous = ['-c', 'synchronous_commit=on']
    await primary.start(...synchronous, '-c', 'synchronous_standby_names=*')

    const run = (program: string, ...args: string[]) => keeper.run({ command: join(bin, program), args, account })
    const data = join(keeper.folder, 'replica')
    const source = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres']
    await run('pg_basebackup', '-D', data, ...source, '--write-recovery-conf', '--checkpoint=fast', '--no-sync')
    const replica = createPostgres(keeper, bin, 'replica', replicaPort, account, log, /started streaming WAL from primary/)
    await replica.start(...synchronous)
    return { primary, replica: { ...replica, promote: () => run('pg_ctl', '-D', data, 'promote', '--wait') } }
  })
}
