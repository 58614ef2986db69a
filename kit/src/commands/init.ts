import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Command } from './command.js'
import { Problem } from './command.js'
import type { App } from './init/app.js'
import { choose } from './init/choices.js'
import { dialectNames, drivers } from './init/drivers.js'
import { libraries } from './init/libraries.js'
import { planApp } from './init/plan.js'
import { readProject } from './init/project.js'
import { indent, stepsText } from './init/steps.js'
import { flags, readOptions, values } from './options.js'

const namesOf = (all: readonly { name: string }[] = []) => all.map(({ name }) => name).join(', ')

const help = `Usage: drizzle-auth-kit init [options]

Sets up Auth.js or Better Auth in an app or in an empty folder: writes the missing files (the
tables, db.ts, auth.ts, drizzle.config.ts) and prints the next steps. It never changes an
existing file.

  --library NAME     ${namesOf(libraries)}
  --dialect NAME     ${dialectNames.join(', ')}
  --driver NAME      ${namesOf(drivers).replace(/(.{60,70}), /g, '$1,\n                     ')}
  --framework NAME   ${namesOf(libraries[0]?.frameworks)}
  --dir FOLDER       the folder for auth.ts, db.ts and the tables; by default src, if it exists
  --dry-run          print each file instead of writing it
  --help             print this help
  --version          print the version

Without these options, it reads package.json, drizzle.config.* and wrangler.*, and asks questions.

Exit codes: 0 success, 1 a file cannot be written, 2 wrong usage, the dialect is unknown, or the app
already has tables of another adapter.
`

const options = { ...values('library', 'dialect', 'driver', 'framework', 'dir'), ...flags('dry-run') }

export const command: Command = {
  help,
  async run(args, context) {
    const { dir, 'dry-run': dryRun = false, ...wanted } = readOptions(args, options)
    // The folder is printed, so reject a URL that was passed by mistake: it may contain a password. Imports read some characters differently.
    if (dir !== undefined && (isAbsolute(dir) || join(dir).startsWith('..') || /[:?#%\p{C}\u2028\u2029]/u.test(dir)))
      throw new Problem('--dir must be a folder inside the app, such as src/server, without the characters : ? # and %.', 2)
    const project = await readProject(context)
    const app = await planApp(project, await choose(project, wanted, context.prompts), dir)
    context.stdout.write(foundText(app))
    if (!dryRun) await writeFiles(app)
    context.stdout.write(filesText(app, dryRun) + stepsText(app))
    return 0
  },
}

async function writeFiles({ project, files }: App): Promise<void> {
  for (const { path, text, mode } of files) {
    const file = join(project.cwd, path)
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, text, { flag: 'wx', ...(mode && { mode }) })
    } catch (error) {
      throw new Problem(`${path} cannot be written [${(error as NodeJS.ErrnoException).code}].`)
    }
  }
}

/** Whether git would commit the new secret, and what was found. */
function foundText({ project, library, framework, driver, files, env }: App): string {
  const isExposed = !env.isIgnored && files.some(({ path }) => path === env.path)
  const warning = `${env.path} contains a secret, and git does not ignore it. Add this line to .gitignore before you commit:\n\n  ${env.path}\n\n`
  const language = project.usesTypeScript ? 'TypeScript' : 'JavaScript'
  const found = [library.title, `framework ${framework.title}`, `${driver.title} with ${driver.name}`, language, project.manager].join(', ')
  return `${isExposed ? warning : ''}Found: ${found}\nTo choose others: --library, --framework, --dialect, --driver\n`
}

/** The section that lists the files. */
function filesText({ files, kept }: App, dryRun: boolean): string {
  const written = files.map(({ path, text }) => (dryRun ? `  ${path}\n\n${indent(text, '    ')}\n\n` : `  ${path}\n`))
  const section = (title: string, lines: string[]) => (lines.length > 0 ? `\n${title}\n${lines.join('')}` : '')
  const unchanged = kept.map((path) => `  ${path}\n`)
  return section(dryRun ? 'Would write' : 'Written', written) + section('Unchanged', unchanged)
}
