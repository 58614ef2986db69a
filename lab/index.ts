// npm run lab PART [-- OPTIONS]: see README.md in this folder.
import { runTool } from '../test/support/tool.js'

const parts: Record<string, () => Promise<{ run(args: string[]): Promise<void> }>> = {
  bench: () => import('./bench/index.js'),
  matrix: () => import('./matrix/index.js'),
  cluster: () => import('./cluster/index.js'),
  official: () => import('./official/index.js'),
  mutants: () => import('./mutants/index.js'),
  pages: () => import('./pages/index.js'),
}

runTool(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  const load = parts[name]
  if (!load) throw new Error(`usage: npm run lab PART [-- OPTIONS], where PART is one of ${Object.keys(parts).join(', ')}`)
  const { run } = await load()
  await run(args)
})
