import { readFile } from 'node:fs/promises'
import { AdapterConfigError, AdapterOperationError } from 'drizzle-auth-adapter/internal'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import { messageOf } from './connection.js'
import { didYouMean } from './did-you-mean.js'
import { doctor } from './doctor.js'
import { generate } from './generate.js'
import { init } from './init.js'
import { secrets } from './secrets.js'
import { sweep } from './sweep.js'
import { visibleLines, withVisibleOutput } from './terminal.js'

const commands: Record<string, Command> = { doctor, generate, init, secrets, sweep }
const names = Object.keys(commands).join(', ')

const usage = `Usage: drizzle-auth-kit COMMAND [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
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
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
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
  const isPlain = error instanceof Problem || error instanceof AdapterConfigError || error instanceof AdapterOperationError
  stderr.write(visibleLines(`drizzle-auth-kit: ${isPlain ? messageOf(error) : unexpected(error)}\n`))
  return error instanceof Problem ? error.exitCode : error instanceof AdapterConfigError ? 2 : 1
}

// Errors of other libraries may contain the database password: in the message, in properties, in the source line above the stack.
function unexpected(error: unknown): string {
  const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: '' }
  const frames = (String(stack).match(/^ {4}at .+(?::\d+:\d+\)?|\))$/gm) ?? []).filter((frame) => !/(?<!file):\/\//.test(frame))
  return [`an unexpected ${/^\w+$/.test(name) ? name : 'error'}. Please report it with these lines:`, ...frames].join('\n')
}
