// npm run mutants -- [PATH ...] [--tests PATTERN] [--concurrency NUMBER] [--force] [--write]
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

interface Pass {
  tests: string[]
  dialects: string
  options: string[]
}

/** Tests the mutants of some files of an area. */
function run(area: string, files: string[], { tests, dialects, options }: Pass): void {
  console.log(`\n${files.length === 1 ? files[0] : `${files.length} files of ${area}`}, with test/${tests.join(', test/')} on ${dialects}`)
  const { status } = spawnSync(join(root, 'node_modules/.bin/stryker'), ['run', '--mutate', files.join(','), ...options], {
    cwd: root,
    env: { ...process.env, MUTANTS_AREA: area, MUTANTS_TESTS: tests.join(' '), DIALECTS: dialects },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`StrykerJS has ended with exit code ${status}`)
}

/** The mutants that the first tests do not notice are left for the next ones. Results are kept, so the others are not tested again. */
function passesOf(path: string, { quick, rest, dialects }: Area): Pass[] {
  const options = keptIn(path)
  return [
    { tests: quick, dialects: 'sqlite', options },
    { tests: [...quick, ...rest], dialects: dialects.split(',')[0] as string, options: [...options, '--ignoreStatic'] },
    // What runs at the import of a module is reached by no test alone, and needs all of them.
    { tests: [...quick, ...rest], dialects, options },
  ]
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      concurrency: { type: 'string', default: '2' },
      tests: { type: 'string', multiple: true },
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
  for (const [path, area] of Object.entries(areas)) {
    const chosen = files.filter((file) => areaOf(file) === path)
    if (chosen.length === 0) continue
    const passes = values.tests
      ? [{ tests: values.tests, dialects: process.env.DIALECTS ?? area.dialects, options: keptIn(chosen.join(' ')) }]
      : passesOf(path, area)
    for (const [index, { options, ...pass }] of passes.entries()) {
      const isForced = values.force && index === 0
      run(path, chosen, { ...pass, options: [...options, '--concurrency', values.concurrency, ...(isForced ? ['--force'] : [])] })
    }
  }
  console.log(`\n${render(readScores(reports, files))}`)
}

main()
