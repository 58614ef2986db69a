import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { capture } from '../process.js'
import { isRoot } from './programs.js'
import type { Log } from './server.js'

const lockTimeout = 300_000
const policy = '/usr/sbin/policy-rc.d'
const mark = 'of the tests of drizzle-auth-adapter'

// Keeps packages from starting their services, with a policy-rc.d file that apt-get writes and removes itself while it holds its lock.
// So concurrent runs do not remove each other's file, and an interrupted run leaves none behind. A file without our mark is left alone.
const hooks = [
  `DPkg::Pre-Invoke::=[ -e ${policy} ] || { printf '#!/bin/sh\\n# ${mark}\\nexit 101\\n' >${policy}; chmod 755 ${policy}; }`,
  `DPkg::Post-Invoke::=! grep -qs '${mark}' ${policy} || rm -f ${policy}`,
]

async function apt(args: string[], log: Log) {
  log(`apt-get ${args.join(' ')}`)
  const options = [...hooks, 'DPkg::Lock::Timeout=300'].flatMap((option) => ['-o', option])
  for (const deadline = Date.now() + lockTimeout; ; await sleep(1_000)) {
    const { code, output } = await capture('apt-get', [...options, ...args], { env: { DEBIAN_FRONTEND: 'noninteractive' }, outlives: true })
    if (code === 0) return
    if (/could not get lock/i.test(output) && Date.now() < deadline) continue
    throw new Error(`apt-get ${args.join(' ')} failed:\n${output.split('\n').slice(-15).join('\n')}`)
  }
}

/** Finds something, and if it is missing installs packages and looks again. */
export async function findOrInstall<T>(find: () => Promise<T | undefined>, packages: string[], log: Log): Promise<T | undefined> {
  const found = await find()
  if (found) return found
  for (const name of packages) await install(name, log)
  return find()
}

/** Installs a package without starting its services. Returns false unless this process is root on Debian or Ubuntu. */
export async function install(name: string, log: Log): Promise<boolean> {
  const system = await readFile('/etc/os-release', 'utf8').catch(() => '')
  if (!isRoot || !/^ID(_LIKE)?=.*(debian|ubuntu)/m.test(system) || (await capture('apt-get', ['--version'])).code !== 0) return false
  log(`installing ${name} on this machine, without starting its service`)
  await apt(['update', '-q'], log)
  await apt(['install', '-y', '-q', '--no-install-recommends', name], log)
  return true
}
