import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Server } from '../../../../examples/runner/server.js'
import { withServer as withServerOf } from '../../../../examples/runner/server.js'
import { root } from '../../../../test/support/root.js'

/** One of the numbered steps that `init` prints: its title, and the lines to copy. */
export interface Step {
  title: string
  lines: string[]
}

export function stepsIn(stdout: string): Step[] {
  const [, next = ''] = stdout.split('\nNext\n')
  return next.split(/^\d+\. /m).flatMap((text) => {
    const [title = '', ...rest] = text.trim().split('\n')
    return title ? [{ title, lines: rest.filter((line) => line.trim()).map((line) => line.slice(5)) }] : []
  })
}

const groupBy = `data:text/javascript,${encodeURIComponent(`Object.groupBy = (values, keyOf) => {
  const groups = {}
  for (const value of values) (groups[keyOf(value)] ??= []).push(value)
  return groups
}`)}`

/** Runs a command in a shell, as users do. npx must find it in the app, because npm is offline. */
export async function shell(cwd: string, command: string): Promise<string> {
  const { DATABASE_URL, NODE_OPTIONS, NODE_ENV, ...env } = process.env
  // The command line of Better Auth needs Node.js 22, for this function.
  const polyfill = command.startsWith('npx auth ') && !('groupBy' in Object) ? { NODE_OPTIONS: `--import=${groupBy}` } : {}
  const options = { cwd, env: { ...env, npm_config_offline: 'true', ...polyfill } }
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', command], options).catch((error) => {
    throw new Error(`${command}\n\n${error.stdout}\n${error.stderr}`)
  })
  return stdout + stderr
}

/** Carries out a step. `install` is called with the packages of each `npm install` line. */
export async function follow(folder: string, { title, lines }: Step, url: string, install: (names: string[]) => Promise<unknown>) {
  const edit = async (file: string, change: (text: string) => string) =>
    writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')))
  const [, config] = /, set in (\S+):$/.exec(title) ?? []
  if (config) return edit(config, (text) => text.replace(/schema: .*,/, lines.join('')))
  for (const line of lines) {
    const [, names] = /^npm install (?:--save-\w+ )*(.*)$/.exec(line) ?? []
    if (names) await install(names.split(' '))
    else if (title.startsWith('Replace the address')) await edit('.env', (text) => text.replace(line, `DATABASE_URL=${url}`))
    else if (line.startsWith('DATABASE_URL=')) await appendFile(join(folder, '.env'), `DATABASE_URL=${url}`)
    else await shell(folder, line)
  }
}

/** Copies the built package into an app, as npm would install it. */
export async function installPackage(folder: string): Promise<void> {
  const home = join(folder, 'node_modules', 'drizzle-auth-adapter')
  await cp(join(root, 'dist'), join(home, 'dist'), { recursive: true })
  await cp(join(root, 'package.json'), join(home, 'package.json'))
}

/** Installs packages and their commands as links to those of this project. So an app has the packages that it asked for and no others. */
export async function linkPackages(folder: string, names: string[]): Promise<void> {
  const link = async (path: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await symlink(join(root, path), join(folder, path))
  }
  for (const name of names) {
    if (name === 'drizzle-auth-adapter') await installPackage(folder)
    else {
      await link(join('node_modules', name))
      const { bin = {} } = JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8'))
      const commands = typeof bin === 'string' ? [name] : Object.keys(bin)
      for (const command of commands) await link(join('node_modules', '.bin', command))
    }
  }
}

/** Starts a server with a command line, and stops it when the work is done. */
export const withServer = (folder: string, command: (port: number) => string, work: (server: Server) => Promise<void>) =>
  withServerOf(folder, (port) => ['sh', '-c', `exec ${command(port)}`], work)
