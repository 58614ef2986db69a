import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { BetterAuthOptions } from '@better-auth/core'
import { importFile } from './commands/modules.js'

const names = ['auth.', 'auth.server.', 'auth/index.', 'auth/index.server.'].flatMap((name) =>
  ['ts', 'tsx', 'js', 'jsx'].map((end) => name + end),
)
const folders = ['', 'lib/server/', 'server/auth/', 'server/', 'auth/', 'lib/', 'utils/']

/** The file that exports `auth`, where Better Auth's command line looks for it. */
export const findAuth = (cwd: string): string | undefined =>
  ['', 'src/', 'app/']
    .flatMap((root) => folders.flatMap((folder) => names.map((name) => join(cwd, root, folder, name))))
    .find((file) => existsSync(file))

interface Auth {
  readonly options?: BetterAuthOptions
}

/** Runs the file that exports `auth`, after reading `.env`. Returns the options of Better Auth. */
export async function loadAuth(file: string, cwd: string): Promise<BetterAuthOptions | undefined> {
  for (const name of ['.env', '.env.local']) if (existsSync(join(cwd, name))) process.loadEnvFile(join(cwd, name))
  const loaded = await importFile<{ auth?: Auth; default?: Auth & { auth?: Auth } }>(file)
  return (loaded.auth ?? loaded.default?.auth ?? loaded.default)?.options
}
