import { join } from 'node:path'
import { build } from 'esbuild'

export type Assets = Map<string, { text: string; type: string }>

const types: Record<string, string> = { js: 'text/javascript', css: 'text/css' }

/** Bundles the scripts and styles for the browser, once at the start. */
export async function bundleAssets(): Promise<Assets> {
  const folder = join(import.meta.dirname, 'browser')
  const { outputFiles } = await build({
    entryPoints: ['index.ts', 'style.css'].map((file) => join(folder, file)),
    outdir: folder,
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    logLevel: 'warning',
  })
  return new Map(
    outputFiles.map(({ path, text }) => [
      path.slice(folder.length),
      { text, type: `${types[path.split('.').pop() ?? '']}; charset=utf-8` },
    ]),
  )
}
