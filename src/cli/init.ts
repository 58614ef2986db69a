import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Command, Context } from './command.js'
import { Problem } from './command.js'
import { decide } from './init/choices.js'
import { dialectNames, drivers } from './init/drivers.js'
import { frameworks } from './init/frameworks.js'
import type { Plan } from './init/plan.js'
import { planFiles } from './init/plan.js'
import { readProject, readText } from './init/project.js'
import { filesText, foundText, stepsText } from './init/report.js'
import { readOptions } from './options.js'

const driverLines = drivers.map(({ name }) => name).join(', ')

const help = `Usage: drizzle-auth-adapter init [options]

Sets up an app, or an empty folder: writes the tables, auth.ts and drizzle.config.ts that are
missing, and prints what to do next. It never changes a file that is there.

  --dialect NAME     ${dialectNames.join(', ')}
  --driver NAME      ${driverLines.replace(/(.{60,70}), /g, '$1,\n                     ')}
  --framework NAME   ${frameworks.map(({ name }) => name).join(', ')}
  --dir FOLDER       where auth.ts and the tables go; by default src, where there is one
  --dry-run          write nothing, and print each file
  --help             print this
  --version          print the version

Without these options it reads package.json, drizzle.config.* and wrangler.*, and asks.

Exit codes: 0 done, 1 a file cannot be written, 2 wrong usage, or the dialect is unknown.
`

const options = {
  dialect: { type: 'string' },
  driver: { type: 'string' },
  framework: { type: 'string' },
  dir: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

export const init: Command = {
  summary: 'sets up an app: the tables, auth.ts and drizzle.config.ts',
  help,
  async run(args, context) {
    const { dir, 'dry-run': dryRun = false, ...flags } = readOptions(args, options)
    // It is printed, so it must not be a URL by mistake.
    if (dir !== undefined && (isAbsolute(dir) || join(dir).startsWith('..') || dir.includes(':')))
      throw new Problem('--dir takes a folder of the app, such as src/server.', 2)
    const project = await readProject(context)
    const decisions = await decide(project, flags, context.ask)
    const plan = await planFiles(project, { driver: decisions.driver.value, framework: decisions.framework.value, dir })
    const env = await readText(context.cwd, decisions.driver.value.perRequest ? '.dev.vars' : '.env')
    context.stdout.write(foundText(project, decisions))
    if (!dryRun) await writeFiles(plan, context)
    context.stdout.write(filesText(plan, dryRun) + stepsText(project, decisions, plan, env))
    return 0
  },
}

async function writeFiles({ files }: Plan, { cwd }: Context): Promise<void> {
  for (const { path, text } of files) {
    try {
      await mkdir(dirname(join(cwd, path)), { recursive: true })
      await writeFile(join(cwd, path), text, { flag: 'wx' })
    } catch (error) {
      throw new Problem(`${path} cannot be written [${(error as NodeJS.ErrnoException).code}].`)
    }
  }
}
