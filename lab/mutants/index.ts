// npm run lab mutants -- PATH ... [--tests PATTERN]...
// npm run lab mutants -- --sample NUMBER [--seed NUMBER]
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { MutantResult, PartialStrykerOptions } from '@stryker-mutator/api/core'
import { Stryker } from '@stryker-mutator/core'
import { root } from '../../test/support/root.js'
import { parseArguments } from '../../test/support/tool.js'
import { sampleMutants } from './sample.js'

const options: PartialStrykerOptions = {
  plugins: ['@stryker-mutator/vitest-runner', './lab/mutants/messages.mjs'],
  testRunner: 'vitest',
  vitest: { configFile: 'lab/mutants/vitest.config.ts', related: false },
  ignorers: ['messages'],
  ignorePatterns: ['/.tmp', '/lab/matrix/.cache', '/site'],
  reporters: ['progress'],
  dryRunTimeoutMinutes: 60,
  tempDirName: '.mutants',
  tsconfigFile: '',
  disableBail: true,
  timeoutMS: 10_000,
}

/** Everything but the contract suite, which has broken adapters of its own. */
function sources(paths: string[]): string[] {
  const all = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts') && !path.startsWith('src/testing/'))
    .sort()
  if (paths.length === 0) return all
  return all.filter((file) => paths.some((path) => file === path || file.startsWith(`${path}/`)))
}

/** Where a mutant is, and what it changes. */
function describe({ fileName, location: { start, end }, replacement }: MutantResult): string {
  // Lines and columns are counted from 1.
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line)
  lines[lines.length - 1] = lines.at(-1)?.slice(0, end.column - 1) ?? ''
  lines[0] = lines[0]?.slice(start.column - 1) ?? ''
  const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 120)
  return `${relative(root, fileName)}:${start.line}  ${short(lines.join(' '))}  ->  ${short(replacement ?? '')}`
}

export async function run(args: string[]): Promise<void> {
  const { values, positionals } = parseArguments('npm run lab mutants -- PATH ... [--tests PATTERN]... | --sample NUMBER [--seed NUMBER]', {
    args,
    allowPositionals: true,
    options: {
      tests: { type: 'string', multiple: true, default: [] },
      sample: { type: 'string' },
      seed: { type: 'string', default: '1' },
      concurrency: { type: 'string', default: '2' },
    },
  })
  if (positionals.length === 0 && !values.sample) throw new Error('Name files or folders of src/, or use --sample')
  const mutate = sources(positionals.map((path) => relative(root, path)))
  if (mutate.length === 0) throw new Error(`src/ has no ${positionals.join(' or ')}`)
  if (values.sample) sampleMutants(Number(values.sample), Number(values.seed))
  // Read by vitest.config.ts.
  process.env.MUTANTS_TESTS = values.tests.join(' ')
  process.chdir(root)
  const results = await new Stryker({ ...options, mutate, concurrency: Number(values.concurrency) }).runMutationTest()
  const tested = results.filter(({ status }) => status !== 'Ignored')
  const survivors = tested.filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
  console.log(`\n${survivors.length} of ${tested.length} mutants survived`)
  for (const mutant of survivors) console.log(describe(mutant))
}
