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

interface Choice {
  title: string
  variable: string
  example: string
  port: number
  start: (log: Log) => Promise<Server | undefined>
  service: Service
  /** The names of its packages. */
  apt: string
  brew: string
}

function choiceOf(name: ServerName): Choice {
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

async function fromVariable({ variable, example, port }: Choice): Promise<Server | undefined> {
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

function advice({ variable, example, ...choice }: Choice) {
  return [
    `There is no ${choice.title} server to use: ${variable} is not set, its programs are not on this machine, and no docker engine answers. One of these is enough:`,
    `  anywhere        start a server and set ${variable}, for example ${variable}=${example}`,
    `  anywhere        start Docker (docker info must succeed); docker-compose.yml has the service ${choice.service.name}`,
    choice.apt === 'mysql-server'
      ? '  Debian          run this as root: it then unpacks MySQL, without installing it'
      : `  Debian, Ubuntu  sudo apt-get install ${choice.apt} (as root this is done for you)`,
    ...(choice.apt === 'mysql-server' ? ['  Ubuntu          sudo apt-get install mysql-server'] : []),
    `  macOS           brew install ${choice.brew}`,
  ].join('\n')
}

async function start(name: ServerName, log: Log): Promise<Server> {
  const choice = choiceOf(name)
  const server =
    (await fromVariable(choice)) ??
    (await choice.start(log)) ??
    (await startContainer(choice.service, log)) ??
    ((await install(choice.apt, log)) ? await choice.start(log) : undefined)
  if (server) return server
  throw new Error(advice(choice))
}

function print(line: string) {
  process.stderr.write(`${line}\n`)
}

/** Real database servers, each from its variable, from programs of this machine, from docker or from apt, in this order. */
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
