/** A framework that `init` can write an app for. Examples are named by their path below `examples/`. */
export interface Framework {
  name: string
  title: string
  /** The package that shows that an app uses it. */
  package?: string
  /** Its bundler accepts ES modules in every app, and imports have no extension. */
  hasBundler?: true
  /** The address of the app while it is developed. */
  origin: string
  /** The packages to install. */
  packages: string[]
  /** The path below which the library handles requests. */
  base: string
  /** The example's `auth.ts`, and that for a database that is available only inside a request. */
  auth: string
  perRequest?: string
  /** The example that mounts the handler. */
  mount?: string
  /** The file for the handler, without extension. Otherwise, the lines are printed. */
  route?: string
}

/** A library that `init` can set up. */
export interface Library {
  /** As `--library` takes it. */
  name: 'authjs' | 'better-auth'
  title: string
  /** If an app uses several of them, the first one counts. */
  frameworks: readonly Framework[]
  /** Packages that show that an app uses the library. */
  packages: RegExp
  /** A file that configures the library. */
  configuration: RegExp
  /** A file with the tables. */
  tables: RegExp
  /** The name of a new file for the tables, if the app has no other schema. */
  schemaName: string
  /** A server that needs only Node.js. */
  server: string
  /** The call that answers a request. */
  handler: string
  /** The line that an existing configuration needs. */
  option: string
  devPackages: readonly string[]
  /** The variable with the secret. */
  secret: string
  /** The variable with the address of the app, if the library needs it. */
  url?: string
  /** The official adapter: how an app names it, and what to do there. */
  official: { name: string; uses: RegExp; lines: string; page: string }
}

const origin = 'http://localhost:3000'
const next = { name: 'next', title: 'Next.js', package: 'next', hasBundler: true, origin } as const
const sveltekit = {
  name: 'sveltekit',
  title: 'SvelteKit',
  package: '@sveltejs/kit',
  hasBundler: true,
  origin: 'http://localhost:5173',
  route: 'src/hooks.server',
} as const
const hono = { name: 'hono', title: 'Hono', package: 'hono', origin } as const
const express = { name: 'express', title: 'Express', package: 'express', origin } as const
const none = { name: 'none', origin } as const

const nextAuth = { base: '/api/auth', auth: 'next/auth.ts', mount: 'next/app/api/auth/[...nextauth]/route.ts' } as const
const svelteAuth = { base: '/auth', auth: 'sveltekit/src/auth.ts', mount: 'sveltekit/src/hooks.server.ts' } as const
const honoAuth = { base: '/auth', auth: 'hono/auth.ts', mount: 'hono/app.ts', perRequest: 'worker/auth.ts' } as const
const expressAuth = { base: '/auth', auth: 'express/auth.ts', mount: 'express/app.ts' } as const
const plainAuth = { base: '/auth', auth: 'node/auth.ts', perRequest: 'worker/auth.ts' } as const

const authjs: Library = {
  name: 'authjs',
  title: 'Auth.js',
  frameworks: [
    { ...next, ...nextAuth, packages: ['next-auth@beta'], route: 'app/api/auth/[...nextauth]/route' },
    { ...sveltekit, ...svelteAuth, packages: ['@auth/sveltekit', '@auth/core'] },
    { ...hono, ...honoAuth, packages: ['@hono/auth-js', '@auth/core'] },
    { ...express, ...expressAuth, packages: ['@auth/express'] },
    { ...none, ...plainAuth, packages: ['@auth/core'], title: 'none, only @auth/core' },
  ],
  packages: /^(next-auth|@hono\/auth-js|@auth\/.*)$/,
  configuration: /next-auth|@auth\/|auth-js/,
  tables: /drizzle-auth-adapter\/(pg|mysql|sqlite)/,
  schemaName: 'schema',
  server: 'node/server.ts',
  handler: 'handleAuth(request)',
  option: 'adapter,',
  devPackages: [],
  secret: 'AUTH_SECRET',
  official: {
    name: '@auth/drizzle-adapter',
    uses: /(^|[ ,'"])@auth\/drizzle-adapter/,
    lines: "import { DrizzleAdapter } from 'drizzle-auth-adapter'",
    page: 'moving.md',
  },
}

// pnpm does not install what the adapter imports by itself.
const shared = {
  packages: ['better-auth', '@better-auth/core'],
  base: '/api/auth',
  auth: 'better-auth/auth.ts',
} satisfies Partial<Framework>

const betterAuth: Library = {
  name: 'better-auth',
  title: 'Better Auth',
  frameworks: [
    { ...next, ...shared, mount: 'better-auth/mounts/next.ts', route: 'app/api/auth/[...all]/route' },
    { ...sveltekit, ...shared, mount: 'better-auth/mounts/sveltekit.ts' },
    { ...hono, ...shared, mount: 'better-auth/app.ts' },
    { ...express, ...shared, mount: 'better-auth/mounts/express.ts' },
    { ...none, ...shared, title: 'none, only better-auth' },
  ],
  packages: /^better-auth$/,
  configuration: /better-auth/,
  tables: /\/\/ npx auth generate writes|Table\(\s*["'`]\w*verifications?["'`]/,
  schemaName: 'auth-schema',
  server: 'better-auth/server.ts',
  handler: 'auth.handler(request)',
  option: 'database: drizzleAdapter(db, { schema }),',
  devPackages: ['auth', 'drizzle-auth-kit'],
  secret: 'BETTER_AUTH_SECRET',
  url: 'BETTER_AUTH_URL',
  official: {
    name: "Better Auth's own Drizzle adapter",
    uses: /better-auth\/adapters\/drizzle|@better-auth\/drizzle-adapter/,
    lines: `import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'

and in its options, remove provider. schema is required:

  database: drizzleAdapter(db, { schema })`,
    page: 'better-auth-moving.md',
  },
}

export const libraries = [authjs, betterAuth]
