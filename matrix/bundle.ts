import { builtinModules } from 'node:module'
import { join } from 'node:path'
import type { Plugin } from 'esbuild'
import { build } from 'esbuild'
import type { Cell, Drizzle } from './cell.js'
import { drizzles } from './cell.js'

const here = import.meta.dirname
const root = join(here, '..')

/** Where the bundles of the cells are. */
export const cache = join(here, '.cache', 'cells')

/** Drizzle in the version wanted, this package from its sources, and all else as it is installed. */
export function resolving(drizzle: Drizzle, inWorker: boolean): Plugin {
  return {
    name: 'matrix',
    setup(esbuild) {
      esbuild.onResolve({ filter: /^drizzle-orm(-v1)?($|\/)/ }, ({ path, kind, pluginData }) => {
        if (pluginData === 'found') return undefined
        const wanted = path.replace(/^drizzle-orm(-v1)?/, drizzles[drizzle])
        return esbuild.resolve(wanted, { kind, resolveDir: root, pluginData: 'found' })
      })
      esbuild.onResolve({ filter: /^drizzle-auth-adapter($|\/)/ }, ({ path }) => ({
        path: join(root, 'src', path.slice('drizzle-auth-adapter'.length), 'index.ts'),
      }))
      if (inWorker) resolveInWorker(esbuild)
      else
        esbuild.onResolve({ filter: /^[^./]/ }, ({ path, pluginData }) => (pluginData === 'found' ? undefined : { path, external: true }))
    },
  }
}

// A Worker is one file. It has Node's modules under their full names, and for `import` alone.
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

/** Bundles a cell into one file, beside the packages that it needs. */
export async function bundle(cell: Cell, drizzle: Drizzle): Promise<string> {
  const driver = typeof cell.driver === 'string' ? cell.driver : cell.driver[drizzle]
  const inWorker = cell.runtime === 'workerd'
  const tables =
    cell.tables === 'loose'
      ? `import { ${cell.dialect}Tables as tables } from '../test/helpers/loose.js'`
      : `import * as tables from '../test/schema/${cell.dialect}.js'`
  const run = inWorker
    ? `import { worker } from './worker.js'\nexport default worker(open, tables)`
    : `import { runInProcess } from './child.js'\nawait runInProcess(open, tables)`
  const file = join(cache, `${driver}-${cell.dialect}-${cell.tables ?? 'default'}-${inWorker ? 'worker' : 'process'}-${drizzle}.mjs`)
  await bundleText(`${tables}\nimport { open } from './drivers/${driver}.js'\n${run}\n`, file, drizzle, inWorker)
  return file
}

/** Bundles what stands in a module of this folder. */
async function bundleText(contents: string, file: string, drizzle: Drizzle, inWorker = false): Promise<void> {
  await build({
    stdin: { contents, resolveDir: here, loader: 'ts' },
    outfile: file,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: inWorker ? 'neutral' : 'node',
    ...(inWorker && { conditions: ['workerd', 'worker', 'import'], mainFields: ['module', 'main'] }),
    plugins: [resolving(drizzle, inWorker)],
    logLevel: 'silent',
  })
}
