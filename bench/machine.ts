import { readFile } from 'node:fs/promises'
import { cpus, platform, totalmem } from 'node:os'
import { join } from 'node:path'

/** The machine and the versions that were measured. */
export interface Machine {
  date: string
  cpu: string
  cores: number
  memoryGigabytes: number
  system: string
  node: string
  /** The measured packages and their dependencies. */
  packages: Record<string, string>
}

const packages = ['@auth/drizzle-adapter', '@auth/kysely-adapter', 'drizzle-orm', 'kysely', 'better-sqlite3', 'postgres', 'pg', 'mysql2']

export async function describeMachine(): Promise<Machine> {
  const root = join(import.meta.dirname, '..')
  const versionOf = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8')).version as string
  const versions = packages.map(async (name) => [name, await versionOf(`node_modules/${name}/package.json`)])
  return {
    date: new Date().toISOString().slice(0, 10),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: platform(),
    node: process.version,
    packages: { 'drizzle-auth-adapter': await versionOf('package.json'), ...Object.fromEntries(await Promise.all(versions)) },
  }
}
