import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, inject } from 'vitest'
import { root } from '../../../../test/support/root.js'
import type { Output, Prompts } from '../../../src/commands/command.js'
import { main } from '../../../src/commands/main.js'

const isV1 = process.env.DRIZZLE === '1.0'

export interface Result {
  code: number
  stdout: string
  stderr: string
}

export interface RunOptions {
  env?: Record<string, string>
  cwd?: string
  /** The answers to the command's questions, in order: `yes`, or one of the values. By default, there is no terminal. */
  answers?: string[]
}

// A folder without a configuration and without a .env.
const plainFolder = import.meta.dirname

/** Runs a command in this process, without a terminal. */
export async function run(args: string[], { env = {}, cwd = plainFolder, answers }: RunOptions = {}): Promise<Result> {
  const printed = { stdout: '', stderr: '' }
  const output = (name: keyof typeof printed): Output => ({
    write: (text) => {
      printed[name] += text
    },
  })
  const answer = (question: string) => {
    printed.stdout += `${question}\n`
    return answers?.shift() ?? expect.fail(`no answer to ${question}`)
  }
  const prompts: Prompts = {
    confirm: async (question) => answer(question) === 'yes',
    select: async (question, values) => {
      const given = answer(`${question} ${values.join(', ')}`)
      return values.find((value) => value === given) ?? expect.fail(`${given} is not among the choices`)
    },
  }
  const code = await main(args, { stdout: output('stdout'), stderr: output('stderr'), env, cwd, prompts: answers && prompts })
  return { code, ...printed }
}

/** Creates a folder with these files, which is removed at the end of the run. */
export async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(inject('folder'), 'app-'))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** Creates an app with these files and packages. `drizzle-orm` is the version under test. */
export async function appWith(files: Record<string, string>, packages = ['drizzle-orm', 'drizzle-kit', 'tsx']): Promise<string> {
  const folder = await folderWith({ 'package.json': '{ "type": "module" }', ...files })
  for (const name of packages) {
    const target = join(folder, 'node_modules', name)
    await mkdir(dirname(target), { recursive: true })
    await symlink(join(root, 'node_modules', name === 'drizzle-orm' && isV1 ? 'drizzle-orm-v1' : name), target)
  }
  return folder
}

/** Creates an app that has the built package and all dependencies of this project installed, except for some of them. */
export async function installedApp({ without = [] as string[], files = {} as Record<string, string> } = {}): Promise<string> {
  const copied = { 'drizzle-auth-adapter': root, 'drizzle-auth-kit': join(root, 'kit') }
  const left = [...Object.keys(copied), ...without]
  const names = (await readdir(join(root, 'node_modules'))).filter((name) => !name.startsWith('.') && !left.includes(name))
  const app = await appWith(files, names)
  for (const [name, folder] of Object.entries(copied)) {
    const home = join(app, 'node_modules', name)
    await cp(join(folder, 'dist'), join(home, 'dist'), { recursive: true })
    await cp(join(folder, 'package.json'), join(home, 'package.json'))
  }
  return app
}

/** Starts the built command as a separate process in an installed app. */
export function start(app: string, args: string[], env: Record<string, string> = {}) {
  const { DATABASE_URL, NODE_OPTIONS, ...inherited } = process.env
  const flags = ['--preserve-symlinks', '--preserve-symlinks-main']
  const bin = join(app, 'node_modules', 'drizzle-auth-kit', 'dist', 'cli.js')
  const child = spawn(process.execPath, [...flags, bin, ...args], { cwd: app, env: { ...inherited, ...env } })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text) => {
      printed[name] += text
    })
  const ended = once(child, 'close').then(([code]): Result => ({ code: code as number, ...printed }))
  return { child, printed, ended }
}
