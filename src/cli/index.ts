#!/usr/bin/env node
import { AdapterConfigError, AdapterOperationError } from '../errors.js'
import type { Command } from './command.js'
import { Problem } from './command.js'
import { sweep } from './sweep.js'

const commands: Record<string, Command> = { sweep }

const usage = `Usage: drizzle-auth-adapter COMMAND [options]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(10)}${summary}`)
  .join('\n')}

drizzle-auth-adapter COMMAND --help tells more about one.
`

async function main([name, ...args]: string[]): Promise<number> {
  if (name === undefined || ['help', '--help', '-h'].includes(name)) {
    process.stdout.write(usage)
    return name === undefined ? 2 : 0
  }
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw new Problem(`there is no command ${name}. There is ${Object.keys(commands).join(', ')}; --help tells more.`, 2)
  if (args.some((arg) => arg === '--help' || arg === '-h')) {
    process.stdout.write(command.help)
    return 0
  }
  return command.run(args)
}

function exitCodeFor(error: unknown): number {
  const isTold = error instanceof Problem || error instanceof AdapterConfigError || error instanceof AdapterOperationError
  // What nobody foresaw is shown with its stack, but not with its properties: a driver's hold the connection's password.
  process.stderr.write(`drizzle-auth-adapter: ${isTold ? error.message : error instanceof Error ? error.stack : 'it failed'}\n`)
  return error instanceof Problem ? error.exitCode : 1
}

process.exitCode = await main(process.argv.slice(2)).catch(exitCodeFor)
