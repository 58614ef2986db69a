import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path/posix'
import type { Choices } from './choices.js'
import { drivers } from './drivers.js'
import { adapterLines, fillIn, mountLines, readExample, toJavaScript } from './examples.js'
import type { Library } from './libraries.js'
import type { Project } from './project.js'
import { findModule, isIgnored, readText } from './project.js'
import type { Layout } from './tables.js'
import { authPlaces, layoutOf, placesOf, placeTables, quoted, usersAdvice } from './tables.js'

/** The files that `init` writes, the files that it leaves alone, and what the user has to add. */
export interface Plan {
  files: { path: string; text: string; mode?: number }[]
  kept: { path: string; why: string }[]
  advice: { title: string; text?: string }[]
  /** The files with the tables and with the configuration of the library. */
  schema: string
  auth: string
  /** The server to try it with, in a folder without an app. */
  server?: string
  /** The file with the environment variables, and its text if it exists or will be written. */
  env: { path: string; text: string; isIgnored: boolean }
}

/** The file with the tables of Better Auth, until `auth generate` writes them. */
const placeholder = '// npx auth generate writes the tables of Better Auth and its plugins to this file.\nexport {}\n'

/** What the parts of a plan have in common. */
interface Planning extends Choices {
  project: Project
  layout: Layout
  plan: Plan
  /** The app's own `auth.ts`. */
  own: { file: string; text: string } | undefined
  /** Writes a file, unless it exists. */
  write(path: string, text: string, mode?: number): void
  /** An example, filled in for a file at a path. `more` has further paths that it names. */
  fill(example: string, path: string, more?: Record<string, string>): Promise<string>
}

export async function planFiles(project: Project, choices: Choices, dir: string | undefined): Promise<Plan> {
  const { cwd, config } = project
  const { library, driver, framework } = choices
  const layout = layoutOf(project, framework, dir)
  const { users, ...tables } = await placeTables(project, layout, library)
  // The app's own configuration, or any file at the path where init would write it.
  const own = (await findModule(cwd, [join(layout.dir, 'auth')])) ?? (await findModule(cwd, authPlaces, library.configuration))
  const auth = own?.file ?? layout.inDir('auth')
  const envPath = driver.perRequest ? '.dev.vars' : '.env'
  const env = { path: envPath, text: (await readText(cwd, envPath)) ?? '', isIgnored: await isIgnored(cwd, envPath) }
  const plan: Plan = { files: [], kept: [], advice: [], schema: tables.file, auth, env }
  const planning: Planning = {
    ...choices,
    project,
    layout,
    plan,
    own,
    write(path, text, mode) {
      if (existsSync(join(cwd, path))) plan.kept.push({ path, why: 'exists' })
      else plan.files.push({ path, text: path.endsWith('.js') ? toJavaScript(text) : text, ...(mode && { mode }) })
    },
    async fill(example, path, more) {
      const schema = layout.importPath(path, tables.file)
      const paths = { schema, 'auth-schema': schema, auth: layout.importPath(path, auth), ...more }
      const ownUsers = users && { name: users.name, path: layout.importPath(path, users.file) }
      const usesSvelteKit = framework.name === 'sveltekit'
      return fillIn(await readExample(example), { driver, casing: config?.casing, users: ownUsers, usesSvelteKit, paths })
    },
  }
  const { write, fill } = planning

  if (tables.isDone) plan.kept.push({ path: tables.file, why: library.name === 'authjs' ? 'has the tables' : 'exists' })
  else write(tables.file, library.name === 'authjs' ? await fill('node/schema.ts', tables.file) : placeholder)
  if (users) plan.advice.push(...usersAdvice(users, driver.dialect))

  const configPath = config?.file ?? `drizzle.config${layout.extension}`
  const schemas = tables.schema.map(quoted).join(', ')
  const schema = tables.schema.length > 1 ? `[${schemas}]` : schemas
  const kitExample = driver.perRequest ? 'worker/drizzle.config.ts' : 'node/drizzle.config.ts'
  write(configPath, await fill(kitExample, configPath, { 'schema.ts': schema }))
  if (config && !tables.isRead)
    plan.advice.push({ title: `So that drizzle-kit reads ${tables.file}, set in ${configPath}`, text: `schema: ${schema},` })

  await planAuth(planning)
  // An app with next-auth 4 has a route already, and version 5 needs a different one.
  if (!isOldNextAuth(project, library)) await planMount(planning)
  if (project.isEmpty) planSecrets(planning)
  return plan
}

async function planAuth(planning: Planning): Promise<void> {
  const { project, library, driver, framework, plan, own, layout, write, fill } = planning
  const { auth, kept, advice } = plan
  if (own?.text.includes('drizzle-auth-adapter')) {
    kept.push({ path: auth, why: 'has the adapter' })
    return
  }
  const db = driver.perRequest ? '' : layout.importPath(auth, await planDatabase(planning))
  const text = await fill((driver.perRequest && framework.perRequest) || framework.auth, auth, { db })
  const isOld = isOldNextAuth(project, library)
  if (own || !isOld) write(auth, text)
  const title = own ? `Add to ${auth}` : 'next-auth 4 is installed. Add to the file with its options'
  if (own || isOld) advice.push({ title, text: adapterLines(text, library.option) })
}

const databasePlaces = placesOf('db', 'db/client', 'lib/db', 'lib/server/db', 'server/db')

/** The file that exports `db`: the app's own, or a new one. */
async function planDatabase({ project: { cwd }, layout, plan, write, fill }: Planning): Promise<string> {
  const inDir = join(layout.dir, 'db')
  const own = await findModule(cwd, [inDir, ...databasePlaces], /drizzle[\s\S]*export (const|let) db\b/)
  const path = own?.file ?? layout.inDir((await findModule(cwd, [inDir])) ? 'auth-db' : 'db')
  if (own) plan.kept.push({ path, why: 'exports db' })
  else write(path, await fill('node/db.ts', path))
  return path
}

async function planMount({ project, library, driver, framework, plan, own, layout, write, fill }: Planning): Promise<void> {
  const { cwd, isEmpty } = project
  const [app, server] = [layout.inDir('app'), layout.inDir('server')]
  if (framework.route && framework.mount) {
    const path = join(layout.root, framework.route + layout.extension)
    const text = await fill(framework.mount, path)
    const found = await findModule(cwd, [join(layout.root, framework.route)])
    if (found) plan.kept.push({ path: found.file, why: 'exists' })
    // The app's own auth.ts may export something else.
    if (!found && !own) write(path, text)
    else if (!found || !/auth/i.test(found.text)) {
      const title = found ? `Add to ${found.file}` : `Mount the handler of ${library.title}, for example in ${path}`
      plan.advice.push({ title, text })
    }
  } else if (!framework.mount && !driver.perRequest && (isBare(project) || existsSync(join(cwd, server)))) {
    plan.server = server
    write(server, await fill(library.server, server))
    if (isEmpty) write('package.json', '{\n  "private": true,\n  "type": "module"\n}\n')
    if (isEmpty) write('tsconfig.json', await readExample('node/tsconfig.json'))
  } else {
    const mounted = framework.mount && mountLines(await fill(framework.mount, app))
    const lines = mounted ?? plainLines(library, layout.importPath(app, plan.auth), driver.perRequest)
    const text = driver.perRequest ? lines.replace('() => authConfig', '(c) => authConfig(c.env)') : lines
    plan.advice.push({ title: 'Add to your app, where it handles requests', text })
  }
}

/** The project has no package that suggests an app. */
const isBare = ({ packages }: Project) =>
  Object.keys(packages).every((name) => /^(drizzle-.*|typescript|tsx|@types\/.*)$/.test(name) || drivers.some((each) => each.name === name))

/** Writes the environment variables of a new project, and a .gitignore that keeps them private. */
function planSecrets({ project: { cwd }, library, driver, framework, plan: { env }, write }: Planning): void {
  const secret = `${library.secret}=${randomBytes(32).toString('hex')}`
  const lines = [driver.perRequest ? '' : `DATABASE_URL=${driver.url}`, secret, library.url ? `${library.url}=${framework.origin}` : '']
  env.text ||= `${lines.filter(Boolean).join('\n')}\n`
  write(env.path, env.text, 0o600)
  env.isIgnored ||= !existsSync(join(cwd, '.gitignore'))
  write('.gitignore', ['node_modules', env.path, ...(driver.dataFiles ? [driver.dataFiles] : []), ''].join('\n'))
}

/** How an app without a framework calls the handler. */
function plainLines({ name, handler }: Library, auth: string, perRequest = false): string {
  const base = name === 'authjs' ? '/auth/' : '/api/auth/'
  return [
    ...(perRequest ? ["import { Auth } from '@auth/core'"] : []),
    `import { ${perRequest ? 'authConfig' : /^\w+/.exec(handler)} } from ${auth}`,
    '',
    `// For each request whose path begins with ${base}. It takes a Request and returns a Response.`,
    `// Links begin with the origin of its URL. Refuse request targets such as //example.com${base}, which replace it.`,
    `const response = await ${perRequest ? 'Auth(request, authConfig(env))' : handler}`,
  ].join('\n')
}

export const isOldNextAuth = ({ packages }: Project, { name }: Library) =>
  name === 'authjs' && /^[\^~]?4\b/.test(packages['next-auth'] ?? '')
