#!/usr/bin/env node
import { main, report } from './main.js'
import { askAtTerminal } from './questions.js'

const context = { stdout: process.stdout, stderr: process.stderr, env: process.env, cwd: process.cwd(), ask: askAtTerminal() }

// Node.js prints an error with all its properties, and a driver's may hold the password.
process.on('uncaughtException', (error) => process.exit(report(error, context)))

// Warnings are about the app's files and drivers, and would break --quiet.
process.removeAllListeners('warning')

process.exitCode = await main(process.argv.slice(2), context)
