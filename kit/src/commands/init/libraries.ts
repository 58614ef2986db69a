/** A framework that `init` can write an app for. Examples are named by their path below `examples/`. */
export interface Framework {
  name: string
  title: string
  /** The package that shows that an app uses it. */
  package?: string
  /** Its bundler accepts ES modules in every app, and imports have no extension. */
  hasBundler?: true
  /** The address of the app while it is developed, and the path below which the library handles requests. */
  origin: string
  base: string
  packages: string[]
  /** The examples that configure the library and mount its handler. */
  auth: string
  mount: string
  /** The database may exist only inside a request. */
  perRequest?: true
  /** The file for the handler, without extension. Otherwise, the example is printed. */
  route?: string
}

/** A library that `init` can set up. */
export interface Library {
  name: 'authjs' | 'better-auth'
  title: string
  /** If an app uses several of them, the first one counts. */
  frameworks: readonly Framework[]
  /** What shows that an app uses the library: a package, a file that configures it, a file with its tables. */
  packages: RegExp
  configuration: RegExp
  tables: RegExp
  /** The example with the tables, and the name of the file, if the app has no other schema. */
  schema?: string
  schemaName: string
  devPackages: readonly string[]
  /** The variables with the secret and with the address of the app. */
  secret: string
  url?: string
  /** The official adapter: how an app names it, and what takes its place. */
  official: { name: string; uses: RegExp; replacement: string; page: string }
}

const origin = 'http://localhost:3000'
const next = { name: 'next', title: 'Next.js', package: 'next', hasBundler: true, origin } as const
const sveltekit = { name: 'sveltekit', title: 'SvelteKit', package: '@sveltejs/kit', hasBundler: true, route: 'src/hooks.server' } as const
const hono = { name: 'hono', title: 'Hono', package: 'hono', origin } as const
const express = { name: 'express', title: 'Express', package: 'express', origin } as const
const none = { name: 'none', title: 'none', origin } as const

/** What Auth.js needs in each framework. `folder` is the folder of the example. */
const ofAuthjs = (folder: string, mount: string, ...packages: string[]) => {
  return { base: '/auth', auth: `${folder}/auth.ts`, mount: `${folder}/${mount}`, packages }
}
const nextRoute = 'app/api/auth/[...nextauth]/route'

const authjs: Library = {
  name: 'authjs',
  title: 'Auth.js',
  frameworks: [
    { ...next, ...ofAuthjs('next', `${nextRoute}.ts`, 'next-auth@beta'), base: '/api/auth', route: nextRoute },
    { ...sveltekit, ...ofAuthjs('sveltekit/src', 'hooks.server.ts', '@auth/sveltekit', '@auth/core'), origin: 'http://localhost:5173' },
    { ...hono, ...ofAuthjs('hono', 'app.ts', '@hono/auth-js', '@auth/core'), perRequest: true },
    { ...express, ...ofAuthjs('express', 'app.ts', '@auth/express') },
    { ...none, ...ofAuthjs('node', 'server.ts', '@auth/core'), perRequest: true },
  ],
  packages: /^(next-auth|@hono\/auth-js|@auth\/.*)$/,
  configuration: /next-auth|@auth\/|auth-js/,
  tables: /drizzle-auth-adapter\/(pg|mysql|sqlite)/,
  schema: 'node/schema.ts',
  schemaName: 'schema',
  devPackages: [],
  secret: 'AUTH_SECRET',
  official: {
    name: '@auth/drizzle-adapter',
    uses: /(^|[ ,'"])@auth\/drizzle-adapter/,
    replacement: "import { DrizzleAdapter } from 'drizzle-auth-adapter'",
    page: 'moving.md',
  },
}

// pnpm does not install what the adapter imports by itself.
const shared = { packages: ['better-auth', '@better-auth/core'], base: '/api/auth', auth: 'better-auth/auth.ts' }

const betterAuth: Library = {
  name: 'better-auth',
  title: 'Better Auth',
  frameworks: [
    { ...next, ...shared, mount: 'better-auth/mounts/next.ts', route: 'app/api/auth/[...all]/route' },
    { ...sveltekit, ...shared, mount: 'better-auth/mounts/sveltekit.ts', origin: 'http://localhost:5173' },
    { ...hono, ...shared, mount: 'better-auth/mounts/hono.ts' },
    { ...express, ...shared, mount: 'better-auth/mounts/express.ts' },
    { ...none, ...shared, mount: 'better-auth/server.ts' },
  ],
  packages: /^better-auth$/,
  configuration: /better-auth/,
  tables: /\/\/ npx auth generate writes|Table\(\s*["'`]\w*verifications?["'`]/,
  schemaName: 'auth-schema',
  devPackages: ['auth', 'drizzle-auth-kit'],
  secret: 'BETTER_AUTH_SECRET',
  url: 'BETTER_AUTH_URL',
  official: {
    name: "Better Auth's own Drizzle adapter",
    uses: /better-auth\/adapters\/drizzle|@better-auth\/drizzle-adapter/,
    replacement: "import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'",
    page: 'better-auth-moving.md',
  },
}

export const libraries = [authjs, betterAuth]
