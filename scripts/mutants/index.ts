// npm run mutants -- [PATH ...] [--tests PATTERN]... [--concurrency NUMBER] [--force] [--write]
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import type { Area } from './areas.js'
import { areas } from './areas.js'
import { readScores, render, withScores } from './scores.js'

const root = join(import.meta.dirname, '../..')
const page = join(root, 'CONTRIBUTING.md')
const reports = 'reports/mutants'

/** Everything but the contract suite, which test/contract/faults.release.test.ts tests. */
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.ts') && !path.startsWith('src/testing/'))
  .sort()

function areaOf(file: string): string {
  const [area = ''] = Object.keys(areas)
    .filter((path) => file.startsWith(path))
    .sort((a, b) => b.length - a.length)
  return area
}

/** StrykerJS tests a mutant again only if its code or its tests have changed since the last run with this name. */
function keptIn(name: string): string[] {
  return ['--incremental', '--incrementalFile', `${reports}/${createHash('sha256').update(name).digest('hex').slice(0, 12)}.json`]
}

/** Tests the mutants of some files of an area, with its tests and others. */
function run(area: string, files: string[], otherTests: string[], options: string[]): void {
  const tests = [...(areas[area] as Area).tests, ...otherTests]
  console.log(`\n${files.join(', ')}, with test/${tests.join(', test/')}`)
  const { status } = spawnSync(join(root, 'node_modules/.bin/stryker'), ['run', '--mutate', files.join(','), ...keptIn(area), ...options], {
    cwd: root,
    env: { ...process.env, MUTANTS_AREA: area, MUTANTS_TESTS: tests.join(' ') },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`StrykerJS has ended with exit code ${status}`)
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      concurrency: { type: 'string', default: '2' },
      tests: { type: 'string', multiple: true, default: [] },
      force: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
    },
  })
  if (values.write) {
    writeFileSync(page, withScores(readFileSync(page, 'utf8'), readScores(reports, sources)))
    return
  }
  const paths = positionals.map((path) => relative(root, path))
  const files = sources.filter((file) => paths.length === 0 || paths.some((path) => file === path || file.startsWith(`${path}/`)))
  if (files.length === 0) throw new Error(`src/ has no ${positionals.join(' or ')}`)
  const options = ['--concurrency', values.concurrency, ...(values.force ? ['--force'] : [])]
  for (const area of Object.keys(areas)) {
    const chosen = files.filter((file) => areaOf(file) === area)
    if (chosen.length > 0) run(area, chosen, values.tests, options)
  }
  console.log(`\n${render(readScores(reports, files))}`)
}

main()
