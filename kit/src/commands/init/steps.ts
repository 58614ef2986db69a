import { pageUrl } from '../../doctor/finding.js'
import type { App } from './app.js'
import { commands } from './project.js'

export const indent = (text: string, by = '  ') => text.replace(/^(?=.)/gm, by).trimEnd()

/** The numbered steps that the user takes next. */
export function stepsText(app: App): string {
  const steps = [
    ...app.advice.map(({ title, text }) => (text === undefined ? `${title}.` : `${title}:\n\n${indent(text)}`)),
    ...moduleStep(app),
    ...installStep(app),
    ...envSteps(app),
    migrateStep(app),
    ...(app.driver.dialect === 'pg' ? [exposedStep] : []),
    startStep(app),
  ]
  return `\nNext\n\n${steps.map((step, index) => `${index + 1}. ${indent(step, '   ').trimStart()}`).join('\n\n')}\n`
}

function moduleStep({ project, framework }: App): string[] {
  if (project.isModule || framework.hasBundler) return []
  const why = 'drizzle-auth-adapter is an ES module, so your app must be one'
  return [`${why}. Afterwards, files that use require() need the extension .cjs:\n\n  npm pkg set type=module`]
}

function installStep(app: App): string[] {
  const { library, driver, framework, server } = app
  const { packages, manager, usesTypeScript } = app.project
  const { add, addDev, exact } = commands[manager]
  const line = (command: string, names: string[]) => {
    const missing = names.filter((each) => !(each.replace(/(?<=.)@.*$/, '') in packages))
    return missing.length > 0 ? `\n  ${command} ${missing.map(inShell).join(' ')}` : ''
  }
  const wanted = ['drizzle-auth-adapter', ...framework.packages, 'drizzle-orm']
  // Since 1.0, drizzle-kit has the version of drizzle-orm. npm takes other builds for newer than a release candidate.
  const [, version, candidate] = /^[\^~]?(1\.[\d.]+(-.*)?)$/.exec(packages['drizzle-orm'] ?? '') ?? []
  const kit = version ? `drizzle-kit@${candidate ? '' : '^'}${version}` : 'drizzle-kit'
  const dev = [
    ...library.devPackages,
    ...(usesTypeScript && driver.types ? [driver.types] : []),
    ...(driver.perRequest ? ['wrangler'] : []),
  ]
  const tools = server && usesTypeScript ? ['tsx', 'typescript', '@types/node'] : []
  const lines = [
    line(add, [...wanted, ...(driver.perRequest ? [] : [driver.name])]),
    candidate ? line(`${addDev} ${exact}`, [kit]) : '',
    line(addDev, [...(candidate ? [] : [kit]), ...dev, ...tools]),
  ]
  return lines.some(Boolean) ? [`Install the missing packages:\n${lines.join('')}`] : []
}

function envSteps({ library, driver, framework, env }: App): string[] {
  const { perRequest, url } = driver
  const { path, text, isIgnored } = env
  const has = (name: string) => new RegExp(`^\\s*(export\\s+)?${name}\\s*=`, 'm').test(text)
  const isPlaceholder = url.includes('://') && text.split(/\r?\n/).includes(`DATABASE_URL=${url}`)
  const { title, secret: name, url: address } = library
  const secret = `node -e "console.log('\\n${name}=' + crypto.randomBytes(32).toString('hex'))" >> ${path}`
  const steps = [
    !perRequest && isPlaceholder && `Replace the address in ${path} with the one of your database:\n\n  DATABASE_URL=${url}`,
    !perRequest && !has('DATABASE_URL') && `Add the address of your database to ${path}:\n\n  DATABASE_URL=${url}`,
    !has(name) && `Add a secret for ${title} to ${path}:\n\n  ${secret}`,
    address !== undefined && !has(address) && `Add the address of your app to ${path}:\n\n  ${address}=${framework.origin}`,
  ].filter((step) => step !== false)
  return steps.length > 0 && !isIgnored ? [...steps, `Add ${path} to .gitignore, so that nobody commits your secrets.`] : steps
}

function migrateStep({ project, library, driver, auth, tables }: App): string {
  const { exec } = commands[project.manager]
  const apply = driver.perRequest ? 'wrangler d1 migrations apply DB --local' : 'drizzle-kit migrate'
  const create = `${exec} drizzle-kit generate\n  ${exec} ${apply}`
  if (library.name === 'authjs') return `Create the tables:\n\n  ${create}`
  return `Write the tables to ${tables} (auth needs Node.js 22.12), and create them. Do so again when you add a plugin:

  ${exec} auth generate --config ${inShell(auth)} --output ${inShell(tables)} --yes
  ${create}`
}

const exposedStep = `If your database is on Supabase, anyone with its public key can read the tables in the schema public over HTTP, session tokens included. Enable row level security on each of them, or keep them in a schema of their own: ${pageUrl('hosts/supabase.md')}`

const inShell = (path: string) => (/^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

const signUp = '{ "name": "Ada", "email": "ada@example.com", "password": "choose-a-better-one" }'

function startStep({ project, library, framework, driver, server }: App): string {
  const { base, hasBundler, origin } = framework
  const address = origin + base
  const isAuthjs = library.name === 'authjs'
  const next = isAuthjs ? `open ${address}/signin, enter an email address, and follow the link in the console` : 'and sign up'
  const curl = isAuthjs ? [] : [`curl ${address}/sign-up/email -H 'content-type: application/json' -d '${signUp}'`]
  if (server) {
    const start = `${project.usesTypeScript ? `${commands[project.manager].exec} tsx` : 'node'} --env-file=.env ${inShell(server)}`
    return `Start the server, ${next}:\n\n${indent([start, ...curl].join('\n'))}`
  }
  const how = hasBundler || driver.perRequest ? '' : ' with the variables of .env, for example with node --env-file=.env'
  return `Start your app${how}, ${next} (with the port of your app)${curl.length > 0 ? `:\n\n${indent(curl.join('\n'))}` : '.'}`
}
