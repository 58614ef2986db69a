// npm run mutants -- PATH ... --tests PATTERN ... [--concurrency NUMBER] [--force]
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'

const root = join(import.meta.dirname, '../..')

/** Everything but the contract suite, which test/contract/faults.release.test.ts tests. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !path.startsWith('src/testing/'))
  .sort()

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    concurrency: { type: 'string', default: '2' },
    tests: { type: 'string', multiple: true, default: [] },
    force: { type: 'boolean', default: false },
  },
})
const paths = positionals.map((path) => relative(root, path))
const files = sources.filter((file) => paths.some((path) => file === path || file.startsWith(`${path}/`)))
if (files.length === 0) throw new Error(`src/ has no ${positionals.join(' or ')}. Name files or folders of src/`)
if (values.tests.length === 0) throw new Error("name the tests that should notice the mutants: --tests 'contract/dialects'")

// StrykerJS tests a mutant again only if its code or its tests have changed since the last run with these arguments.
const name = createHash('sha256')
  .update(JSON.stringify([paths, values.tests]))
  .digest('hex')
  .slice(0, 12)
const kept = ['--incremental', '--incrementalFile', `reports/mutants/${name}.json`, ...(values.force ? ['--force'] : [])]
const { status } = spawnSync(
  join(root, 'node_modules/.bin/stryker'),
  ['run', '--mutate', files.join(','), '--concurrency', values.concurrency, ...kept],
  { cwd: root, env: { ...process.env, MUTANTS_TESTS: values.tests.join(' ') }, stdio: 'inherit' },
)
process.exitCode = status ?? 1
