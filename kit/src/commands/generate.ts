import type { Command } from './command.js'
import { flags, readOptions, values } from './options.js'

const help = `Usage: drizzle-auth-kit generate [options]

Adds to your schema files what Better Auth and its plugins need. Nothing else in them changes.
It shows the lines and asks before it writes them.

  --config FILE  the file that exports auth; by default it is looked for
  --output FILE  the file for new tables, if the app has no tables yet
  --yes          write without asking
  --check        write nothing, and exit with 1 if something is missing
  --rls          new tables of PostgreSQL enable row level security
  --help         print this help
  --version      print the version

Exit codes: 0 nothing is missing any more, 1 something is, 2 wrong usage or settings.
`

const options = { ...values('config', 'output'), ...flags('yes', 'check', 'rls') }

export const command: Command = {
  help,
  async run(args, { cwd, stdout, stderr, prompts }) {
    // Better Auth is loaded only by this command.
    const { generate: write } = await import('../generate/command.js')
    const confirm = async (question: string) => (await prompts?.confirm(question)) ?? false
    const out = (text: string) => stdout.write(`${text}\n`)
    return write(readOptions(args, options), { cwd, out, error: (text) => stderr.write(`${text}\n`), confirm })
  },
}
