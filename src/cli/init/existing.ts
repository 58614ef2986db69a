import { Problem } from '../command.js'
import type { Project } from './project.js'
import { commands } from './report.js'

/** Throws if the app already has tables of another adapter or of Better Auth, and says how to use this package there. */
export function refuseExisting({ packages, manager }: Project): void {
  const { add, exec } = commands[manager]
  if ('@auth/drizzle-adapter' in packages)
    throw new Problem(
      `this app uses @auth/drizzle-adapter, so it already has its tables. Nothing was written. To switch, change the import:

  ${add} drizzle-auth-adapter
  import { DrizzleAdapter } from 'drizzle-auth-adapter'

Your tables stay, and users stay signed in. docs/moving.md has all steps.
${again('@auth/drizzle-adapter')}`,
      2,
    )
  if ('better-auth' in packages)
    throw new Problem(
      `this app uses Better Auth, and init sets up Auth.js. Nothing was written. To use this package with Better Auth:

  ${add} drizzle-auth-adapter
  import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
  database: drizzleAdapter(db, { schema }),
  ${exec} auth generate --output auth-schema.ts

docs/better-auth.md has all steps.
${again('better-auth')}`,
      2,
    )
}

const again = (name: string) => `If the app no longer uses ${name}, uninstall it and run init again.`
