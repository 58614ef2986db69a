import type { DriverChoice } from './drivers.js'

/** The parts of an `auth.ts`. Module paths are as the file imports them, in quotes. */
export interface AuthParts {
  driver: DriverChoice
  usesTypeScript: boolean
  /** The file with the tables. */
  schema: string
  /** The file that exports `db`. */
  db: string
  /** The app's own users table. */
  users?: { name: string; path: string } | undefined
}

/** A framework that `init` can write an app for. */
export interface Framework {
  name: string
  title: string
  /** The package that shows that an app uses it. */
  package?: string
  /** The packages to install. */
  packages: string[]
  /** The path below which the library handles requests. */
  base: string
  /** Its bundler accepts ES modules in every app, and imports have no extension. */
  hasBundler?: true
  /** The object with the environment variables, and its import. By default `process.env`. */
  env?: { name: string; import: string }
  /** The text of `auth.ts`, or nothing if init cannot write one for this driver. */
  auth(parts: AuthParts): string | undefined
  /** The lines that mount the handler: the content of `file`, or lines to add to the app. */
  mount: { file?: string; lines(auth: string, driver: DriverChoice): string[] }
}

/**
 * The settings of Auth.js that are the same everywhere.
 *
 * @param cure What to do if no proxy in front of the app checks the host.
 */
const settings = (cure: string, adapter = 'adapter,', more: string[] = []) =>
  [
    adapter,
    ...more,
    `// Links begin with the host of the request: the proxy in front must check it${cure}.`,
    'trustHost: true,',
    'providers: [',
    '  {',
    "    id: 'email',",
    "    type: 'email',",
    "    name: 'Email',",
    '    // Send a mail here. Until then, the console shows the link.',
    '    sendVerificationRequest: ({ identifier, url }) => console.log(`To ${identifier}: sign in at ${url}`),',
    '  },',
    '],',
  ].map((line) => `  ${line}`)

export const fileOf = (lines: string[]) => `${lines.join('\n')}\n`

const adapterImport = "import { DrizzleAdapter } from 'drizzle-auth-adapter'"
const drizzleImport = ({ module }: DriverChoice) => `import { drizzle } from 'drizzle-orm/${module}'`

/** The imports of packages, sorted by their names. */
export function sortImports(lines: string[]): string[] {
  const nameIn = (line: string) => line.slice(line.indexOf(' from '))
  return lines.sort((a, b) => (nameIn(a) < nameIn(b) ? -1 : nameIn(a) > nameIn(b) ? 1 : 0))
}

/** The text of `db.ts`. `casing` is that of drizzle-kit. */
export function databaseFile(driver: DriverChoice, { env }: Framework, casing?: string): string {
  const name = env?.name ?? 'process.env'
  const connection = driver.connection.replace('ENV', name)
  const plain = /^\{ (.*) \}$/.exec(connection)?.[1] ?? `connection: ${connection}`
  return fileOf([
    ...sortImports([...(env ? [env.import] : []), drizzleImport(driver)]),
    '',
    `const url = ${name}.DATABASE_URL`,
    "if (!url) throw new Error('DATABASE_URL is not set')",
    '',
    `export const db = drizzle(${casing ? `{ ${plain}, casing: '${casing}' }` : connection})`,
  ])
}

/** The imports of the tables, and the adapter's argument. */
function tablesOf({ schema, users }: AuthParts) {
  const imports = [`import * as tables from ${schema}`]
  if (!users) return { imports, argument: 'tables' }
  const { name, path } = users
  imports.push(`import { ${name} } from ${path}`)
  return { imports, argument: `{ ...tables, ${name === 'usersTable' ? name : `usersTable: ${name}`} }` }
}

/** An `auth.ts` with the adapter, and the lines of the framework after it. */
function authFile(parts: AuthParts, imports: string[], body: string[]): string {
  const tables = tablesOf(parts)
  return fileOf([
    ...sortImports([...imports, adapterImport]),
    `import { db } from ${parts.db}`,
    ...tables.imports,
    '',
    `export const adapter = DrizzleAdapter(db, ${tables.argument})`,
    '',
    ...body,
  ])
}

/** An `auth.ts` whose configuration is a function of `env`. */
function authOfEnv(parts: AuthParts, imports: string[], cure: string, more: string[] = []) {
  const { driver, usesTypeScript } = parts
  const tables = tablesOf(parts)
  const adapter = `adapter: DrizzleAdapter(drizzle(${driver.connection}), ${tables.argument}),`
  return fileOf([
    ...sortImports([...imports, adapterImport, drizzleImport(driver)]),
    ...tables.imports,
    '',
    ...(usesTypeScript ? ['export interface Env {', '  DB: Parameters<typeof drizzle>[0]', '  AUTH_SECRET: string', '}', ''] : []),
    `export const authConfig = ${usesTypeScript ? '(env: Env): AuthConfig' : '(env)'} => ({`,
    ...settings(cure, adapter, ['secret: env.AUTH_SECRET,', "basePath: '/auth',"]),
    '})',
    ...more,
  ])
}

/** For an app that already configures Auth.js. */
export const adapterLines = (parts: AuthParts): string => authFile(parts, [], ['// In the configuration of Auth.js:', 'adapter,'])

// Which of Auth.js's packages replace the host of a request by that of AUTH_URL.
const orAuthUrl = ', or set AUTH_URL'
const withoutAuthUrl = '. AUTH_URL does not change it'

const onlyPaths = '// Only paths: the target of a request may also name a host, as in //example.com/auth/signin.'

const configType = (usesTypeScript: boolean, name: string) => (usesTypeScript ? `: ${name}` : '')
const typeImport = (usesTypeScript: boolean, name: string, from: string) =>
  usesTypeScript ? [`import type { ${name} } from '${from}'`] : []

const next: Framework = {
  name: 'next',
  title: 'Next.js',
  package: 'next',
  packages: ['next-auth@beta'],
  base: '/api/auth',
  hasBundler: true,
  auth: (parts) =>
    parts.driver.perRequest
      ? undefined
      : authFile(
          parts,
          ["import NextAuth from 'next-auth'"],
          ['export const { auth, handlers, signIn, signOut } = NextAuth({', ...settings(orAuthUrl), '})'],
        ),
  mount: {
    file: 'app/api/auth/[...nextauth]/route',
    lines: (auth) => [`import { handlers } from ${auth}`, '', 'export const { GET, POST } = handlers'],
  },
}

const sveltekit: Framework = {
  name: 'sveltekit',
  title: 'SvelteKit',
  package: '@sveltejs/kit',
  packages: ['@auth/sveltekit', '@auth/core'],
  base: '/auth',
  hasBundler: true,
  env: { name: 'env', import: "import { env } from '$env/dynamic/private'" },
  auth: (parts) =>
    parts.driver.perRequest
      ? undefined
      : authFile(
          parts,
          ["import { SvelteKitAuth } from '@auth/sveltekit'"],
          ['export const { handle, signIn, signOut } = SvelteKitAuth({', ...settings(`${orAuthUrl} and ORIGIN`), '})'],
        ),
  mount: { file: 'src/hooks.server', lines: (auth) => [`export { handle } from ${auth}`] },
}

const hono: Framework = {
  name: 'hono',
  title: 'Hono',
  package: 'hono',
  packages: ['@hono/auth-js', '@auth/core'],
  base: '/auth',
  auth(parts) {
    const imports = typeImport(parts.usesTypeScript, 'AuthConfig', '@auth/core')
    if (parts.driver.perRequest) return authOfEnv(parts, imports, orAuthUrl)
    const type = configType(parts.usesTypeScript, 'AuthConfig')
    return authFile(parts, imports, [`export const authConfig${type} = {`, ...settings(orAuthUrl), '}'])
  },
  mount: {
    lines: (auth, { perRequest }) => [
      "import { authHandler, initAuthConfig } from '@hono/auth-js'",
      `import { authConfig } from ${auth}`,
      '',
      onlyPaths,
      // On Node.js, Hono has the target in `env`. Elsewhere, it is parsed before the app sees it.
      'app.use(async (c, next) => (/^\\/(?!\\/)/.test(Object(c.env).incoming?.url ?? c.req.path) ? next() : c.body(null, 400)))',
      perRequest ? 'app.use(initAuthConfig((c) => authConfig(c.env)))' : 'app.use(initAuthConfig(() => authConfig))',
      "app.use('/auth/*', authHandler())",
    ],
  },
}

const express: Framework = {
  name: 'express',
  title: 'Express',
  package: 'express',
  packages: ['@auth/express'],
  base: '/auth',
  auth(parts) {
    if (parts.driver.perRequest) return undefined
    const imports = typeImport(parts.usesTypeScript, 'ExpressAuthConfig', '@auth/express')
    const type = configType(parts.usesTypeScript, 'ExpressAuthConfig')
    return authFile(parts, imports, [`export const authConfig${type} = {`, ...settings(withoutAuthUrl), '}'])
  },
  mount: {
    lines: (auth) => [
      "import { ExpressAuth } from '@auth/express'",
      `import { authConfig } from ${auth}`,
      '',
      onlyPaths,
      'app.use((request, response, next) => (/^\\/(?!\\/)/.test(request.url) ? next() : response.sendStatus(400)))',
      "app.use('/auth', ExpressAuth(authConfig))",
    ],
  },
}

const none: Framework = {
  name: 'none',
  title: 'none, only @auth/core',
  packages: ['@auth/core'],
  base: '/auth',
  auth(parts) {
    const { usesTypeScript, driver } = parts
    const imports = [...typeImport(usesTypeScript, 'AuthConfig', '@auth/core'), "import { Auth, setEnvDefaults } from '@auth/core'"]
    const request = usesTypeScript ? 'request: Request' : 'request'
    const note = '// Reads AUTH_SECRET, and the ids and secrets of the OAuth providers that you add.'
    if (driver.perRequest) {
      const parameters = `${request}, env${configType(usesTypeScript, 'Env')}`
      return authOfEnv(parts, imports, withoutAuthUrl, [
        '',
        `export function handleAuth(${parameters}) {`,
        '  const config = authConfig(env)',
        `  ${note}`,
        '  setEnvDefaults(env, config)',
        '  return Auth(request, config)',
        '}',
      ])
    }
    return authFile(parts, imports, [
      `export const authConfig${configType(usesTypeScript, 'AuthConfig')} = {`,
      ...settings(withoutAuthUrl, 'adapter,', ["basePath: '/auth',"]),
      '}',
      note,
      'setEnvDefaults(process.env, authConfig)',
      '',
      `export const handleAuth = (${request}) => Auth(request, authConfig)`,
    ])
  },
  mount: {
    lines: (auth, { perRequest }) => [
      `import { handleAuth } from ${auth}`,
      '',
      '// For each request whose path begins with /auth/. It takes a Request and returns a Response.',
      '// Links begin with the origin of its URL. Refuse request targets such as //example.com/auth/signin, which replace it.',
      `const response = await handleAuth(request${perRequest ? ', env' : ''})`,
    ],
  },
}

/** The frameworks with Auth.js. */
export const frameworks: readonly Framework[] = [next, sveltekit, hono, express, none]
