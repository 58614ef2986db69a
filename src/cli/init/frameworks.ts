import type { DriverChoice } from './drivers.js'

/** What an `auth.ts` is made of. Module paths are as the file imports them. */
export interface AuthParts {
  driver: DriverChoice
  usesTypeScript: boolean
  /** The file with the tables. */
  schema: string
  /** The app's own `db`, where it has one. */
  db?: string | undefined
}

/** A framework that `init` can write an app for. */
export interface Framework {
  name: string
  title: string
  /** The package that shows that an app uses it. */
  package?: string
  /** What has to be installed. */
  packages: string[]
  /** Where Auth.js answers. */
  base: string
  /** Its bundler takes ES modules in every app, and wants imports without an extension. */
  hasBundler?: true
  /** The text of `auth.ts`, or nothing where the driver does not go with the framework. */
  auth(parts: AuthParts): string | undefined
  /** What mounts the handler: the lines of a file of its own, or of one that the app has. */
  mount: { file?: string; lines(auth: string, driver: DriverChoice): string[] }
}

/** The settings of Auth.js that are the same everywhere. */
const settings = (adapter: string, more: string[] = []) =>
  [
    `adapter: ${adapter},`,
    ...more,
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

interface Pieces {
  imports?: string[]
  /** The object with the variables of the environment. */
  env?: string
  body(adapter: string): string[]
}

/** The imports of packages, sorted by their names. */
function importLines({ module }: DriverChoice, imports: string[], opens = true): string[] {
  const lines = [
    ...imports,
    "import { DrizzleAdapter } from 'drizzle-auth-adapter'",
    ...(opens ? [`import { drizzle } from 'drizzle-orm/${module}'`] : []),
  ]
  const nameIn = (line: string) => line.slice(line.indexOf(' from '))
  return lines.sort((a, b) => (nameIn(a) < nameIn(b) ? -1 : nameIn(a) > nameIn(b) ? 1 : 0))
}

/** An `auth.ts` that opens its database when it is loaded. */
function authFile({ driver, schema, db }: AuthParts, { imports = [], env = 'process.env', body }: Pieces): string {
  const opened = [
    `const url = ${env}.DATABASE_URL`,
    "if (!url) throw new Error('DATABASE_URL is not set')",
    '',
    `const db = drizzle(${driver.connection.replace('ENV', env)})`,
    '',
  ]
  const lines = [
    ...importLines(driver, imports, db === undefined),
    ...(db ? [`import { db } from '${db}'`] : []),
    `import * as tables from '${schema}'`,
    '',
    ...(db ? [] : opened),
    ...body('DrizzleAdapter(db, tables)'),
  ]
  return `${lines.join('\n')}\n`
}

/** An `auth.ts` whose configuration is a function of `env`. */
function authOfEnv({ driver, schema, usesTypeScript }: AuthParts, { imports = [], more = [] }: { imports?: string[]; more?: string[] }) {
  const lines = [
    ...importLines(driver, imports),
    `import * as tables from '${schema}'`,
    '',
    ...(usesTypeScript ? ['export interface Env {', '  DB: Parameters<typeof drizzle>[0]', '  AUTH_SECRET: string', '}', ''] : []),
    `export const authConfig = ${usesTypeScript ? '(env: Env): AuthConfig' : '(env)'} => ({`,
    ...settings(`DrizzleAdapter(drizzle(${driver.connection}), tables)`, ['secret: env.AUTH_SECRET,', "basePath: '/auth',"]),
    '})',
    ...more,
  ]
  return `${lines.join('\n')}\n`
}

/** For an app that has its configuration of Auth.js already. */
export const adapterLines = (parts: AuthParts): string =>
  authFile(parts, { body: (adapter) => ['// in the configuration of Auth.js:', `adapter: ${adapter},`] })

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
      : authFile(parts, {
          imports: ["import NextAuth from 'next-auth'"],
          body: (adapter) => ['export const { auth, handlers, signIn, signOut } = NextAuth({', ...settings(adapter), '})'],
        }),
  mount: {
    file: 'app/api/auth/[...nextauth]/route',
    lines: (auth) => [`import { handlers } from '${auth}'`, '', 'export const { GET, POST } = handlers'],
  },
}

const sveltekit: Framework = {
  name: 'sveltekit',
  title: 'SvelteKit',
  package: '@sveltejs/kit',
  packages: ['@auth/sveltekit', '@auth/core'],
  base: '/auth',
  hasBundler: true,
  auth: (parts) =>
    parts.driver.perRequest
      ? undefined
      : authFile(parts, {
          imports: ["import { env } from '$env/dynamic/private'", "import { SvelteKitAuth } from '@auth/sveltekit'"],
          env: 'env',
          body: (adapter) => ['export const { handle, signIn, signOut } = SvelteKitAuth({', ...settings(adapter), '})'],
        }),
  mount: { file: 'src/hooks.server', lines: (auth) => [`export { handle } from '${auth}'`] },
}

const hono: Framework = {
  name: 'hono',
  title: 'Hono',
  package: 'hono',
  packages: ['@hono/auth-js', '@auth/core'],
  base: '/auth',
  auth(parts) {
    const imports = typeImport(parts.usesTypeScript, 'AuthConfig', '@auth/core')
    if (parts.driver.perRequest) return authOfEnv(parts, { imports })
    const type = configType(parts.usesTypeScript, 'AuthConfig')
    return authFile(parts, { imports, body: (adapter) => [`export const authConfig${type} = {`, ...settings(adapter), '}'] })
  },
  mount: {
    lines: (auth, { perRequest }) => [
      "import { authHandler, initAuthConfig } from '@hono/auth-js'",
      `import { authConfig } from '${auth}'`,
      '',
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
    return authFile(parts, { imports, body: (adapter) => [`export const authConfig${type} = {`, ...settings(adapter), '}'] })
  },
  mount: {
    lines: (auth) => [
      "import { ExpressAuth } from '@auth/express'",
      `import { authConfig } from '${auth}'`,
      '',
      "app.use('/auth', ExpressAuth(authConfig))",
    ],
  },
}

const none: Framework = {
  name: 'none',
  title: 'none, so @auth/core alone',
  packages: ['@auth/core'],
  base: '/auth',
  auth(parts) {
    const { usesTypeScript, driver } = parts
    const imports = [...typeImport(usesTypeScript, 'AuthConfig', '@auth/core'), "import { Auth } from '@auth/core'"]
    const request = usesTypeScript ? 'request: Request' : 'request'
    if (driver.perRequest) {
      const parameters = `${request}, env${configType(usesTypeScript, 'Env')}`
      return authOfEnv(parts, { imports, more: ['', `export const handleAuth = (${parameters}) => Auth(request, authConfig(env))`] })
    }
    const own = ["secret: process.env.AUTH_SECRET ?? '',", "basePath: '/auth',"]
    return authFile(parts, {
      imports,
      body: (adapter) => [
        `export const authConfig${configType(usesTypeScript, 'AuthConfig')} = {`,
        ...settings(adapter, own),
        '}',
        '',
        `export const handleAuth = (${request}) => Auth(request, authConfig)`,
      ],
    })
  },
  mount: {
    lines: (auth, { perRequest }) => [
      `import { handleAuth } from '${auth}'`,
      '',
      '// For each request whose path begins with /auth/. It takes a Request and gives a Response.',
      `const response = await handleAuth(request${perRequest ? ', env' : ''})`,
    ],
  },
}

/** Where an app has several of them, the first one counts. */
export const frameworks: readonly Framework[] = [next, sveltekit, hono, express, none]
