import { randomBytes } from 'node:crypto'
import { join } from 'node:path/posix'
import type { DriverChoice } from './drivers.js'
import { drivers } from './drivers.js'
import { refuseOfficial } from './existing.js'
import type { AuthParts, Framework } from './frameworks.js'
import { databaseFile } from './frameworks.js'
import { isIgnored } from './ignored.js'
import type { Layout } from './layout.js'
import { authPlaces, findModule, layoutOf, placesOf, quoted } from './layout.js'
import type { Library } from './library.js'
import type { Project } from './project.js'
import { readText } from './project.js'
import { tsconfigFile } from './starter.js'
import { placeTables } from './tables.js'
import { usersAdvice } from './users.js'

/** The files that `init` writes, the files that it leaves alone, and what the user has to add. */
export interface Plan {
  files: { path: string; text: string; mode?: number }[]
  kept: { path: string; why: string }[]
  advice: { title: string; text?: string }[]
  /** The files with the tables and with the configuration of the library. */
  schema: string
  auth: string
  /** The server to try it with, in a folder without an app. */
  server?: string | undefined
  /** The file with the environment variables, and its text if it exists or will be written. */
  env: { path: string; text?: string | undefined; isIgnored: boolean }
}

export interface Choices {
  library: Library
  driver: DriverChoice
  framework: Framework
  dir?: string | undefined
}

export async function planFiles(project: Project, { library, driver, framework, dir }: Choices): Promise<Plan> {
  const { cwd, config, usesTypeScript } = project
  const layout = layoutOf(project, framework, dir)
  const tables = await placeTables(project, layout, library)
  const auth = await findAuth(cwd, layout, library)
  const file = auth?.file ?? layout.inDir('auth')
  if (auth) refuseOfficial(auth.text, project)
  const plan: Plan = { files: [], kept: [], advice: [], schema: tables.file, auth: file, env: await findEnv(cwd, driver) }

  const { users } = tables
  const usersIn = (file: string) => users && { name: users.name, path: layout.importPath(file, users.file) }
  if (tables.isDone) plan.kept.push({ path: tables.file, why: library.generate ? 'exists' : 'has the tables' })
  else plan.files.push({ path: tables.file, text: library.tablesFile(driver, tables.casing, usersIn(tables.file)) })
  if (users) plan.advice.push(...usersAdvice(users, driver, tables.isDone))
  plan.advice.push(...tables.advice)

  if (config) plan.kept.push({ path: config.file, why: 'exists' })
  else plan.files.push({ path: `drizzle.config${layout.extension}`, text: configFile(driver, tables.schema) })

  if (auth?.text.includes('drizzle-auth-adapter')) plan.kept.push({ path: file, why: 'has the adapter' })
  else {
    const db = driver.perRequest ? '' : layout.importPath(file, await planDatabase(plan, project, layout, driver, framework))
    const parts: AuthParts = { driver, usesTypeScript, schema: layout.importPath(file, tables.file), db, users: usersIn(file) }
    if (auth) {
      plan.kept.push({ path: file, why: 'exists' })
      plan.advice.push({ title: `Add to ${file}`, text: library.adapterLines(parts) })
    } else if (isOldNextAuth(project, library)) {
      plan.advice.push({
        title: 'next-auth 4 is installed. Add to the file with its options',
        text: library.adapterLines(parts).replace('export ', ''),
      })
    } else plan.files.push({ path: file, text: framework.auth(parts) ?? '' })
  }

  // An app with next-auth 4 has a route already, and version 5 needs a different one.
  if (!isOldNextAuth(project, library)) await planMount(plan, project, layout, { library, driver, framework }, { file, text: auth?.text })
  if (project.isEmpty) await planSecrets(plan, cwd, { library, driver, framework })
  return plan
}

/** The file that exports `db`: the app's own, or a new one. */
async function planDatabase(
  plan: Plan,
  { cwd, config }: Project,
  layout: Layout,
  driver: DriverChoice,
  framework: Framework,
): Promise<string> {
  const own = await findModule(cwd, [join(layout.dir, 'db'), ...databasePlaces], opensDrizzle)
  if (own) {
    plan.kept.push({ path: own.file, why: 'exports db' })
    return own.file
  }
  const isTaken = (await findModule(cwd, [join(layout.dir, 'db')])) !== undefined
  const path = layout.inDir(isTaken ? 'auth-db' : 'db')
  plan.files.push({ path, text: databaseFile(driver, framework, config?.casing) })
  return path
}

async function findEnv(cwd: string, { perRequest }: DriverChoice): Promise<Plan['env']> {
  const path = perRequest ? '.dev.vars' : '.env'
  return { path, text: await readText(cwd, path), isIgnored: await isIgnored(cwd, path) }
}

/** Writes the environment variables of a new project, and a .gitignore that keeps them private. */
async function planSecrets(plan: Plan, cwd: string, { library, driver, framework }: Choices): Promise<void> {
  const { perRequest, url, dataFiles } = driver
  const { env } = plan
  if (env.text === undefined) {
    const lines = [
      ...(perRequest ? [] : [`DATABASE_URL=${url}`]),
      `${library.secret}=${randomBytes(32).toString('hex')}`,
      ...(library.url ? [`${library.url}=${originOf(framework)}`] : []),
    ]
    env.text = `${lines.join('\n')}\n`
    plan.files.push({ path: env.path, text: env.text, mode: 0o600 })
  } else plan.kept.push({ path: env.path, why: 'exists' })
  if ((await readText(cwd, '.gitignore')) === undefined) {
    env.isIgnored = true
    plan.files.push({ path: '.gitignore', text: ['node_modules', env.path, ...(dataFiles ? [dataFiles] : []), ''].join('\n') })
  } else plan.kept.push({ path: '.gitignore', why: 'exists' })
}

async function planMount(
  plan: Plan,
  project: Project,
  layout: Layout,
  { library, driver, framework }: Choices,
  { file: auth, text }: { file: string; text: string | undefined },
): Promise<void> {
  const { mount } = framework
  if (mount.file !== undefined) {
    const path = join(layout.root, mount.file + layout.extension)
    const lines = mount.lines(layout.importPath(path, auth), driver)
    const found = await findModule(project.cwd, [join(layout.root, mount.file)])
    // The app's own auth.ts may export something else.
    const imported = /\{ (\w+) \}/.exec(lines[0] ?? '')?.[1] ?? ''
    if (!found && text !== undefined && !text.includes(imported))
      plan.advice.push({ title: `Mount the handler of ${library.title}, for example in ${path}`, text: lines.join('\n') })
    else if (!found) plan.files.push({ path, text: `${lines.join('\n')}\n` })
    else {
      plan.kept.push({ path: found.file, why: 'exists' })
      if (!/auth/i.test(found.text)) plan.advice.push({ title: `Add to ${found.file}`, text: lines.join('\n') })
    }
  } else if (framework.name === 'none' && !driver.perRequest && isBare(project)) {
    const found = await findModule(project.cwd, [join(layout.dir, 'server')])
    plan.server = found?.file ?? layout.inDir('server')
    if (found) plan.kept.push({ path: plan.server, why: 'exists' })
    else plan.files.push({ path: plan.server, text: library.serverFile(layout.importPath(plan.server, auth), project.usesTypeScript) })
    if (project.isEmpty) plan.files.push({ path: 'package.json', text: '{\n  "private": true,\n  "type": "module"\n}\n' })
    if (project.isEmpty && project.usesTypeScript) plan.files.push({ path: 'tsconfig.json', text: tsconfigFile })
  } else {
    const title = 'Add to your app, where it handles requests'
    plan.advice.push({ title, text: mount.lines(layout.importPath(layout.inDir('app'), auth), driver).join('\n') })
  }
}

const databasePlaces = placesOf('db', 'db/client', 'lib/db', 'lib/server/db', 'server/db')

const opensDrizzle = (text: string) => /export (const|let) db\b/.test(text) && text.includes('drizzle')

/** The app's own configuration of the library, or any file at the path where init would write it. */
const findAuth = async (cwd: string, { dir }: Layout, { isConfiguration }: Library) =>
  (await findModule(cwd, [join(dir, 'auth')])) ?? (await findModule(cwd, authPlaces, isConfiguration))

export const isOldNextAuth = ({ packages }: Project, { name }: Library) =>
  name === 'authjs' && /^[\^~]?4\b/.test(packages['next-auth'] ?? '')

const ports: Record<string, number> = { sveltekit: 5173 }

/** The address of the app while it is developed. */
export const originOf = ({ name }: Framework) => `http://localhost:${ports[name] ?? 3000}`

const ours = /^(drizzle-.*|@auth\/core|better-auth|auth|typescript|tsx|dotenv|@types\/.*)$/
const isOurs = (name: string) => ours.test(name) || drivers.some((driver) => driver.name === name)

/** The project has no package that suggests an app. */
const isBare = ({ packages }: Project) => Object.keys(packages).every(isOurs)

function configFile({ kitDialect, kitDriver, perRequest, token }: DriverChoice, schema: string[]): string {
  const paths = schema.map(quoted).join(', ')
  const lines = [
    "import { defineConfig } from 'drizzle-kit'",
    '',
    ...(perRequest
      ? []
      : ['// drizzle-kit reads .env.', 'const url = process.env.DATABASE_URL', "if (!url) throw new Error('DATABASE_URL is not set')", '']),
    'export default defineConfig({',
    `  dialect: '${kitDialect}',`,
    ...(kitDriver ? [`  driver: '${kitDriver}',`] : []),
    `  schema: ${schema.length > 1 ? `[${paths}]` : paths},`,
    // Wrangler looks for migrations in ./migrations.
    `  out: '${perRequest ? './migrations' : './drizzle'}',`,
    ...(perRequest ? [] : [`  dbCredentials: { url${token ? `, authToken: process.env.${token}` : ''} },`]),
    '})',
  ]
  return `${lines.join('\n')}\n`
}
