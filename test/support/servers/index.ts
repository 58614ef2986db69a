import { findOrInstall } from './apt.js'
import type { MysqlProduct } from './mysql.js'
import { startMysql, wantedProduct } from './mysql.js'
import { canConnect } from './port.js'
import { startPostgres } from './postgres.js'
import type { Log, Server } from './server.js'

export type ServerName = 'pg' | 'mysql'

export interface Servers {
  urls: Partial<Record<ServerName, string>>
  stop(): Promise<void>
}

/** How to get a server of one kind. */
interface ServerKind {
  title: string
  variable: string
  example: string
  start: (log: Log) => Promise<Server | undefined>
  port: number
  /** The names of its service in docker-compose.yml, and of its packages in apt and in Homebrew. */
  service: string
  apt: string
  brew: string
}

const kindOf = (name: ServerName, product: MysqlProduct | undefined): ServerKind =>
  name === 'pg'
    ? {
        title: 'PostgreSQL',
        variable: 'PG_URL',
        example: 'postgres://user:password@127.0.0.1:5432/postgres',
        start: startPostgres,
        port: 5432,
        service: 'pg',
        apt: 'postgresql',
        brew: 'postgresql@17',
      }
    : {
        title: product === 'mysql' ? 'MySQL' : product === 'mariadb' ? 'MariaDB' : 'MariaDB or MySQL',
        variable: 'MYSQL_URL',
        example: 'mysql://user:password@127.0.0.1:3306',
        start: (log) => startMysql(log, product),
        port: 3306,
        service: product ?? 'mysql',
        apt: product === 'mysql' ? 'mysql-server' : 'mariadb-server',
        brew: product ?? 'mariadb',
      }

async function serverFromVariable({ variable, example, port: usual }: ServerKind): Promise<Server | undefined> {
  const value = process.env[variable]
  if (!value) return undefined
  if (!URL.canParse(value)) throw new Error(`${variable} is not a URL: set it to one such as ${example}, or unset it`)
  const { hostname, port } = new URL(value)
  const host = hostname.replace(/^\[|\]$/g, '') || 'localhost'
  if (await canConnect(Number(port) || usual, host)) return { url: value, stop: async () => {} }
  throw new Error(
    `${variable} is set, but nothing answers at ${host}:${port || usual}: start that server, correct ${variable}, or unset it to have a private server started`,
  )
}

async function start(kind: ServerKind, log: Log): Promise<Server> {
  const server = (await serverFromVariable(kind)) ?? (await findOrInstall(() => kind.start(log), [kind.apt], log))
  if (server) return server
  const { variable, example, title, service, apt, brew } = kind
  throw new Error(
    [
      `There is no ${title} server to use: ${variable} is not set, and its programs are not on this machine. One of these is enough:`,
      `  anywhere        start a server and set ${variable}, for example ${variable}=${example}`,
      `  Docker          docker compose up -d --wait ${service}, and set ${variable} to the URL in docker-compose.yml`,
      `  Debian, Ubuntu  sudo apt-get install ${apt} (as root this is done for you)`,
      `  macOS           brew install ${brew}`,
    ].join('\n'),
  )
}

const print = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Starts database servers. Each comes from its variable, the binaries on this machine or apt: the first that is available. The
 * server of MySQL's dialect is a `product`, by default the one that MYSQL_SERVER names.
 */
export async function startServers(names: ServerName[], log: Log = print, product = wantedProduct()): Promise<Servers> {
  const results = await Promise.allSettled(names.map((name) => start(kindOf(name, product), log)))
  const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const stop = async () => void (await Promise.all(servers.map((server) => server.stop())))
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0) {
    await stop()
    throw new Error(errors.map((error) => error.message).join('\n\n'), { cause: errors })
  }
  return { urls: Object.fromEntries(names.map((name, index) => [name, servers[index]?.url])), stop }
}
