import { builtinModules } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { build } from 'esbuild'
import type { Cell, Drizzle } from './cell.js'
import { drizzles } from './cell.js'

const here = import.meta.dirname
const root = join(here, '../..')

/** The folder of the bundles of the cells. */
export const cache = join(here, '.cache', 'cells')

/** An esbuild plugin that resolves Drizzle to this version, this package to its sources, and all other packages as they are installed. */
export function resolvePackages(drizzle: Drizzle, inWorker: boolean): Plugin {
  return {
    name: 'matrix',
    setup(esbuild) {
      esbuild.onResolve({ filter: /^drizzle-orm(-v1)?($|\/)/ }, ({ path, kind, pluginData }) => {
        if (pluginData === 'found') return undefined
        const versioned = path.replace(/^drizzle-orm(-v1)?/, drizzles[drizzle])
        return esbuild.resolve(versioned, { kind, resolveDir: root, pluginData: 'found' })
      })
      esbuild.onResolve({ filter: /^drizzle-auth-adapter($|\/)/ }, ({ path }) => ({
        path: join(root, 'src', `${path.slice('drizzle-auth-adapter'.length).replace(/^$|\/(?!internal)\w.*$/, '$&/index')}.ts`),
      }))
      if (inWorker) resolveInWorker(esbuild)
      else
        esbuild.onResolve({ filter: /^[^./]/ }, ({ path, pluginData }) => (pluginData === 'found' ? undefined : { path, external: true }))
    },
  }
}

// A Worker is one file. It has the modules of Node.js only with the prefix `node:`, and only for `import`, not for `require`.
function resolveInWorker(esbuild: Parameters<Plugin['setup']>[0]): void {
  const builtin = new RegExp(`^(node:)?(${builtinModules.filter((name) => !name.startsWith('_')).join('|')})$`)
  esbuild.onResolve({ filter: builtin }, ({ path, kind }) => {
    const full = `node:${path.replace(/^node:/, '')}`
    return kind === 'require-call' ? { path: full, namespace: 'required' } : { path: full, external: true }
  })
  esbuild.onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
    contents: `import whole from '${path}'; module.exports = whole`,
  }))
  esbuild.onResolve({ filter: /^cloudflare:/ }, ({ path }) => ({ path, external: true }))
}

/** The schema file for the cases of Better Auth. */
export const betterAuthSchema = (dialect: Cell['dialect']) => join(cache, `better-auth-${dialect}.ts`)

/** Bundles a cell into one file, in a folder from which its packages are found. */
export async function bundle(cell: Cell, drizzle: Drizzle): Promise<string> {
  const driver = typeof cell.driver === 'string' ? cell.driver : cell.driver[drizzle]
  const inWorker = cell.runtime === 'workerd'
  const tables = cell.snakeCase
    ? `import { snakeCaseTables as contract } from './tables.js'`
    : `import * as contract from '../../test/support/schema/${cell.dialect}.js'`
  const run = inWorker
    ? `import { forward, objectOf, worker } from './worker.js'
       export default ${cell.inObject ? 'forward' : 'worker(open, { contract, betterAuth })'}
       export const Suite = objectOf(open, { contract, betterAuth })`
    : `import { runInProcess } from './child.js'\nawait runInProcess(open, { contract, betterAuth })`
  const file = join(cache, `${driver}-${cell.dialect}-${inWorker ? 'worker' : 'process'}-${drizzle}.mjs`)
  const betterAuth = `import * as betterAuth from '${betterAuthSchema(cell.dialect)}'`
  await bundleText(`${tables}\n${betterAuth}\nimport { open } from './drivers/${driver}.js'\n${run}\n`, file, drizzle, inWorker)
  return file
}

/** Bundles this text as if it were a module of this folder. */
async function bundleText(contents: string, file: string, drizzle: Drizzle, inWorker = false): Promise<void> {
  await build({
    stdin: { contents, resolveDir: here, loader: 'ts' },
    outfile: file,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: inWorker ? 'neutral' : 'node',
    ...(inWorker && { conditions: ['workerd', 'worker', 'import'], mainFields: ['module', 'main'] }),
    plugins: [resolvePackages(drizzle, inWorker)],
    logLevel: 'silent',
  })
}
