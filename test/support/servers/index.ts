import { install } from './apt.js'
import type { Service } from './docker.js'
import { startContainer } from './docker.js'
import { startMysql, wantedProduct } from './mysql.js'
import { canConnect } from './port.js'
import { startPostgres } from './postgres.js'
import type { Log } from './process.js'
import type { Server } from './server.js'

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
  port: number
  start: (log: Log) => Promise<Server | undefined>
  service: Service
  /** The names of its packages in apt and in Homebrew. */
  apt: string
  brew: string
}

function serverKind(name: ServerName): ServerKind {
  if (name === 'pg') {
    return {
      title: 'PostgreSQL',
      variable: 'PG_URL',
      example: 'postgres://user:password@127.0.0.1:5432/postgres',
      port: 5432,
      start: startPostgres,
      service: { name: 'pg', port: 5432, url: (port) => `postgres://postgres@127.0.0.1:${port}/postgres` },
      apt: 'postgresql',
      brew: 'postgresql@17',
    }
  }
  const product = wantedProduct()
  return {
    title: product === 'mysql' ? 'MySQL' : product === 'mariadb' ? 'MariaDB' : 'MariaDB or MySQL',
    variable: 'MYSQL_URL',
    example: 'mysql://user:password@127.0.0.1:3306',
    port: 3306,
    start: startMysql,
    service: { name: product ?? 'mysql', port: 3306, url: (port) => `mysql://root@127.0.0.1:${port}` },
    apt: product === 'mysql' ? 'mysql-server' : 'mariadb-server',
    brew: product ?? 'mariadb',
  }
}

async function serverFromVariable({ variable, example, port }: ServerKind): Promise<Server | undefined> {
  const value = process.env[variable]
  if (!value) return undefined
  if (!URL.canParse(value)) throw new Error(`${variable} is not a URL: set it to one such as ${example}, or unset it`)
  const url = new URL(value)
  const host = url.hostname.replace(/^\[|\]$/g, '') || 'localhost'
  if (await canConnect(Number(url.port) || port, host)) return { url: value, stop: async () => {} }
  throw new Error(
    `${variable} is set, but nothing answers at ${host}:${url.port || port}: start that server, correct ${variable}, or unset it to have a private server started`,
  )
}

function advice({ variable, example, ...kind }: ServerKind) {
  return [
    `There is no ${kind.title} server to use: ${variable} is not set, its programs are not on this machine, and Docker is not running. One of these is enough:`,
    `  anywhere        start a server and set ${variable}, for example ${variable}=${example}`,
    `  anywhere        start Docker (docker info must succeed); docker-compose.yml has the service ${kind.service.name}`,
    kind.apt === 'mysql-server'
      ? '  Debian          run this as root: it then unpacks MySQL, without installing it'
      : `  Debian, Ubuntu  sudo apt-get install ${kind.apt} (as root this is done for you)`,
    ...(kind.apt === 'mysql-server' ? ['  Ubuntu          sudo apt-get install mysql-server'] : []),
    `  macOS           brew install ${kind.brew}`,
  ].join('\n')
}

async function start(name: ServerName, log: Log): Promise<Server> {
  const kind = serverKind(name)
  const server =
    (await serverFromVariable(kind)) ??
    (await kind.start(log)) ??
    (await startContainer(kind.service, log)) ??
    ((await install(kind.apt, log)) ? await kind.start(log) : undefined)
  if (server) return server
  throw new Error(advice(kind))
}

function print(line: string) {
  process.stderr.write(`${line}\n`)
}

/** Starts database servers. Each comes from its variable, the binaries on this machine, Docker or apt: the first that is available. */
export async function startServers(names: ServerName[], options: { log?: Log } = {}): Promise<Servers> {
  const wanted = [...new Set(names)]
  const results = await Promise.allSettled(wanted.map((name) => start(name, options.log ?? print)))
  const servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
  }
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
  if (errors.length > 0) {
    await stop()
    throw errors.length === 1 ? errors[0] : new Error(errors.map((error) => error.message).join('\n\n'), { cause: errors })
  }
  return { urls: Object.fromEntries(wanted.map((name, index) => [name, servers[index]?.url])), stop }
}
