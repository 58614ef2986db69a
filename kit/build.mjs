// Until the commands live in the kit, they are built with it: `dist/cli` imports `dist/kit`, and both import the adapter in `dist`.
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'

const out = new URL('../dist/', import.meta.url)
const at = (path) => new URL(path, out)
await cp(at('.build/src/cli/'), at('cli/'), { recursive: true })
await cp(at('.build/kit/src/'), at('kit/'), { recursive: true })
await rm(at('.build/'), { recursive: true })
for (const [folder, from, to] of [
  ['cli/', '../../kit/src/', '../kit/'],
  ['kit/', "'../../../src/", "'../../"],
])
  for (const { name, parentPath } of await readdir(at(folder), { recursive: true, withFileTypes: true })) {
    if (!/\.(js|d\.ts)$/.test(name)) continue
    const path = `${parentPath}/${name}`
    await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, to))
  }
