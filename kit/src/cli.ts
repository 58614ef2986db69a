#!/usr/bin/env node
import { main, report } from './commands/main.js'
import { promptsOfTerminal } from './commands/terminal.js'

const context = { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), prompts: promptsOfTerminal() }

// Node.js prints all properties of an error, and an error of a driver may contain the password.
process.on('uncaughtException', (error) => process.exit(report(error, context)))

// Warnings and logs of the app's files and drivers would break --quiet and --json, and mysql2 prints parts of a URL.
process.removeAllListeners('warning')
for (const method of ['debug', 'error', 'info', 'log', 'trace', 'warn'] as const) console[method] = () => {}

// The reader of the output may stop early, as `head` does. The command continues.
const onOutputError = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
}
for (const stream of [process.stdout, process.stderr]) stream.on('error', onOutputError)

process.exitCode = await main(process.argv.slice(2), context)

// Flush the output, then exit: connections and timers of the app's files would keep the process running.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit())))
