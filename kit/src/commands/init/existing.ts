import { pageUrl } from '../../doctor/finding.js'
import { Problem } from '../command.js'
import type { Library } from './library.js'
import { commands } from './managers.js'
import type { Manager, Project } from './project.js'

/** Throws if the app already has tables of another adapter, and says how to use this package there. */
export function refuseExisting({ packages, manager }: Project, { name }: Library): void {
  if (name === 'authjs' && '@auth/drizzle-adapter' in packages)
    throw new Problem(instructions('@auth/drizzle-adapter', "import { DrizzleAdapter } from 'drizzle-auth-adapter'", 'moving', manager), 2)
  if (name === 'better-auth' && '@better-auth/drizzle-adapter' in packages) throw new Problem(official(manager), 2)
}

/** Throws if the configuration of Better Auth uses its own Drizzle adapter. */
export function refuseOfficial(configuration: string, { manager }: Project): void {
  if (/better-auth\/adapters\/drizzle|@better-auth\/drizzle-adapter/.test(configuration)) throw new Problem(official(manager), 2)
}

const official = (manager: Manager) =>
  instructions(
    "Better Auth's own Drizzle adapter",
    `import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'

and in its options, remove provider. schema is required:

  database: drizzleAdapter(db, { schema })`,
    'better-auth-moving',
    manager,
  )

const instructions = (adapter: string, line: string, page: string, manager: Manager) =>
  `this app uses ${adapter}, so it already has its tables. Nothing was written. To switch, change the import:

  ${commands[manager].add} drizzle-auth-adapter
  ${line}

Your tables stay, and users stay signed in. All steps: ${pageUrl(`${page}.md`)}
If the app no longer uses it, remove it and run init again.`
