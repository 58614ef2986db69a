import type { Decisions } from './choices.js'
import type { Plan } from './plan.js'
import { isOldNextAuth } from './plan.js'
import type { Manager, Project } from './project.js'

export const commands: Record<Manager, { add: string; addDev: string; exec: string }> = {
  npm: { add: 'npm install', addDev: 'npm install --save-dev', exec: 'npx' },
  pnpm: { add: 'pnpm add', addDev: 'pnpm add --save-dev', exec: 'pnpm exec' },
  yarn: { add: 'yarn add', addDev: 'yarn add --dev', exec: 'yarn' },
  bun: { add: 'bun add', addDev: 'bun add --dev', exec: 'bunx' },
}

const indent = (text: string, by = '  ') => text.replace(/^(?=.)/gm, by).trimEnd()
const row = (name: string, text: string) => `  ${name.padEnd(17)}${text}`

/** The section that says what was found, and where. */
export function foundText({ config, manager, usesTypeScript, isEmpty }: Project, { driver, framework }: Decisions): string {
  const dialect = { pg: 'PostgreSQL', mysql: 'MySQL or MariaDB', sqlite: 'SQLite' }[driver.value.dialect]
  const lines = [
    'Found',
    row('project', isEmpty ? 'no package.json: a new project' : usesTypeScript ? 'TypeScript' : 'JavaScript'),
    row('framework', `${framework.value.title} (${framework.from})`),
    row('database', dialect),
    row('driver', `${driver.value.name} (${driver.from})`),
    row('drizzle-kit', config ? config.file : 'no configuration'),
    row('package manager', manager),
  ]
  return `${lines.join('\n')}\n`
}

/** The section that lists the files. */
export function filesText({ files, kept }: Plan, dryRun: boolean): string {
  const parts = [
    files.length > 0 && `\n${dryRun ? 'Would write' : 'Written'}\n`,
    ...files.map(({ path, text }) => (dryRun ? `  ${path}\n\n${indent(text, '    ')}\n\n` : `  ${path}\n`)),
    kept.length > 0 && '\nUnchanged\n',
    ...kept.map(({ path, why }) => `  ${path} ${why}\n`),
  ]
  return parts.filter(Boolean).join('')
}

/** The numbered steps that the user takes next. */
export function stepsText(project: Project, decisions: Decisions, plan: Plan): string {
  const steps = [
    ...plan.advice.map(({ title, text }) => (text === undefined ? `${title}.` : `${title}:\n\n${indent(text)}`)),
    ...moduleStep(project, decisions),
    ...installStep(project, decisions, plan),
    ...envSteps(decisions, plan),
    migrateStep(project, decisions),
    startStep(project, decisions, plan),
  ]
  return `\nNext\n\n${steps.map((step, index) => `${index + 1}. ${indent(step, '   ').trimStart()}`).join('\n\n')}\n`
}

function moduleStep({ isModule }: Project, { framework }: Decisions): string[] {
  if (isModule || framework.value.hasBundler) return []
  const why = 'drizzle-auth-adapter is an ES module, so your app must be one'
  return [`${why}. Afterwards, files that use require() need the extension .cjs:\n\n  npm pkg set type=module`]
}

function installStep(project: Project, { driver, framework }: Decisions, { server }: Plan): string[] {
  const { packages, manager, usesTypeScript } = project
  const orm = packages['drizzle-orm']
  const missing = (names: string[]) => names.filter((name) => !(name.replace(/(?<=.)@.*$/, '') in packages))
  const wanted = ['drizzle-auth-adapter', ...(isOldNextAuth(project) ? [] : framework.value.packages)]
  const needed = missing([...wanted, 'drizzle-orm', ...(driver.value.perRequest ? [] : [driver.value.name])])
  const isOld = /^[\^~]?0\.(\d|[1-3]\d|4[0-4])\b/.test(orm ?? '')
  if (isOld) needed.push('drizzle-orm@latest')
  const types = usesTypeScript && driver.value.types ? [driver.value.types] : []
  // Since 1.0, drizzle-kit has the version of drizzle-orm.
  const kit = /^[\^~]?1\./.test(orm ?? '') ? `drizzle-kit@${orm}` : 'drizzle-kit'
  const neededDev = missing([
    kit,
    ...types,
    ...(driver.value.perRequest ? ['wrangler'] : []),
    ...(server && usesTypeScript ? ['tsx', 'typescript', '@types/node'] : []),
  ])
  const { add, addDev } = commands[manager]
  const lines = [
    needed.length > 0 && `${add} ${needed.join(' ')}`,
    neededDev.length > 0 && `${addDev} ${neededDev.map((name) => (/[\^~]/.test(name) ? `'${name}'` : name)).join(' ')}`,
  ].filter((line) => line !== false)
  const note = isOld ? ' (your Drizzle is older than 0.45)' : ''
  return lines.length > 0 ? [`Install the missing packages${note}:\n\n${indent(lines.join('\n'))}`] : []
}

function envSteps({ driver }: Decisions, { env }: Plan): string[] {
  const { perRequest, url } = driver.value
  const { path, text = '', isIgnored } = env
  const has = (name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, 'm').test(text)
  const isPlaceholder = url.includes('://') && text.split(/\r?\n/).includes(`DATABASE_URL=${url}`)
  const secret = `node -e "console.log('\\nAUTH_SECRET=' + crypto.randomBytes(32).toString('hex'))" >> ${path}`
  const steps = [
    !perRequest && isPlaceholder && `Replace the address in ${path} with the one of your database:\n\n  DATABASE_URL=${url}`,
    !perRequest && !has('DATABASE_URL') && `Add the address of your database to ${path}:\n\n  DATABASE_URL=${url}`,
    !has('AUTH_SECRET') && `Add a secret for Auth.js to ${path}:\n\n  ${secret}`,
  ].filter((step) => step !== false)
  return steps.length > 0 && !isIgnored ? [...steps, `Add ${path} to .gitignore, so that nobody commits your secrets.`] : steps
}

function migrateStep({ manager }: Project, { driver }: Decisions): string {
  const { exec } = commands[manager]
  const apply = driver.value.perRequest ? 'wrangler d1 migrations apply DB --local' : 'drizzle-kit migrate'
  return `Create the tables:\n\n  ${exec} drizzle-kit generate\n  ${exec} ${apply}`
}

const inShell = (path: string) => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

const ports: Record<string, number> = { sveltekit: 5173 }

function startStep({ manager, usesTypeScript }: Project, { framework, driver }: Decisions, { server }: Plan): string {
  const { name, base, hasBundler } = framework.value
  const page = `http://localhost:${ports[name] ?? 3000}${base}/signin`
  const link = 'enter an email address, and follow the link in the console'
  if (server) {
    const start = `${usesTypeScript ? `${commands[manager].exec} tsx` : 'node'} --env-file=.env ${inShell(server)}`
    return `Start the server, open ${page}, ${link}:\n\n  ${start}`
  }
  const how =
    hasBundler || driver.value.perRequest
      ? 'Start your app'
      : 'Start your app with the variables of .env, for example with node --env-file=.env'
  return `${how}, open ${page} (with the port of your app), ${link}.`
}
