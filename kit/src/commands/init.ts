import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import { decide } from './init/choices.js'
import { dialectNames, drivers } from './init/drivers.js'
import { libraries } from './init/libraries.js'
import type { Plan } from './init/plan.js'
import { planFiles } from './init/plan.js'
import { readProject } from './init/project.js'
import { filesText, foundText, secretText, stepsText } from './init/report.js'
import { readOptions } from './options.js'

const driverLines = drivers.map(({ name }) => name).join(', ')

const frameworkNames = libraries[0]?.frameworks.map(({ name }) => name) ?? []

const help = `Usage: drizzle-auth-kit init [options]

Sets up Auth.js or Better Auth in an app or in an empty folder: writes the missing files (the
tables, db.ts, auth.ts, drizzle.config.ts) and prints the next steps. It never changes an
existing file.

  --library NAME     ${libraries.map(({ name }) => name).join(', ')}
  --dialect NAME     ${dialectNames.join(', ')}
  --driver NAME      ${driverLines.replace(/(.{60,70}), /g, '$1,\n                     ')}
  --framework NAME   ${frameworkNames.join(', ')}
  --dir FOLDER       the folder for auth.ts, db.ts and the tables; by default src, if it exists
  --dry-run          print each file instead of writing it
  --help             print this help
  --version          print the version

Without these options, it reads package.json, drizzle.config.* and wrangler.*, and asks questions.

Exit codes: 0 success, 1 a file cannot be written, 2 wrong usage, the dialect is unknown, or the app
already has tables of another adapter.
`

const options = {
  library: { type: 'string' },
  dialect: { type: 'string' },
  driver: { type: 'string' },
  framework: { type: 'string' },
  dir: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

export const init: Command = {
  summary: 'sets up an app: the tables, db.ts, auth.ts and drizzle.config.ts',
  help,
  async run(args, context) {
    const { dir, 'dry-run': dryRun = false, ...flags } = readOptions(args, options)
    // The folder is printed, so reject a URL that was passed by mistake: it may contain a password. Imports read some characters differently.
    if (dir !== undefined && (isAbsolute(dir) || join(dir).startsWith('..') || /[:?#%\p{C}\u2028\u2029]/u.test(dir)))
      throw new Problem('--dir must be a folder inside the app, such as src/server, without the characters : ? # and %.', 2)
    const project = await readProject(context)
    const decisions = await decide(project, flags, context.ask)
    const { library, driver, framework } = decisions
    const plan = await planFiles(project, { library: library.value, driver: driver.value, framework: framework.value }, dir)
    context.stdout.write(secretText(plan) + foundText(project, decisions))
    if (!dryRun) await writeFiles(plan, context)
    context.stdout.write(filesText(plan, dryRun) + stepsText(project, decisions, plan))
    return 0
  },
}

async function writeFiles({ files }: Plan, { cwd }: Context): Promise<void> {
  for (const { path, text, mode } of files) {
    try {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), text, { flag: 'wx', ...(mode !== undefined && { mode }) })
    } catch (error) {
      throw new Problem(`${path} cannot be written [${(error as NodeJS.ErrnoException).code}].`)
    }
  }
}
