import { readFile } from 'node:fs/promises'
import { withoutHook } from '../doctor/finding.js'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import { didYouMean } from './did-you-mean.js'
import { visibleLines, withVisibleOutput } from './terminal.js'

/** The commands, with a line for the list of --help. Each is loaded when it is used, because Drizzle takes time to load. */
const commands: Record<string, [summary: string, load: () => Promise<{ command: Command }>]> = {
  doctor: ['finds problems in the tables of a live database', () => import('./doctor.js')],
  generate: ['adds the tables and columns of Better Auth and its plugins to your schema file', () => import('./generate.js')],
  init: ['sets up an app: the tables, db.ts, auth.ts and drizzle.config.ts', () => import('./init.js')],
  secrets: ['hashes stored session tokens and encrypts stored OAuth tokens', () => import('./secrets.js')],
  sweep: ['deletes expired sessions and verification tokens', () => import('./sweep.js')],
}
const names = Object.keys(commands).join(', ')

const usage = `Usage: drizzle-auth-kit COMMAND [options]

${Object.entries(commands)
  .map(([name, [summary]]) => `  ${name.padEnd(10)}${summary}`)
  .join('\n')}

  --help     print this help, or the help of a command
  --version  print the version
`

/** Runs a command and returns the exit code. Never throws. */
export async function main(args: string[], context: Context): Promise<number> {
  try {
    return await run(args, withVisibleOutput(context))
  } catch (error) {
    return report(error, context)
  }
}

async function run([name, ...args]: string[], context: Context): Promise<number> {
  if (name === undefined) throw new Problem(`no command given. Commands: ${names}; see --help.`, 2)
  const command = Object.hasOwn(commands, name) ? (await commands[name]?.[1]())?.command : undefined
  const asksFor = (...options: string[]) => options.includes(name) || (command && args.some((arg) => options.includes(arg)))
  if (name === 'help' || asksFor('--help', '-h')) context.stdout.write(command?.help ?? usage)
  else if (asksFor('--version')) context.stdout.write(`${await version()}\n`)
  else if (command) return command.run(args, context)
  else throw new Problem(`unknown command.${didYouMean(name.slice(0, 40), Object.keys(commands))} Commands: ${names}; see --help.`, 2)
  return 0
}

async function version(): Promise<string> {
  return JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')).version
}

/** Prints why a command failed and returns the exit code. */
export function report(error: unknown, { stderr }: Pick<Context, 'stderr'>): number {
  // The classes of the adapter are loaded with the commands, and the app may have a copy of its own.
  const name = error instanceof Error ? error.name : ''
  const isPlain = error instanceof Problem || name === 'AdapterConfigError' || name === 'AdapterOperationError'
  stderr.write(visibleLines(`drizzle-auth-kit: ${isPlain ? withoutHook((error as Error).message) : unexpected(error)}\n`))
  return error instanceof Problem ? error.exitCode : name === 'AdapterConfigError' ? 2 : 1
}

// Errors of other libraries may contain the database password: in the message, in properties, in the source line above the stack.
function unexpected(error: unknown): string {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: '' }
  const frames = (String(stack).match(/^ {4}at .+(?::\d+:\d+\)?|\))$/gm) ?? []).filter((frame) => !/(?<!file):\/\//.test(frame))
  return [`an unexpected ${/^\w+$/.test(name) ? name : 'error'}. Please report it with these lines:`, ...frames].join('\n')
}
