#!/usr/bin/env node
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import { generate } from './generate/command.js'

const usage = `Usage: drizzle-auth-kit generate [options]

Adds to your schema files what Better Auth and its plugins need. Nothing else in them changes.

  --config FILE  the file that exports auth
  --output FILE  the file for new tables, if the app has no tables yet
  --yes          writes without asking
  --check        writes nothing, and exits with 1 if something is missing
  --rls          new tables of PostgreSQL enable row level security
`

async function confirm(question: string): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await prompt.question(`${question} [y/N] `)
  prompt.close()
  return /^y(es)?$/i.test(answer)
}

try {
  const file = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = { config: file, output: file, yes: flag, check: flag, rls: flag, help: flag }
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const isUsage = values.help || positionals.join() !== 'generate'
  if (isUsage) console.log(usage)
  process.exitCode = isUsage
    ? Number(!values.help) * 2
    : await generate(values, { cwd: process.cwd(), out: console.log, error: console.error, confirm })
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}
