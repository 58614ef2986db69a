import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
import { BetterAuthError } from '@better-auth/core/error'
import { isTable } from 'drizzle-auth-adapter/internal'
import { findAuth } from '../auth.js'
import type { SchemaConfig } from './models.js'
import { createPlan } from './plan.js'

export type { GenerateIO, GenerateOptions } from './command.js'
export { generate } from './command.js'

/** What `npx auth generate` writes. The adapter calls it with the file of `--output`, if one was named. */
export function createSchemaFile(file: string | undefined, options: BetterAuthOptions, config: SchemaConfig) {
  const named = resolve(file || 'auth-schema.ts')
  const roots = [findAuth(process.cwd())].filter((each) => each !== undefined)
  const { target, changed, byHand, notices } = createPlan({ options, config, file: named, isNamed: true, roots })
  const code = changed.includes(target) ? target.result : ''
  const others = changed
    .filter((each) => each !== target)
    .map(({ diff }) => `Add by hand, because npx auth generate writes one file:\n${diff}`)
  const hints = [...byHand, ...others]
  if (target.body.length === 0 && (code || hints.length > 0) && Object.values(config.schema).some(isTable))
    hints.push('To edit the file that has your tables, name it: npx auth generate --output src/schema.ts')
  if (!code && hints.length > 0) throw new BetterAuthError([...hints, ...notices].join('\n'))
  for (const each of [...hints, ...notices]) console.error(each)
  // Without --output, the command joins the path to its folder.
  return { code, path: !file && target.file === named ? 'auth-schema.ts' : target.file, overwrite: existsSync(target.file) }
}
