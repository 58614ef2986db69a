import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { root } from '../support/root.js'
import { describeApi } from './api.js'

const run = promisify(execFile)

test('the public API is the one that test/package/api.md describes', async () => {
  await expect(await describeApi()).toMatchFileSnapshot('api.md')
})

test('the package has no second copy of its source', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root })
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }]
  const kinds = files.map(({ path }) => path.replace(/^docs\/.*/, 'docs').replace(/^dist\/[\w/-]+/, 'dist/*'))
  expect(new Set(kinds)).toEqual(new Set(['dist/*.js', 'dist/*.d.ts', 'docs', 'CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']))
})
