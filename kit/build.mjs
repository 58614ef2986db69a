// Copies the examples that `init` reads into the build.
import { cpSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const pathOf = (path) => fileURLToPath(new URL(path, import.meta.url))

const isRead = (path) =>
  /\/(auth|app|server|hooks\.server|route|worker|mounts\/\w+|node\/(db|schema|drizzle\.config)|worker\/drizzle\.config)\.ts$|\/node\/tsconfig\.json$/.test(
    path.replaceAll('\\', '/'),
  )

cpSync(pathOf('../examples'), pathOf('dist/examples'), {
  recursive: true,
  filter: (path) => (statSync(path).isDirectory() ? !/[\\/](node_modules|runner|\.[\w-]+)$/.test(path) : isRead(path)),
})
