import { join } from 'node:path/posix'
import type { DriverChoice } from './drivers.js'
import { drivers } from './drivers.js'
import type { AuthParts, Framework } from './frameworks.js'
import { adapterLines } from './frameworks.js'
import type { Layout } from './layout.js'
import { findModule, layoutOf } from './layout.js'
import type { Project } from './project.js'
import { serverFile, tsconfigFile } from './starter.js'
import { placeTables } from './tables.js'

/** What `init` writes, leaves alone, and has the reader add. */
export interface Plan {
  files: { path: string; text: string }[]
  kept: { path: string; why: string }[]
  advice: { title: string; text: string }[]
  /** The server that was written to try it with. */
  server?: string | undefined
}

export interface Choices {
  driver: DriverChoice
  framework: Framework
  dir?: string | undefined
}

export async function planFiles(project: Project, { driver, framework, dir }: Choices): Promise<Plan> {
  const { cwd, config, usesTypeScript } = project
  const layout = layoutOf(project, framework, dir)
  const plan: Plan = { files: [], kept: [], advice: [] }

  const tables = await placeTables(project, layout)
  if (tables.isDone) plan.kept.push({ path: tables.file, why: 'has the tables' })
  else plan.files.push({ path: tables.file, text: tablesFile(driver) })
  plan.advice.push(...tables.advice)

  if (config) plan.kept.push({ path: config.file, why: 'is there' })
  else plan.files.push({ path: `drizzle.config${layout.extension}`, text: configFile(driver, tables.schema) })

  const auth = await findAuth(cwd, layout)
  const file = auth?.file ?? layout.inDir('auth')
  const db = driver.perRequest ? undefined : await findModule(cwd, databasePlaces, opensDrizzle)
  const parts: AuthParts = {
    driver,
    usesTypeScript,
    schema: layout.importPath(file, tables.file),
    db: db && layout.importPath(file, db.file),
  }
  if (auth?.text.includes('drizzle-auth-adapter')) plan.kept.push({ path: file, why: 'has the adapter' })
  else if (auth) {
    plan.kept.push({ path: file, why: 'is there' })
    plan.advice.push({ title: `Add to ${file}`, text: adapterLines(parts) })
  } else if (isOldNextAuth(project)) {
    plan.advice.push({ title: 'next-auth 4 is installed. Add to its options', text: adapterLines(parts) })
  } else plan.files.push({ path: file, text: framework.auth(parts) ?? '' })

  // An app of next-auth 4 has its route, and version 5 mounts another one.
  if (!isOldNextAuth(project)) await planMount(plan, project, layout, { driver, framework }, { file, text: auth?.text })
  return plan
}

async function planMount(
  plan: Plan,
  project: Project,
  layout: Layout,
  { driver, framework }: Choices,
  { file: auth, text }: { file: string; text: string | undefined },
): Promise<void> {
  const { mount } = framework
  if (mount.file !== undefined) {
    const path = join(layout.root, mount.file + layout.extension)
    const lines = mount.lines(layout.importPath(path, auth), driver)
    const found = await findModule(project.cwd, [join(layout.root, mount.file)])
    // A file of the app's own may export something else.
    const imported = /\{ (\w+) \}/.exec(lines[0] ?? '')?.[1] ?? ''
    if (!found && text !== undefined && !text.includes(imported))
      plan.advice.push({ title: `Mount the handler of Auth.js, as in a file ${path}`, text: lines.join('\n') })
    else if (!found) plan.files.push({ path, text: `${lines.join('\n')}\n` })
    else {
      plan.kept.push({ path: found.file, why: 'is there' })
      if (!/auth/i.test(found.text)) plan.advice.push({ title: `Add to ${found.file}`, text: lines.join('\n') })
    }
  } else if (framework.name === 'none' && !driver.perRequest && isBare(project)) {
    const found = await findModule(project.cwd, [join(layout.dir, 'server')])
    plan.server = found?.file ?? layout.inDir('server')
    if (found) plan.kept.push({ path: plan.server, why: 'is there' })
    else plan.files.push({ path: plan.server, text: serverFile(layout.importPath(plan.server, auth), project.usesTypeScript) })
    if (project.isEmpty) plan.files.push({ path: 'package.json', text: '{\n  "private": true,\n  "type": "module"\n}\n' })
    if (project.isEmpty && project.usesTypeScript) plan.files.push({ path: 'tsconfig.json', text: tsconfigFile })
  } else {
    const title = 'Add to your app, where it answers requests'
    plan.advice.push({ title, text: mount.lines(layout.importPath(layout.inDir('app'), auth), driver).join('\n') })
  }
}

const folders = ['', 'src/']
const databasePlaces = folders.flatMap((folder) => ['db', 'db/client', 'lib/db', 'lib/server/db', 'server/db'].map((name) => folder + name))
const authPlaces = folders.flatMap((folder) => ['auth', 'lib/auth', 'server/auth', 'lib/server/auth'].map((name) => folder + name))

const opensDrizzle = (text: string) => /export (const|let) db\b/.test(text) && text.includes('drizzle')

/** The app's own configuration of Auth.js, or whatever is where it would be written. */
const findAuth = async (cwd: string, { dir }: Layout) =>
  (await findModule(cwd, [join(dir, 'auth')])) ?? (await findModule(cwd, authPlaces, (text) => /next-auth|@auth\/|auth-js/.test(text)))

export const isOldNextAuth = ({ packages }: Project) => /^[\^~]?4\b/.test(packages['next-auth'] ?? '')

const ours = /^(drizzle-.*|@auth\/core|typescript|tsx|dotenv|@types\/.*)$/
const isOurs = (name: string) => ours.test(name) || drivers.some((driver) => driver.name === name)

/** It has no package yet that could be an app. */
const isBare = ({ packages }: Project) => Object.keys(packages).every(isOurs)

const tablesFile = ({ dialect, hasNoForeignKeys }: DriverChoice) => `import { defineTables } from 'drizzle-auth-adapter/${dialect}'

export const { usersTable, accountsTable, sessionsTable, verificationTokensTable, authenticatorsTable } = defineTables(${hasNoForeignKeys ? '{ foreignKeys: false }' : ''})
`

function configFile({ kitDialect, kitDriver, perRequest, token }: DriverChoice, schema: string): string {
  const credentials = `{ url: process.env.DATABASE_URL ?? ''${token ? `, authToken: process.env.${token}` : ''} }`
  const lines = [
    "import { defineConfig } from 'drizzle-kit'",
    '',
    'export default defineConfig({',
    `  dialect: '${kitDialect}',`,
    ...(kitDriver ? [`  driver: '${kitDriver}',`] : []),
    `  schema: '${schema}',`,
    // Where Wrangler looks for them.
    `  out: '${perRequest ? './migrations' : './drizzle'}',`,
    ...(perRequest ? [] : [`  dbCredentials: ${credentials},`]),
    '})',
  ]
  return `${lines.join('\n')}\n`
}
