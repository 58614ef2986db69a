import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { build } from 'esbuild'
import { inject } from 'vitest'
import { resolvePackages } from '../../../lab/matrix/bundle.js'
import type { Drizzle } from '../../../lab/matrix/cell.js'
import { drizzles } from '../../../lab/matrix/cell.js'
import type { Open } from '../../../lab/matrix/setting.js'
import type { DialectName } from '../../support/dialects.js'
import { root } from '../../support/root.js'
import { createStore } from './store.js'

const [previous, current] = Object.keys(drizzles) as [Drizzle, Drizzle]
const drizzle = process.env.DRIZZLE === '1.0' ? current : previous

type Runner = (query: unknown) => Promise<unknown>

/** Opens a database with a driver of the matrix. Its packages are installed there, so the driver is bundled into a file of that folder. */
export async function openWith(driver: string, dialect: DialectName) {
  const outfile = join(root, 'lab/matrix/.cache', `suites-${driver}-${crypto.randomUUID()}.mjs`)
  const entryPoints = [join(root, 'lab/matrix/drivers', `${driver}.ts`)]
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', plugins: [resolvePackages(drizzle, false)] })
  const { open } = (await import(outfile).finally(() => rm(outfile))) as { open: Open }
  const folder = await mkdtemp(join(inject('folder'), 'suites-'))
  const file = join(folder, 'app.db')
  const opened = await open({
    url: '',
    statements: [],
    file,
    foreignKeys: true,
    connections: 20,
    prepare: true,
    logger: { logQuery() {} },
    bindings: {},
  })
  const db = opened.db as { execute: Runner; run: Runner; all: Runner }
  const exec = (statement: string) => (dialect === 'pg' ? db.execute(sql.raw(statement)) : db.run(sql.raw(statement)))
  const run = async (query: string) => (await db.all(sql.raw(query))) as Record<string, unknown>[]
  return createStore(dialect, { db, exec, run, file, close: async () => opened.close() }, true)
}
