/**
 * What the commands of drizzle-auth-kit do, for programs of your own.
 *
 * @module
 */

import type { createSchemaFile as create } from './generate/index.js'

export type { Finding, FindingCode } from './doctor/index.js'
export { examine } from './doctor/index.js'

/** What `npx auth generate` writes. Needs Better Auth. */
export async function createSchemaFile(...args: Parameters<typeof create>): Promise<ReturnType<typeof create>> {
  return (await import('./generate/index.js')).createSchemaFile(...args)
}
