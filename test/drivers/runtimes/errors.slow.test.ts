import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { resolvePackages } from '../../../matrix/bundle.js'
import { commandOf } from '../../../matrix/runtimes.js'
import { root } from '../../support/root.js'

const matrix = join(root, 'matrix')

test.each(['Node.js', 'Bun', 'Deno'] as const)('an error shows its table and column in a log on %s', async (runtime) => {
  const outfile = join(matrix, '.cache', `errors-${crypto.randomUUID()}.mjs`)
  onTestFinished(() => rm(outfile, { force: true }))
  const contents = `
    import { AdapterOperationError } from 'drizzle-auth-adapter'
    console.log(JSON.stringify({ ...new AdapterOperationError('createUser', 'duplicate', { table: 'user', column: 'email' }) }))`
  await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'node',
    plugins: [resolvePackages(process.env.DRIZZLE === 'drizzle 1.0' ? '1.0.0-rc.5' : '0.45.4', false)],
    logLevel: 'silent',
  })
  const { command, args } = commandOf(runtime, outfile)
  const { NODE_OPTIONS: _, ...env } = process.env
  const { stdout } = await promisify(execFile)(command, args, { cwd: matrix, env: { ...env, NO_COLOR: '1' } })
  expect(JSON.parse(stdout)).toEqual({
    name: 'AdapterOperationError',
    operation: 'createUser',
    kind: 'duplicate',
    table: 'user',
    column: 'email',
  })
})
