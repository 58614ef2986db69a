import { access, chown, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { install } from './apt.js'
import type { Mysqld } from './debian.js'
import type { Keeper } from './keeper.js'
import { openKeeper } from './keeper.js'
import { findInstaller, findMysqld } from './mysql.js'
import { findReusablePorts } from './port.js'
import type { Account } from './programs.js'
import { findAccount, findFolders, isRoot } from './programs.js'
import type { Log } from './server.js'
import { createMember, withKeeper } from './server.js'

const clusterSize = 3
const maxAttempts = 3
const providers = ['/usr/lib', '/usr/lib64'].flatMap((folder) => [
  `${folder}/galera/libgalera_smm.so`,
  `${folder}/galera-4/libgalera_smm.so`,
])

const commonSettings = [
  '--bind-address=127.0.0.1',
  '--max-connections=300',
  '--skip-log-bin',
  '--binlog-format=ROW',
  '--innodb-autoinc-lock-mode=2',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=0',
  '--innodb-flush-method=nosync',
  '--innodb-buffer-pool-size=64M',
  '--innodb-log-file-size=32M',
  '--wsrep-on=ON',
  '--wsrep-cluster-name=auth',
  '--wsrep-sst-method=rsync',
]

/** The cluster drops a dead node after two or three seconds instead of five, to save time in the tests. */
const failureDetection = 'evs.keepalive_period=PT0.3S;evs.suspect_timeout=PT2S;evs.inactive_timeout=PT6S;evs.inactive_check_period=PT0.3S'

export interface GaleraNode {
  readonly url: string
  kill(): Promise<void>
  /** Restarts a killed node. Resolves when it has caught up with the others. */
  rejoin(): Promise<void>
}

export interface Galera {
  readonly nodes: readonly GaleraNode[]
  stop(): Promise<void>
}

interface Installation {
  mysqld: Mysqld
  provider: string
  account: Account | undefined
  settings: string[]
}

interface Ports {
  sql: number
  /** Group communication between the nodes. */
  group: number
  /** Incremental state transfer (IST). */
  increments: number
  /** Full state transfer (SST). */
  state: number
}

function createNode(
  keeper: Keeper,
  { mysqld, provider, account, settings }: Installation,
  name: string,
  ports: Ports,
  clusterAddress: string,
  log: Log,
) {
  const { sql, ...own } = ports
  const folder = join(keeper.folder, name)
  const data = [`--datadir=${join(folder, 'data')}`, ...(isRoot && !account ? ['--user=root'] : [])]
  const options = [
    `base_port=${own.group}`,
    `gmcast.listen_addr=tcp://127.0.0.1:${own.group}`,
    `ist.recv_addr=127.0.0.1:${own.increments}`,
    'gcache.size=64M',
    failureDetection,
  ]
  const run = (...args: string[]) => ({
    command: mysqld.command,
    args: [
      ...mysqld.args,
      '--no-defaults',
      ...data,
      ...commonSettings,
      ...settings,
      `--port=${sql}`,
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--wsrep-provider=${provider}`,
      `--wsrep-node-name=${name}`,
      `--wsrep-cluster-address=gcomm://${clusterAddress}`,
      `--wsrep-node-address=127.0.0.1:${own.group}`,
      `--wsrep-sst-receive-address=127.0.0.1:${own.state}`,
      `--wsrep-provider-options=${options.join(';')}`,
      ...args,
    ],
    account,
    signal: 'SIGTERM' as const,
  })
  const member = createMember(keeper, name, sql, /Synchronized with group, ready for connections/, log)

  // The last transaction that the killed node has. If it names it, the others send only what it missed instead of a full copy, which
  // would block one of them.
  async function recoveredPosition() {
    const file = `${name}-recovery.log`
    await keeper.run({ ...run('--wsrep-recover'), log: file })
    const positions = [...(await readFile(join(keeper.folder, file), 'utf8')).matchAll(/Recovered position: (\S+)/g)]
    const position = positions.at(-1)?.[1]
    if (!position) throw new Error(`${name} reports no recovered position:\n${await keeper.tail(file)}`)
    return position
  }

  return {
    url: `mysql://root@127.0.0.1:${sql}`,
    kill: member.kill,
    async start(...args: string[]) {
      await mkdir(folder)
      if (account) await chown(folder, account.uid, account.gid)
      await keeper.run({ ...(await findInstaller(data)), account, log: `${name}-setup.log` })
      await member.start(run(...args))
    },
    rejoin: async () => member.start(run(`--wsrep-start-position=${await recoveredPosition()}`)),
  }
}

async function start(keeper: Keeper, installation: Installation, log: Log): Promise<Galera> {
  if (installation.account) await chown(keeper.folder, installation.account.uid, installation.account.gid)
  const all: Ports[] = []
  const free = await findReusablePorts(clusterSize * 4)
  while (all.length < clusterSize) {
    const [sql, group, increments, state] = free.splice(0, 4) as [number, number, number, number]
    all.push({ sql, group, increments, state })
  }
  const clusterAddress = all.map((ports) => `127.0.0.1:${ports.group}`).join()
  const nodes = all.map((ports, index) => createNode(keeper, installation, `galera${index + 1}`, ports, clusterAddress, log))
  for (const [index, node] of nodes.entries()) await node.start(...(index === 0 ? ['--wsrep-new-cluster'] : []))
  keeper.release()
  return { nodes, stop: keeper.stop }
}

async function findInstallation(settings: string[]): Promise<Installation | undefined> {
  const mysqld = await findMysqld('mariadb')
  const provider = await Promise.any(providers.map((path) => access(path).then(() => path))).catch(() => undefined)
  const [rsync] = await findFolders(['rsync'], [])
  return mysqld && provider && rsync ? { mysqld, provider, account: await findAccount('mysql'), settings } : undefined
}

/** Starts a private Galera cluster of MariaDB nodes. As root on Debian or Ubuntu, it installs missing packages. */
export async function startGalera(log: Log, settings: string[] = []): Promise<Galera> {
  let installation = await findInstallation(settings)
  if (!installation) {
    for (const name of ['mariadb-server', 'galera-4', 'rsync']) await install(name, log)
    installation = await findInstallation(settings)
  }
  if (!installation)
    throw new Error('Galera is not on this machine: install MariaDB, galera-4 and rsync (apt-get install mariadb-server galera-4 rsync)')
  const found = installation
  // On a busy machine, nodes can lose contact while one joins, and then the whole cluster hangs. Starting a new one is quickest.
  for (let attempt = 1; ; attempt++) {
    try {
      return await withKeeper(await openKeeper('auth-galera-'), (keeper) => start(keeper, found, log))
    } catch (error) {
      if (attempt === maxAttempts) throw error
      log(`${(error as Error).message.split('. ')[0]}: starting a new cluster`)
    }
  }
}
