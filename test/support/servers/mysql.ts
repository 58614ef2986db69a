import { chown } from 'node:fs/promises'
import { join } from 'node:path'
import { capture } from '../process.js'
import type { Mysqld } from './debian.js'
import { unpackMysql } from './debian.js'
import type { Keeper } from './keeper.js'
import { findPort } from './port.js'
import { findAccount, findFolders, isRoot } from './programs.js'
import type { Log, PrivateServer } from './server.js'
import { createNode, withKeeper } from './server.js'

export type MysqlProduct = 'mariadb' | 'mysql'

const folders = [
  '/usr/sbin',
  '/usr/libexec',
  '/usr/local/mysql/bin',
  '/opt/homebrew/bin',
  '/opt/homebrew/opt/m*/bin',
  '/usr/local/opt/m*/bin',
  '/home/linuxbrew/.linuxbrew/opt/m*/bin',
]

const settings = [
  '--bind-address=127.0.0.1',
  '--max-connections=300',
  '--skip-log-bin',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=0',
  '--innodb-flush-method=nosync',
]

/** The product that MYSQL_SERVER names; undefined if either will do. */
export function wantedProduct(): MysqlProduct | undefined {
  const wanted = process.env.MYSQL_SERVER || undefined
  if (wanted === undefined || wanted === 'mariadb' || wanted === 'mysql') return wanted
  throw new Error(`MYSQL_SERVER is ${wanted}: set it to mariadb or mysql, or leave it unset to use whichever is installed`)
}

async function identify({ command, args }: Mysqld): Promise<{ product: MysqlProduct; version: string } | undefined> {
  const { code, output } = await capture(command, [...args, '--no-defaults', '--version'])
  const version = output.match(/Ver (\d+\.\d+)/)?.[1]
  return code === 0 && version ? { product: /mariadb/i.test(output) ? 'mariadb' : 'mysql', version } : undefined
}

export async function findMysqld(product: MysqlProduct): Promise<Mysqld | undefined> {
  const names = product === 'mariadb' ? ['mariadbd', 'mysqld'] : ['mysqld']
  for (const name of names) {
    for (const folder of await findFolders([name], folders)) {
      const mysqld = { command: join(folder, name), args: [] }
      if ((await identify(mysqld))?.product === product) return mysqld
    }
  }
  return undefined
}

/** The account that runs the server and owns the keeper's folder, and the settings of a data folder in it. */
export async function prepareFolder(keeper: Keeper, data: string) {
  const account = await findAccount('mysql')
  if (account) await chown(keeper.folder, account.uid, account.gid)
  return { account, data: [`--datadir=${join(keeper.folder, data)}`, ...(isRoot && !account ? ['--user=root'] : [])] }
}

/** The program that creates MariaDB's data folder, with its arguments. */
export async function findInstaller(data: string[]) {
  for (const name of ['mariadb-install-db', 'mysql_install_db']) {
    const [bin] = await findFolders([name], folders)
    const args = ['--no-defaults', '--auth-root-authentication-method=normal', '--skip-test-db', ...data]
    if (bin) return { command: join(bin, name), args }
  }
  throw new Error('There is a MariaDB server but no mariadb-install-db: install it, or set MYSQL_URL')
}

async function start(keeper: Keeper, { command, args }: Mysqld, log: Log, extraSettings: string[]): Promise<Omit<PrivateServer, 'stop'>> {
  const { account, data } = await prepareFolder(keeper, 'data')
  const { product, version } = (await identify({ command, args })) ?? { product: 'mysql', version: '' }
  const own = [...args, '--no-defaults', ...data, ...(product === 'mysql' ? ['--secure-file-priv=NULL', '--loose-mysqlx=0'] : [])]
  // MySQL takes this setting only for a new data folder.
  const initial = extraSettings.filter((setting) => setting.startsWith('--lower-case-table-names'))
  if (product === 'mysql') await keeper.run({ command, args: [...own, '--initialize-insecure', ...initial], account })
  else await keeper.run({ ...(await findInstaller(data)), account })
  const port = await findPort()
  const files = [`--socket=${join(keeper.folder, 'socket')}`, `--pid-file=${join(keeper.folder, 'pid')}`]
  const node = createNode(keeper, log, {
    name: `${product === 'mysql' ? 'MySQL' : 'MariaDB'} ${version}`.trim(),
    port,
    url: `mysql://root@127.0.0.1:${port}`,
    command,
    args: [...own, `--port=${port}`, ...settings, ...extraSettings, ...files],
    account,
    signal: 'SIGTERM',
  })
  await node.start()
  const restart = async () => {
    await node.kill('SIGTERM')
    await node.start()
  }
  return { url: node.url, data: join(keeper.folder, 'data'), restart }
}

/** Starts a private MariaDB or MySQL with the binaries on this machine. Returns undefined if there are none. */
export async function startMysql(log: Log, wanted = wantedProduct(), extraSettings: string[] = []): Promise<PrivateServer | undefined> {
  const installed = wanted ? await findMysqld(wanted) : ((await findMysqld('mariadb')) ?? (await findMysqld('mysql')))
  const mysqld = installed ?? (wanted === 'mysql' ? await unpackMysql(log) : undefined)
  return mysqld ? withKeeper('auth-mysql-', (keeper) => start(keeper, mysqld, log, extraSettings)) : undefined
}
