import type { BetterAuthOptions } from '@better-auth/core'
import { BetterAuthError } from '@better-auth/core/error'

/** Creates the schema file for `npx auth generate`, with drizzle-auth-kit, which developers install. */
export async function createSchema(
  file: string | undefined,
  options: BetterAuthOptions,
  config: object,
): Promise<{ code: string; path: string; overwrite: boolean }> {
  // Bundlers would resolve a literal name, and fail in apps without the kit.
  const kit = 'drizzle-auth-kit'
  const { createSchemaFile } = await import(/* @vite-ignore */ /* webpackIgnore: true */ kit).catch(
    (error: { code?: string; message?: string }) => {
      if (!/_NOT_FOUND$/.test(error.code ?? '') || !error.message?.includes(kit)) throw error
      throw new BetterAuthError('npx auth generate needs drizzle-auth-kit: npm install --save-dev drizzle-auth-kit')
    },
  )
  return createSchemaFile(file, options, config)
}
