// Copies the code of the examples, which `init` reads, into the build.
import { cpSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))

cpSync(pathOf('../examples'), pathOf('dist/examples'), {
  recursive: true,
  filter: (path) =>
    statSync(path).isDirectory() ? !/[\\/](node_modules|runner|\.[\w-]+)$/.test(path) : /(?<!run)\.ts$|tsconfig\.json$/.test(path),
})
