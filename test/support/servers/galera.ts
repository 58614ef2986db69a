import { access, chown, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findOrInstall } from './apt.js'
import type { Mysqld } from './debian.js'
import type { Keeper } from './keeper.js'
import { findInstaller, findMysqld, prepareFolder } from './mysql.js'
import { findPorts } from './port.js'
import { findFolders } from './programs.js'
import type { Log, Node, Server } from './server.js'
import { createNode, withKeeper } from './server.js'

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

export interface GaleraNode extends Node {
  /** Restarts a killed node. Resolves when it has caught up with the others. */
  rejoin(): Promise<void>
}

export interface Galera extends Omit<Server, 'url'> {
  nodes: GaleraNode[]
}

interface Installation {
  mysqld: Mysqld
  provider: string
}

/** The ports of a node: for clients, for the group, and for incremental and full state transfers. */
type Ports = [sql: number, group: number, increments: number, state: number]

async function createMember(keeper: Keeper, { mysqld, provider }: Installation, name: string, ports: Ports, settings: string[], log: Log) {
  const [port, group, increments, state] = ports
  const folder = join(keeper.folder, name)
  const { account, data } = await prepareFolder(keeper, join(name, 'data'))
  await mkdir(folder)
  if (account) await chown(folder, account.uid, account.gid)
  await keeper.run({ ...(await findInstaller(data)), account, log: `${name}-setup.log` })
  const options = [
    `base_port=${group}`,
    `gmcast.listen_addr=tcp://127.0.0.1:${group}`,
    `ist.recv_addr=127.0.0.1:${increments}`,
    'gcache.size=64M',
    failureDetection,
  ]
  const own = [
    `--port=${port}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--wsrep-provider=${provider}`,
    `--wsrep-node-name=${name}`,
    `--wsrep-node-address=127.0.0.1:${group}`,
    `--wsrep-sst-receive-address=127.0.0.1:${state}`,
    `--wsrep-provider-options=${options.join(';')}`,
  ]
  const args = [...mysqld.args, '--no-defaults', ...data, ...commonSettings, ...settings, ...own]
  const program = { command: mysqld.command, args, account, signal: 'SIGTERM' } as const
  const ready = /Synchronized with group, ready for connections/
  const node = createNode(keeper, log, { ...program, name, port, url: `mysql://root@127.0.0.1:${port}`, ready })

  // The last transaction that the killed node has. If it names it, the others send only what it missed instead of a full copy, which
  // would block one of them.
  async function recoveredPosition() {
    const file = `${name}-recovery.log`
    await keeper.run({ ...program, args: [...args, '--wsrep-recover'], log: file })
    const positions = [...(await readFile(join(keeper.folder, file), 'utf8')).matchAll(/Recovered position: (\S+)/g)]
    return positions.at(-1)?.[1] ?? Promise.reject(new Error(`${name} reports no recovered position:\n${await keeper.tail(file)}`))
  }
  return { ...node, rejoin: async () => node.start(`--wsrep-start-position=${await recoveredPosition()}`) }
}

async function start(keeper: Keeper, installation: Installation, settings: string[], log: Log) {
  const free = await findPorts(clusterSize * 4)
  const ports = Array.from({ length: clusterSize }, (_, index) => free.slice(index * 4, index * 4 + 4) as Ports)
  const cluster = `--wsrep-cluster-address=gcomm://${ports.map(([, group]) => `127.0.0.1:${group}`).join()}`
  const nodes: GaleraNode[] = []
  for (const [index, own] of ports.entries()) {
    const node = await createMember(keeper, installation, `galera${index + 1}`, own, [...settings, cluster], log)
    await node.start(...(index === 0 ? ['--wsrep-new-cluster'] : []))
    nodes.push(node)
  }
  return { nodes }
}

async function findInstallation(): Promise<Installation | undefined> {
  const mysqld = await findMysqld('mariadb')
  const provider = await Promise.any(providers.map((path) => access(path).then(() => path))).catch(() => undefined)
  const [rsync] = await findFolders(['rsync'], [])
  return mysqld && provider && rsync ? { mysqld, provider } : undefined
}

/** Starts a private Galera cluster of MariaDB nodes. As root on Debian or Ubuntu, it installs missing packages. */
export async function startGalera(log: Log, settings: string[] = []): Promise<Galera> {
  const packages = ['mariadb-server', 'galera-4', 'rsync']
  const installation = await findOrInstall(findInstallation, packages, log)
  if (!installation)
    throw new Error(`Galera is not on this machine: install MariaDB, galera-4 and rsync (apt-get install ${packages.join(' ')})`)
  // On a busy machine, nodes can lose contact while one joins, and then the whole cluster hangs. Starting a new one is quickest.
  for (let attempt = 1; ; attempt++) {
    try {
      return await withKeeper('auth-galera-', (keeper) => start(keeper, installation, settings, log))
    } catch (error) {
      if (attempt === maxAttempts) throw error
      log(`${(error as Error).message.split('. ')[0]}: starting a new cluster`)
    }
  }
}
