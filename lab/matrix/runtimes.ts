import { existsSync } from 'node:fs'
import { join } from 'node:path'

export type RuntimeName = 'Node.js' | 'Node.js 20' | 'Node.js 22' | 'Node.js 24' | 'Node.js 26' | 'Bun' | 'Deno' | 'workerd'

const modules = join(import.meta.dirname, 'node_modules')
const arm = process.arch === 'arm64'

/** The command that runs a file on a runtime. */
export function commandOf(runtime: RuntimeName, file: string): { command: string; args: string[] } {
  switch (runtime) {
    case 'Node.js':
    case 'workerd':
      return { command: process.execPath, args: [file] }
    case 'Bun':
      return { command: program(`@oven/bun-${process.platform}-${arm ? 'aarch64' : 'x64'}/bin/bun`), args: ['run', file] }
    case 'Deno': {
      const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
      return { command: program(`@deno/${platform}/deno`), args: ['run', '--quiet', '--allow-all', file] }
    }
    default: {
      const [, version] = runtime.split(' ')
      return { command: program(`node-${version}-${process.platform}-${process.arch}/bin/node`), args: ['--no-warnings', file] }
    }
  }
}

/** The path of a file in one of the packages of lab/matrix/package.json. */
export function program(path: string): string {
  const file = join(modules, path)
  if (!existsSync(file)) throw new Error(`${path} is not installed: run npm run install:drivers, on Linux, x64 or arm64`)
  return file
}
