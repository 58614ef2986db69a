import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../support/root.js'

export const resolutions = { nodenext: 'nodenext', bundler: 'esnext' }

/** Makes a folder of this project a project of its own, which has the built package and a version of Drizzle installed. */
export async function makeProject(folder: string, drizzle: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  const installed = join(folder, 'node_modules')
  for (const [name, from] of Object.entries({ 'drizzle-auth-adapter': root, 'drizzle-auth-kit': join(root, 'kit') }))
    for (const part of ['dist', 'package.json']) {
      await mkdir(join(installed, name), { recursive: true })
      await symlink(join(from, part), join(installed, name, part))
    }
  if (drizzle === '1.0') await symlink(join(root, 'node_modules/drizzle-orm-v1'), join(installed, 'drizzle-orm'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
}

/** Compiles a project as a library or a part of a monorepo does, with declarations. Returns what the compiler prints. */
export async function compileProject(folder: string, resolution: keyof typeof resolutions, exclude: string[]): Promise<string> {
  const config = {
    extends: relative(folder, join(root, 'tsconfig.json')),
    compilerOptions: {
      composite: true,
      noEmit: false,
      emitDeclarationOnly: true,
      outDir: `declarations/${resolution}`,
      rootDir: '.',
      module: resolutions[resolution],
      moduleResolution: resolution,
      noUnusedLocals: false,
      // What is linked counts as installed.
      preserveSymlinks: true,
      paths: {},
    },
    include: ['**/*'],
    exclude: [...exclude, 'declarations', 'node_modules'],
  }
  const file = join(folder, `tsconfig.${resolution}.json`)
  await writeFile(file, JSON.stringify(config))
  const { stdout } = await promisify(execFile)('npx', ['tsc', '-p', file], { cwd: root }).catch((error) => error)
  return stdout
}

const entryPoints = (text: string) => new Set(text.match(/(?<=['"])drizzle-auth-adapter[\w/-]*(?=['"])/g))

/** The entry points that a declaration names, though its source imports another one: that one lacks a type. */
export async function strangeEntryPoints(source: string, declaration: string): Promise<string[]> {
  const [imported, named] = await Promise.all([source, declaration].map(async (file) => entryPoints(await readFile(file, 'utf8'))))
  return [...(named ?? [])].filter((entry) => !imported?.has(entry))
}

/** Apps of each dialect that export what the entry points return, in types that the compiler infers. Each folder uses one entry point. */
export const inferredApps = (dialect: string): Record<string, string> => ({
  'adapter/app.ts': `import { DrizzleAdapter, defineTables, deleteExpired } from 'drizzle-auth-adapter/${dialect}'
import { db } from '../db.js'
import * as schema from '../schema.js'

export const tables = defineTables({ casing: 'snake_case', columns: { users: { role: schema.role }, sessions: { device: schema.role } } })
export const own = defineTables({ usersTable: schema.usersTable })
export const adapter = DrizzleAdapter(db, schema)
export const withColumns = DrizzleAdapter(db, tables)
export const without = DrizzleAdapter(db, { usersTable: schema.usersTable, accountsTable: schema.accountsTable })
export const changed = { ...withColumns, getUser: async (id: string) => withColumns.getUser(id) }
export const adapterFor = () => ({ ...adapter, getUser: (id: string) => adapter.getUser(id) })
export const { createUser, getUserByAccount, getSessionAndUser, listSessions, updateAccount, createAuthenticator } = withColumns
export const accounts = () => adapter.listAccounts('')
export const sweep = () => deleteExpired(db, schema)
`,
  'any/app.ts': `import { DrizzleAdapter, deleteExpired } from 'drizzle-auth-adapter'
import { db } from '../db.js'
import * as schema from '../schema.js'

export const adapter = DrizzleAdapter(db, schema)
export const changed = { ...adapter, getUser: async (id: string) => adapter.getUser(id) }
export const { createUser, getUserByAccount, getSessionAndUser, listSessions, updateAccount, createAuthenticator } = adapter
export const sweep = () => deleteExpired(db, schema)
`,
  'authjs/app.ts': `import { accessTokens, credentialSessions, freshTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import { adapter } from '../any/app.js'

export const refresh = refreshWith({ tokenEndpoint: '', clientId: '', clientSecret: '' })
export const tokens = accessTokens(adapter, { providers: { google: refresh } })
export const more = { ...tokens, refresh }
export const signIn = freshTokens(adapter)
export const { providers } = credentialSessions(adapter, { adapter, providers: [] })
`,
  'secrets/app.ts': `import { protectSecrets, secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { db } from '../db.js'
import * as schema from '../schema.js'

export const secrets = secretsAtRest({ sessionTokens: 'hashed' })
export const { encryptAccount, decryptAccount } = secrets
export const protect = () => protectSecrets(db, schema, { secrets })
`,
  'doctor/app.ts': `import { examine } from 'drizzle-auth-kit'
import { db } from '../db.js'
import * as schema from '../schema.js'

export const check = () => examine(db, schema)
export const codes = async () => (await check()).map(({ code, severity, fix }) => ({ code, severity, fix }))
`,
  'testing/app.ts': `import { adapterContract, betterAuthCases, casesFor } from 'drizzle-auth-adapter/testing'

export const cases = [...adapterContract]
export const run = cases.map(({ name, run, ...more }) => ({ ...more, name, run }))
export const some = casesFor({}, { groups: ['contract'] })
export const others = betterAuthCases.map((each) => ({ ...each }))
`,
  'better-auth/app.ts': `import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { db } from '../db.js'
import * as schema from '../schema.js'

export const database = drizzleAdapter(db, { schema })
export const adapter = { ...database({}) }
`,
})

/** The relations, which each version of Drizzle has in a form of its own. */
export const inferredRelations = (drizzle: string): Record<string, string> => ({
  'relations/app.ts':
    drizzle === '1.0'
      ? `import { authRelations } from 'drizzle-auth-adapter/relations/v2'
import { defineRelations } from 'drizzle-orm'
import * as schema from '../schema.js'

const { role, ...tables } = schema
export const relations = defineRelations(tables, (r) => authRelations(r))
export const more = defineRelations(tables, (r) => ({ ...authRelations(r), posts: {} }))
`
      : `import { authRelations } from 'drizzle-auth-adapter/relations'
import * as schema from '../schema.js'
import { tables } from '../adapter/app.js'

export const { usersRelations, accountsRelations } = authRelations(schema)
export const all = authRelations(tables)
export const more = authRelations(schema, { users: ({ many }) => ({ posts: many(schema.posts) }) })
`,
})
