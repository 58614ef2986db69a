import { pageUrl } from '../../doctor/finding.js'
import type { Decisions } from './choices.js'
import type { Plan } from './plan.js'
import { isOldNextAuth } from './plan.js'
import type { Manager, Project } from './project.js'

const indent = (text: string, by = '  ') => text.replace(/^(?=.)/gm, by).trimEnd()

/** The commands of each package manager. */
const commands: Record<Manager, { add: string; addDev: string; exec: string }> = {
  npm: { add: 'npm install', addDev: 'npm install --save-dev', exec: 'npx' },
  pnpm: { add: 'pnpm add', addDev: 'pnpm add --save-dev', exec: 'pnpm exec' },
  yarn: { add: 'yarn add', addDev: 'yarn add --dev', exec: 'yarn' },
  bun: { add: 'bun add', addDev: 'bun add --dev', exec: 'bunx' },
}

/** What to do before anything is committed, if git would commit the new secret. */
export const secretText = ({ files, env: { path, isIgnored } }: Plan) =>
  isIgnored || !files.some((file) => file.path === path)
    ? ''
    : `${path} contains a secret, and git does not ignore it. Add this line to .gitignore before you commit:\n\n  ${path}\n\n`

/** The section that says what was found, and where. */
export function foundText({ config, manager, usesTypeScript, isEmpty }: Project, { library, driver, framework }: Decisions): string {
  const rows = {
    project: isEmpty ? 'no package.json: a new project' : usesTypeScript ? 'TypeScript' : 'JavaScript',
    library: `${library.value.title} (${library.from})`,
    framework: `${framework.value.title} (${framework.from})`,
    database: { pg: 'PostgreSQL', mysql: 'MySQL or MariaDB', sqlite: 'SQLite' }[driver.value.dialect],
    driver: `${driver.value.name} (${driver.from})`,
    'drizzle-kit': config ? config.file : 'no configuration',
    'package manager': manager,
  }
  return ['Found', ...Object.entries(rows).map(([name, text]) => `  ${name.padEnd(17)}${text}`), ''].join('\n')
}

/** The section that lists the files. */
export function filesText({ files, kept }: Plan, dryRun: boolean): string {
  const written = files.map(({ path, text }) => (dryRun ? `  ${path}\n\n${indent(text, '    ')}\n\n` : `  ${path}\n`))
  const unchanged = kept.map(({ path, why }) => `  ${path} ${why}\n`)
  const section = (title: string, lines: string[]) => (lines.length > 0 ? `\n${title}\n${lines.join('')}` : '')
  return section(dryRun ? 'Would write' : 'Written', written) + section('Unchanged', unchanged)
}

/** The numbered steps that the user takes next. */
export function stepsText(project: Project, decisions: Decisions, plan: Plan): string {
  const steps = [
    ...plan.advice.map(({ title, text }) => (text === undefined ? `${title}.` : `${title}:\n\n${indent(text)}`)),
    ...moduleStep(project, decisions),
    ...installStep(project, decisions, plan),
    ...envSteps(decisions, plan),
    migrateStep(project, decisions, plan),
    ...(decisions.driver.value.dialect === 'pg' ? [exposedStep] : []),
    startStep(project, decisions, plan),
  ]
  return `\nNext\n\n${steps.map((step, index) => `${index + 1}. ${indent(step, '   ').trimStart()}`).join('\n\n')}\n`
}

function moduleStep({ isModule }: Project, { framework }: Decisions): string[] {
  if (isModule || framework.value.hasBundler) return []
  const why = 'drizzle-auth-adapter is an ES module, so your app must be one'
  return [`${why}. Afterwards, files that use require() need the extension .cjs:\n\n  npm pkg set type=module`]
}

function installStep(project: Project, { library, driver, framework }: Decisions, { server }: Plan): string[] {
  const { packages, manager, usesTypeScript } = project
  const { perRequest, name, types } = driver.value
  const orm = packages['drizzle-orm'] ?? ''
  const ofFramework = isOldNextAuth(project, library.value) ? [] : framework.value.packages
  const wanted = ['drizzle-auth-adapter', ...ofFramework, 'drizzle-orm', ...(perRequest ? [] : [name])]
  const wantedDev = [
    // Since 1.0, drizzle-kit has the version of drizzle-orm.
    /^[\^~]?1\./.test(orm) ? `drizzle-kit@${orm}` : 'drizzle-kit',
    ...library.value.devPackages,
    ...(usesTypeScript && types ? [types] : []),
    ...(perRequest ? ['wrangler'] : []),
    ...(server && usesTypeScript ? ['tsx', 'typescript', '@types/node'] : []),
  ]
  const line = (command: string, names: string[]) => {
    const missing = names.filter((each) => !(each.replace(/(?<=.)@.*$/, '') in packages))
    return missing.length > 0 ? `\n  ${command} ${missing.map(inShell).join(' ')}` : ''
  }
  const lines = line(commands[manager].add, wanted) + line(commands[manager].addDev, wantedDev)
  return lines ? [`Install the missing packages:\n${lines}`] : []
}

function envSteps({ library, driver, framework }: Decisions, { env }: Plan): string[] {
  const { perRequest, url } = driver.value
  const { path, text, isIgnored } = env
  const has = (name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, 'm').test(text)
  const isPlaceholder = url.includes('://') && text.split(/\r?\n/).includes(`DATABASE_URL=${url}`)
  const { title, secret: name, url: address } = library.value
  const secret = `node -e "console.log('\\n${name}=' + crypto.randomBytes(32).toString('hex'))" >> ${path}`
  const steps = [
    !perRequest && isPlaceholder && `Replace the address in ${path} with the one of your database:\n\n  DATABASE_URL=${url}`,
    !perRequest && !has('DATABASE_URL') && `Add the address of your database to ${path}:\n\n  DATABASE_URL=${url}`,
    !has(name) && `Add a secret for ${title} to ${path}:\n\n  ${secret}`,
    address !== undefined && !has(address) && `Add the address of your app to ${path}:\n\n  ${address}=${framework.value.origin}`,
  ].filter((step) => step !== false)
  return steps.length > 0 && !isIgnored ? [...steps, `Add ${path} to .gitignore, so that nobody commits your secrets.`] : steps
}

function migrateStep({ manager }: Project, { library, driver }: Decisions, { auth, schema }: Plan): string {
  const { exec } = commands[manager]
  const apply = driver.value.perRequest ? 'wrangler d1 migrations apply DB --local' : 'drizzle-kit migrate'
  const create = `${exec} drizzle-kit generate\n  ${exec} ${apply}`
  if (library.value.name === 'authjs') return `Create the tables:\n\n  ${create}`
  return `Write the tables to ${schema} (auth needs Node.js 22.12), and create them. Do so again when you add a plugin:

  ${exec} auth generate --config ${inShell(auth)} --output ${inShell(schema)} --yes
  ${create}`
}

const exposedStep = `If your database is on Supabase, anyone with its public key can read the tables in the schema public over HTTP, session tokens included. Enable row level security on each of them, or keep them in a schema of their own: ${pageUrl('hosts/supabase.md')}`

const inShell = (path: string) => (/^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

const signUp = '{ "name": "Ada", "email": "ada@example.com", "password": "choose-a-better-one" }'

function startStep({ manager, usesTypeScript }: Project, { library, framework, driver }: Decisions, { server }: Plan): string {
  const { base, hasBundler, origin } = framework.value
  const address = origin + base
  const isAuthjs = library.value.name === 'authjs'
  const next = isAuthjs ? `open ${address}/signin, enter an email address, and follow the link in the console` : 'and sign up'
  const curl = isAuthjs ? [] : [`curl ${address}/sign-up/email -H 'content-type: application/json' -d '${signUp}'`]
  const start = `${usesTypeScript ? `${commands[manager].exec} tsx` : 'node'} --env-file=.env ${inShell(server ?? '')}`
  if (server) return `Start the server, ${next}:\n\n${indent([start, ...curl].join('\n'))}`
  const how =
    hasBundler || driver.value.perRequest
      ? 'Start your app'
      : 'Start your app with the variables of .env, for example with node --env-file=.env'
  return `${how}, ${next} (with the port of your app)${curl.length > 0 ? `:\n\n${indent(curl.join('\n'))}` : '.'}`
}
