import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { dirname, extname, join } from 'node:path/posix'
import { pageUrl } from '../../doctor/finding.js'
import { findFiles } from '../modules.js'
import type { App } from './app.js'
import type { Choices } from './choices.js'
import { fill, quoted, readExample, toJavaScript } from './examples.js'
import type { Project } from './project.js'
import { authPlaces, findModule, placesOf, readText } from './project.js'

/** The file with the tables of Better Auth, until `auth generate` writes them. */
const placeholder = '// npx auth generate writes the tables of Better Auth and its plugins to this file.\nexport {}\n'

export async function planApp(project: Project, choices: Choices, folder: string | undefined): Promise<App> {
  const { cwd } = project
  const { library, driver, framework } = choices
  const dir = join(folder ?? (framework.name === 'sveltekit' ? 'src' : sourceFolder(cwd, framework.name)))
  const extension = project.usesTypeScript ? '.ts' : '.js'
  const auth = (await findModule(cwd, [join(dir, 'auth')])) ?? (await findModule(cwd, authPlaces, library.configuration))
  const dbPlaces = [join(dir, 'db'), ...placesOf('db', 'db/client', 'lib/db', 'lib/server/db', 'server/db')]
  const db = await findModule(cwd, dbPlaces, /drizzle[\s\S]*export (const|let) db\b/)
  const path = driver.perRequest ? '.dev.vars' : '.env'
  const isIgnored = new RegExp(`^/?\\*?\\${path}\\*?\\s*$`, 'm').test((await readText(cwd, '.gitignore')) ?? '')
  const app: App = {
    ...choices,
    project,
    dir,
    extension,
    files: [],
    kept: [],
    advice: [],
    tables: '',
    schema: '',
    auth: auth?.file ?? join(dir, `auth${extension}`),
    // A file of this name may export something else.
    db: db?.file ?? join(dir, (existsSync(join(cwd, dir, `db${extension}`)) ? 'auth-db' : 'db') + extension),
    env: { path, text: (await readText(cwd, path)) ?? '', isIgnored },
  }
  await planTables(app)
  if (!driver.perRequest && !auth?.text.includes('drizzle-auth-adapter')) await copy(app, 'node/db.ts', app.db, /./)
  const example = driver.perRequest ? 'worker/auth.ts' : framework.auth
  if (/^[\^~]?4\b/.test(project.packages['next-auth'] ?? '')) {
    const title = 'next-auth 4 is installed. Add the adapter to the file with its options, as here'
    app.advice.push({ title, text: await fill(app, example, app.auth) })
  } else {
    await copy(app, example, app.auth, /drizzle-auth-adapter/)
    await planMount(app)
  }
  if (project.isEmpty) planNewProject(app)
  if (app.server && project.isEmpty) write(app, 'tsconfig.json', await readExample('node/tsconfig.json'))
  return app
}

/** Next.js looks for `app` in the folder of the project first. */
function sourceFolder(cwd: string, framework: string): string {
  const has = (path: string) => existsSync(join(cwd, path))
  const hasRoutes = (folder: string) => has(join(folder, 'app')) || has(join(folder, 'pages'))
  return has('src') && !(framework === 'next' && hasRoutes('.') && !hasRoutes('src')) ? 'src' : '.'
}

/** Plans a file, unless it exists. */
function write({ project, files, kept }: App, path: string, text: string, mode?: number): void {
  if (existsSync(join(project.cwd, path))) kept.push(path)
  else files.push({ path, text: path.endsWith('.js') ? toJavaScript(text) : text, ...(mode && { mode }) })
}

/** Plans a file from an example. If the file exists and lacks this, the user adds what the example has. */
async function copy(app: App, example: string, path: string, isDone: RegExp): Promise<void> {
  const text = await fill(app, example, path)
  const own = await readText(app.project.cwd, path)
  write(app, path, text)
  if (own !== undefined && !isDone.test(own)) app.advice.push({ title: `Add to ${path} what is missing of this`, text })
}

/** Plans a file for the tables, next to the other tables of the app, and the configuration of drizzle-kit that reads it. */
async function planTables(app: App): Promise<void> {
  const { project, library, driver, dir, extension, kept, advice } = app
  const { cwd, config } = project
  const schema = config?.schema ?? []
  const paths = (await findFiles(schema, cwd)).map((path) => relative(cwd, path).replaceAll('\\', '/'))
  const files = await Promise.all(paths.map(async (file) => ({ file, text: (await readText(cwd, file)) ?? '' })))
  const done = files.find(({ text }) => library.tables.test(text))
  const beside = placeBeside(schema[0] ?? join(dir, library.schemaName + extension), cwd, `auth-schema${extension}`)
  const place = done ? { file: done.file, isRead: true } : { ...beside, isRead: beside.isRead && schema.length > 0 }
  app.tables = place.file
  const setting = [...schema, ...(place.isRead ? [] : [`./${place.file}`])].map(quoted)
  app.schema = setting.length > 1 ? `[${setting.join(', ')}]` : setting.join()
  if (done) kept.push(done.file)
  else write(app, place.file, library.schema ? await fill(app, library.schema, place.file) : placeholder)
  if (library.schema && !done && files.some(({ text }) => /[tT]able\(\s*["'`]users?["'`]/.test(text)))
    advice.push({ title: `If Auth.js should use your own users table, pass it to defineTables in ${place.file}: ${pageUrl('tables.md')}` })
  const configFile = config?.file ?? `drizzle.config${extension}`
  write(app, configFile, await fill(app, driver.perRequest ? 'worker/drizzle.config.ts' : 'node/drizzle.config.ts', configFile))
  if (config && !place.isRead)
    advice.push({ title: `So that drizzle-kit reads ${place.file}, set in ${configFile}`, text: `schema: ${app.schema},` })
}

/** A file for the tables beside those that the setting `schema` names, and whether the setting includes it. */
function placeBeside(schema: string, cwd: string, name: string): { file: string; isRead: boolean } {
  const path = join(schema)
  const exists = existsSync(join(cwd, path))
  const [, folder = '.', pattern] = /^([^*?{[]*\/)?(.*[*?{[].*)$/.exec(path) ?? []
  if (pattern && !exists) return { file: join(folder, name), isRead: /^(\*\*\/)?\*(\.\w+)?$/.test(pattern) }
  if (extname(path) === '') return { file: join(path, name), isRead: true }
  return exists ? { file: join(dirname(path), name), isRead: false } : { file: path, isRead: true }
}

/** Plans the file that mounts the handler, or a server in a folder without an app. */
async function planMount(app: App): Promise<void> {
  const { project, driver, framework, dir, extension, advice } = app
  const server = join(dir, `server${extension}`)
  const isBare = Object.keys(project.packages).length === 0 || existsSync(join(project.cwd, server))
  if (framework.route) {
    const folder = framework.name === 'next' ? sourceFolder(project.cwd, 'next') : '.'
    await copy(app, framework.mount, join(folder, framework.route + extension), /auth/i)
  } else if (framework.name === 'none' && !driver.perRequest && isBare) {
    app.server = server
    await copy(app, framework.mount, server, /auth/i)
  } else {
    const text = await fill(app, driver.perRequest ? 'worker/worker.ts' : framework.mount, server)
    advice.push({ title: 'Call the handler where your app handles requests, as this server does', text })
  }
}

/** Plans the environment variables of a new project, and a .gitignore that keeps them private. */
function planNewProject(app: App): void {
  const { project, library, driver, framework, env, server } = app
  const secret = `${library.secret}=${randomBytes(32).toString('hex')}`
  const lines = [driver.perRequest ? '' : `DATABASE_URL=${driver.url}`, secret, library.url ? `${library.url}=${framework.origin}` : '']
  env.text ||= `${lines.filter(Boolean).join('\n')}\n`
  write(app, env.path, env.text, 0o600)
  env.isIgnored ||= !existsSync(join(project.cwd, '.gitignore'))
  write(app, '.gitignore', ['node_modules', env.path, ...(driver.dataFiles ? [driver.dataFiles] : []), ''].join('\n'))
  if (server) write(app, 'package.json', '{\n  "private": true,\n  "type": "module"\n}\n')
}
