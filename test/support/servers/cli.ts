// Starts database servers and prints their URLs, or runs a command with PG_URL and MYSQL_URL set:
// npx tsx test/support/servers/cli.ts [pg] [mysql] [-- command args...]
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { ServerName } from './index.js'
import { startServers } from './index.js'

const all: ServerName[] = ['pg', 'mysql']
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const args = process.argv.slice(2)
const separator = args.includes('--') ? args.indexOf('--') : args.length
const requested = args.slice(0, separator)
const [command, ...rest] = args.slice(separator + 1)

const isServerName = (name: string): name is ServerName => all.some((known) => known === name)

function runCommand(program: string, env: NodeJS.ProcessEnv) {
  return new Promise<number>((resolve) => {
    const child = spawn(program, rest, { stdio: 'inherit', env })
    // A terminal sends Ctrl-C to the command as well. This process must outlive it to stop the servers.
    process.on('SIGINT', () => {})
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal))
    child.once('error', (error) => {
      console.error(error.message)
      resolve(127)
    })
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']))
  })
}

function waitForSignal() {
  return new Promise<number>((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve(128 + constants.signals[signal]))
    // If a runner such as npx is killed, it passes no signal on. Then this process gets another parent.
    const parent = process.ppid
    setInterval(() => process.ppid === parent || resolve(1), 1_000)
  })
}

async function main() {
  if (!requested.every(isServerName)) {
    console.error('usage: cli.ts [pg] [mysql] [-- command args...]')
    return 2
  }
  const { urls, stop } = await startServers(requested.length > 0 ? requested : all)
  const env = { ...(urls.pg && { PG_URL: urls.pg }), ...(urls.mysql && { MYSQL_URL: urls.mysql }) }
  if (!command) for (const [name, url] of Object.entries(env)) console.log(`${name}=${url}`)
  const code = await (command ? runCommand(command, { ...process.env, ...env }) : waitForSignal())
  await stop()
  return code
}

main().then(
  (code) => process.exit(code),
  (error) => {
    console.error(error.message)
    process.exit(1)
  },
)
