import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path/posix'
import type { Choices } from './choices.js'
import type { ExampleFile } from './examples.js'
import { adapterLines, fillIn, mountLines, readExample, toJavaScript } from './examples.js'
import type { Library } from './libraries.js'
import type { Project } from './project.js'
import { findModule, isIgnored, readText } from './project.js'
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

const databasePlaces = placesOf('db', 'db/client', 'lib/db', 'lib/server/db', 'server/db')

/** The file with the tables of Better Auth, until `auth generate` writes them. */
const placeholder = '// npx auth generate writes the tables of Better Auth and its plugins to this file.\nexport {}\n'

export async function planFiles(project: Project, { library, driver, framework }: Choices, dir: string | undefined): Promise<Plan> {
  const { cwd, config, packages } = project
  const layout = layoutOf(project, framework, dir)
  const { users, ...tables } = await placeTables(project, layout, library)
  // The app's own configuration, or any file at the path where init would write it.
  const own = (await findModule(cwd, [join(layout.dir, 'auth')])) ?? (await findModule(cwd, authPlaces, library.configuration))
  const auth = own?.file ?? layout.inDir('auth')
  const envPath = driver.perRequest ? '.dev.vars' : '.env'
  const env = { path: envPath, text: (await readText(cwd, envPath)) ?? '', isIgnored: await isIgnored(cwd, envPath) }
  const plan: Plan = { files: [], kept: [], advice: [], schema: tables.file, auth, env }
  const { kept, advice } = plan

  /** Writes a file, unless it exists. */
  const write = (path: string, text: string, mode?: number) => {
    if (existsSync(join(cwd, path))) kept.push({ path, why: 'exists' })
    else plan.files.push({ path, text: path.endsWith('.js') ? toJavaScript(text) : text, ...(mode && { mode }) })
  }
  /** An example, filled in for a file at a path. */
  const fill = async (example: ExampleFile, path: string, more: Record<string, string> = {}) => {
    const schema = layout.importPath(path, tables.file)
    const paths = { schema, 'auth-schema': schema, auth: layout.importPath(path, auth), ...more }
    const ownUsers = users && { name: users.name, path: layout.importPath(path, users.file) }
    const usesSvelteKit = framework.name === 'sveltekit'
    return fillIn(await readExample(example), { driver, casing: config?.casing, users: ownUsers, usesSvelteKit, paths })
  }
  const findDatabase = async () => {
    const own = await findModule(cwd, [join(layout.dir, 'db'), ...databasePlaces], /drizzle[\s\S]*export (const|let) db\b/)
    if (own) kept.push({ path: own.file, why: 'exports db' })
    if (own || driver.perRequest) return own?.file ?? ''
    const path = layout.inDir((await findModule(cwd, [join(layout.dir, 'db')])) ? 'auth-db' : 'db')
    write(path, await fill('node/db.ts', path))
    return path
  }

  if (tables.isDone) kept.push({ path: tables.file, why: 'has the tables' })
  else write(tables.file, library.name === 'authjs' ? await fill('node/schema.ts', tables.file) : placeholder)
  if (users) advice.push(...usersAdvice(users, driver.dialect))

  const configPath = config?.file ?? `drizzle.config${layout.extension}`
  const schemas = tables.schema.map((path) => (configPath.endsWith('.json') ? JSON.stringify(path) : quoted(path))).join(', ')
  const schema = tables.schema.length > 1 ? `[${schemas}]` : schemas
  const kitExample = driver.perRequest ? 'worker/drizzle.config.ts' : 'node/drizzle.config.ts'
  write(configPath, await fill(kitExample, configPath, { 'schema.ts': schema }))
  if (config && !tables.isRead) {
    const key = configPath.endsWith('.json') ? '"schema"' : 'schema'
    advice.push({ title: `So that drizzle-kit reads ${tables.file}, set in ${configPath}`, text: `${key}: ${schema},` })
  }

  // An app with next-auth 4 has a route already, and version 5 needs a different one.
  const isOld = isOldNextAuth(project, library)
  if (own?.text.includes('drizzle-auth-adapter')) kept.push({ path: auth, why: 'has the adapter' })
  else {
    const db = layout.importPath(auth, await findDatabase())
    const text = await fill((driver.perRequest && framework.perRequest) || framework.auth, auth, { db })
    if (own || !isOld) write(auth, text)
    const title = own ? `Add to ${auth}` : 'next-auth 4 is installed. Add to the file with its options'
    if (own || isOld) advice.push({ title, text: adapterLines(text, library.option) })
  }

  const isPlain = framework.name === 'none' && !driver.perRequest
  const server = layout.inDir('server')
  if (framework.route && !isOld) {
    const path = join(layout.root, framework.route + layout.extension)
    const text = await fill(framework.mount ?? library.server, path)
    const found = await findModule(cwd, [join(layout.root, framework.route)])
    // The app's own auth.ts may export something else.
    const isMounted = own?.text.includes(/\{ (handle\w*|auth) \}/.exec(text)?.[1] ?? '') ?? true
    if (found) kept.push({ path: found.file, why: 'exists' })
    else if (isMounted) write(path, text)
    if (found ? !/auth/i.test(found.text) : !isMounted)
      advice.push({ title: found ? `Add to ${found.file}` : `Mount the handler of ${library.title}, for example in ${path}`, text })
  } else if (isPlain && (Object.keys(packages).length === 0 || existsSync(join(cwd, server)))) {
    plan.server = server
    write(server, await fill(library.server, server))
    if (project.isEmpty) write('package.json', '{\n  "private": true,\n  "type": "module"\n}\n')
    if (project.isEmpty) write('tsconfig.json', await readExample('node/tsconfig.json'))
  } else if (!isOld) {
    const app = layout.inDir('app')
    const lines = framework.mount
      ? mountLines(await fill(framework.mount, app))
      : plainLines(library, layout.importPath(app, auth), driver.perRequest)
    const text = driver.perRequest ? lines.replace('() => authConfig', '(c) => authConfig(c.env)') : lines
    advice.push({ title: 'Add to your app, where it handles requests', text })
  }

  if (project.isEmpty) {
    const secret = `${library.secret}=${randomBytes(32).toString('hex')}`
    const lines = [driver.perRequest ? '' : `DATABASE_URL=${driver.url}`, secret, library.url ? `${library.url}=${framework.origin}` : '']
    env.text ||= `${lines.filter(Boolean).join('\n')}\n`
    write(env.path, env.text, 0o600)
    env.isIgnored ||= !existsSync(join(cwd, '.gitignore'))
    write('.gitignore', ['node_modules', env.path, ...(driver.dataFiles ? [driver.dataFiles] : []), ''].join('\n'))
  }
  return plan
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
