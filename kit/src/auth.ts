import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
import { loadModule } from './commands/modules.js'

const names = ['auth.', 'auth.server.', 'auth/index.', 'auth/index.server.'].flatMap((name) =>
  ['ts', 'tsx', 'js', 'jsx'].map((end) => name + end),
)
const folders = ['', 'lib/server/', 'server/auth/', 'server/', 'auth/', 'lib/', 'utils/']

/** The file that exports `auth`, where Better Auth's command line looks for it. */
export const findAuth = (cwd: string): string | undefined =>
  ['', 'src/', 'app/']
    .flatMap((root) => folders.flatMap((folder) => names.map((name) => join(cwd, root, folder, name))))
    .find((file) => existsSync(file))

type Auth = { readonly options?: BetterAuthOptions; readonly auth?: Auth } | undefined

/** Runs the file that exports `auth`, after reading `.env`. Returns the options of Better Auth. */
export async function loadAuth(file: string, cwd: string): Promise<BetterAuthOptions | undefined> {
  for (const name of ['.env', '.env.local']) if (existsSync(join(cwd, name))) process.loadEnvFile(join(cwd, name))
  const { auth, default: other } = (await loadModule(file, cwd)) as { auth?: Auth; default?: Auth }
  return (auth ?? other?.auth ?? other)?.options
}
