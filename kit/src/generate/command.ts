import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { BetterAuthError } from '@better-auth/core/error'
import { findAuth, loadAuth } from '../auth.js'
import { Problem } from '../commands/command.js'
import type { SchemaConfig } from './models.js'
import type { Request } from './plan.js'
import { createPlan } from './plan.js'

export interface GenerateOptions {
  /** The file that exports `auth`. Found as Better Auth's command line finds it if absent. */
  readonly config?: string | undefined
  /** The file for new tables if the app has none yet. */
  readonly output?: string | undefined
  readonly yes?: boolean | undefined
  /** Changes nothing. The exit code is 1 if something is missing. */
  readonly check?: boolean | undefined
  /** Whether new tables of PostgreSQL enable row level security. By default, if others do. */
  readonly rls?: boolean | undefined
}

export interface GenerateIO {
  readonly cwd: string
  out(text: string): unknown
  error(text: string): unknown
  confirm(question: string): Promise<boolean>
}

/** Adds what is missing to the files of the app's schema. Returns the exit code. */
export async function generate({ config: given, output, yes, check, rls }: GenerateOptions, io: GenerateIO): Promise<number> {
  const auth = given === undefined ? findAuth(io.cwd) : resolve(io.cwd, given)
  if (!auth || !existsSync(auth))
    throw new Problem(given ? 'the file of --config does not exist.' : 'no auth.ts found. Name it with --config FILE.', 2)
  const options = await loadAuth(auth, io.cwd)
  const adapter = typeof options?.database === 'function' ? options.database(options) : undefined
  const config = (adapter?.options as { schemaConfig?(): SchemaConfig } | undefined)?.schemaConfig?.()
  if (!options || !config)
    throw new Problem(`${relative(io.cwd, auth)} exports no auth whose database is drizzleAdapter() of drizzle-auth-adapter.`, 2)

  const file = output === undefined ? join(dirname(auth), 'auth-schema.ts') : resolve(io.cwd, output)
  const { changed, byHand, notices } = planFor({ options, config, file, isNamed: output !== undefined, roots: [auth], rls })
  for (const { diff } of changed) io.out(diff)
  for (const each of [...byHand, ...notices]) io.error(each)
  const isComplete = changed.length === 0 && byHand.length === 0
  if (isComplete) io.out('Your schema has everything that Better Auth needs.')
  if (check || changed.length === 0) return Number(!isComplete)
  if (!yes && !(await io.confirm('Write these lines?'))) return 1
  for (const { file, result } of changed) {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, result)
  }
  return Number(byHand.length > 0)
}

function planFor(request: Request) {
  try {
    return createPlan(request)
  } catch (error) {
    throw error instanceof BetterAuthError ? new Problem(error.message, 2) : error
  }
}
