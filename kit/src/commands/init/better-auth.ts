import type { AuthParts, Framework } from './frameworks.js'
import { fileOf, sortImports } from './frameworks.js'
import type { Library } from './library.js'

const base = '/api/auth'

/** The text of `auth.ts`. In a framework with variables of its own, Better Auth does not find them in `process.env`. */
function authFile({ schema, db }: AuthParts, env?: Framework['env']): string {
  const imports = ["import { betterAuth } from 'better-auth'", "import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'"]
  return fileOf([
    ...sortImports([...(env ? [env.import] : []), ...imports]),
    `import * as schema from ${schema}`,
    `import { db } from ${db}`,
    '',
    'export const auth = betterAuth({',
    '  database: drizzleAdapter(db, { schema }),',
    ...(env ? [`  secret: ${env.name}.BETTER_AUTH_SECRET,`, `  baseURL: ${env.name}.BETTER_AUTH_URL,`] : []),
    '  emailAndPassword: { enabled: true },',
    '  // A session and its user are one query.',
    '  advanced: { database: { joins: true } },',
    '})',
  ])
}

// D1 is available only inside a request, and auth generate needs the configuration without one.
const auth = (parts: AuthParts) => (parts.driver.perRequest ? undefined : authFile(parts))
// pnpm does not install what the adapter imports by itself.
const packages = ['better-auth', '@better-auth/core']

const next: Framework = {
  name: 'next',
  title: 'Next.js',
  package: 'next',
  packages,
  base,
  hasBundler: true,
  auth,
  mount: {
    file: 'app/api/auth/[...all]/route',
    lines: (path) => [
      `import { auth } from ${path}`,
      "import { toNextJsHandler } from 'better-auth/next-js'",
      '',
      'export const { GET, POST } = toNextJsHandler(auth)',
    ],
  },
}

const svelteEnv = { name: 'env', import: "import { env } from '$env/dynamic/private'" }

const sveltekit: Framework = {
  name: 'sveltekit',
  title: 'SvelteKit',
  package: '@sveltejs/kit',
  packages,
  base,
  hasBundler: true,
  env: svelteEnv,
  auth: (parts) => (parts.driver.perRequest ? undefined : authFile(parts, svelteEnv)),
  mount: {
    file: 'src/hooks.server',
    lines: (path) => [
      `import { auth } from ${path}`,
      "import { building } from '$app/environment'",
      "import { sequence } from '@sveltejs/kit/hooks'",
      "import { svelteKitHandler } from 'better-auth/svelte-kit'",
      '',
      'export const handle = sequence(({ event, resolve }) => svelteKitHandler({ event, resolve, auth, building }))',
    ],
  },
}

const hono: Framework = {
  name: 'hono',
  title: 'Hono',
  package: 'hono',
  packages,
  base,
  auth,
  mount: {
    lines: (path) => [`import { auth } from ${path}`, '', "app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw))"],
  },
}

const express: Framework = {
  name: 'express',
  title: 'Express',
  package: 'express',
  packages,
  base,
  auth,
  mount: {
    lines: (path) => [
      "import { toNodeHandler } from 'better-auth/node'",
      `import { auth } from ${path}`,
      '',
      '// Before express.json(), which would read the body. With Express 4, the path is /api/auth/*.',
      'const handleAuth = toNodeHandler(auth)',
      '// Without catch, a malformed request would end the process with Express 4.',
      "app.all('/api/auth/{*path}', (request, response, next) => handleAuth(request, response).catch(next))",
    ],
  },
}

const none: Framework = {
  name: 'none',
  title: 'none, only better-auth',
  packages,
  base,
  auth,
  mount: {
    lines: (path) => [
      `import { auth } from ${path}`,
      '',
      '// For each request whose path begins with /api/auth/. It takes a Request and returns a Response.',
      'const response = await auth.handler(request)',
    ],
  },
}

const serverFile = (path: string) => `import { createServer } from 'node:http'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { auth } from ${path}

const port = Number(process.env.PORT ?? 3000)
const handleAuth = toNodeHandler(auth)

createServer(async (request, response) => {
  // Without catch, a malformed request would end the process.
  try {
    if (request.url?.startsWith('/api/auth/')) return await handleAuth(request, response)
    const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
    response.end(session ? \`Signed in as \${session.user.email}\` : 'Nobody is signed in')
  } catch (error) {
    console.error(error)
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
}).listen(port, () => console.log(\`http://localhost:\${port}\`))
`

const placeholder = '// npx auth generate writes the tables of Better Auth and its plugins to this file.\nexport {}\n'

export const betterAuth: Library = {
  name: 'better-auth',
  title: 'Better Auth',
  frameworks: [next, sveltekit, hono, express, none],
  hasPackage: (name) => name === 'better-auth',
  isConfiguration: (text) => text.includes('better-auth'),
  schemaNames: ['auth-schema', 'auth-schema'],
  hasTables: (text) => text === placeholder || /Table\(\s*["'`]\w*verifications?["'`]/.test(text),
  takesUsers: false,
  tablesFile: () => placeholder,
  adapterLines: (parts) =>
    fileOf([
      "import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'",
      `import * as schema from ${parts.schema}`,
      `import { db } from ${parts.db}`,
      '',
      '// In the options of betterAuth:',
      'database: drizzleAdapter(db, { schema }),',
    ]),
  serverFile,
  devPackages: ['auth', 'drizzle-auth-kit'],
  secret: 'BETTER_AUTH_SECRET',
  url: 'BETTER_AUTH_URL',
  generate: (file, schema) => `auth generate --config ${file} --output ${schema} --yes`,
  tryIt: (origin, path) => ({
    next: 'and sign up',
    lines: [
      `curl ${origin}${path}/sign-up/email -H 'content-type: application/json' -d '{ "name": "Ada", "email": "ada@example.com", "password": "choose-a-better-one" }'`,
    ],
  }),
}
