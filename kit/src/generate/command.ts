import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { findAuth, loadAuth } from '../auth.js'
import type { SchemaConfig } from './models.js'
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
  const fail = (message: string) => {
    io.error(message)
    return 2
  }
  const auth = given === undefined ? findAuth(io.cwd) : resolve(io.cwd, given)
  if (!auth || !existsSync(auth)) return fail(given ? `${given} does not exist` : 'No auth.ts found. Name it with --config FILE')
  const options = await loadAuth(auth, io.cwd)
  const adapter = typeof options?.database === 'function' ? options.database(options) : undefined
  const config = (adapter?.options as { schemaConfig?(): SchemaConfig } | undefined)?.schemaConfig?.()
  if (!options || !config) return fail(`${auth} exports no auth whose database is drizzleAdapter() of drizzle-auth-adapter`)

  const file = output === undefined ? join(dirname(auth), 'auth-schema.ts') : resolve(io.cwd, output)
  const { changed, byHand, notices } = createPlan({ options, config, file, isNamed: output !== undefined, roots: [auth], rls })
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
