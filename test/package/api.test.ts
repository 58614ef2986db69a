import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/root.js'
import { describeApi } from './api.js'

const run = promisify(execFile)

test('the public API is the one that test/package/api.md describes', async () => {
  await expect(await describeApi()).toMatchFileSnapshot('api.md')
})

test('a stack trace leads to a source that is in the package', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const paths = new Set(files.map(({ path }) => path))
  const compiled = [...paths].filter((path) => /^dist\/(?!cli\/|kit\/).*\.(js|d\.ts)$/.test(path))
  expect(compiled).toContain('dist/index.js')
  for (const path of compiled) {
    const { sources } = JSON.parse(await readFile(join(root, `${path}.map`), 'utf8')) as { sources: string[] }
    for (const file of [`${path}.map`, ...sources.map((source) => posix.join(dirname(path), source))]) expect(paths).toContain(file)
  }
  const program = `import { DrizzleAdapter } from 'drizzle-auth-adapter'; DrizzleAdapter({}, {})`
  const args = ['--enable-source-maps', '--input-type=module', '--eval', program]
  await expect(run(process.execPath, args, { cwd: root })).rejects.toThrow(/at .*src\/index\.ts:\d+/)
})
