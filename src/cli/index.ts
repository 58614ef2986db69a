#!/usr/bin/env node
import { main, report } from './main.js'
import { askAtTerminal } from './questions.js'

const context = { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), ask: askAtTerminal() }

// Node.js prints an error with all its properties, and a driver's may hold the password.
process.on('uncaughtException', (error) => process.exit(report(error, context)))

// Warnings are about the app's files and drivers, and would break --quiet.
process.removeAllListeners('warning')

// Whoever reads the output may stop early, as `head` does. What the command does goes on.
const onOutputError = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
}
for (const stream of [process.stdout, process.stderr]) stream.on('error', onOutputError)

process.exitCode = await main(process.argv.slice(2), context)

// The app's files may have opened connections or timers, which would keep the process running. First all output is written, or fails.
process.stdout.write('', () => process.stderr.write('', () => setImmediate(() => process.exit())))
