// npm run check:drivers -- [--quick] [--keep]
//
// Compiles, with several versions of TypeScript, the type tests of test/types, `DrizzleAdapter(drizzle(…), tables)` for each of Drizzle's
// drivers, and the snippets of docs/hosts. Compares what the adapter costs the compiler with the official adapter. `--quick` uses the
// newest and the oldest version of TypeScript alone, the oldest for the type tests only, and takes each measurement once.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run, step } from '../consumer/command.js'
import { pack } from '../consumer/project.js'
import { compareCost } from './cost.js'
import { installShared, makeProject } from './project.js'

const newest = 'typescript-7'
const oldest = 'typescript-5.4'
const older = [oldest, 'typescript-5.9', 'typescript-6']
// The official adapter cannot be used with Drizzle 1.0.
const official = '@auth/drizzle-adapter@1.11.3'
const drizzles = [
  { drizzle: '0.45.4', others: [official] },
  { drizzle: '1.0.0-rc.5', others: [] as string[] },
]
const resolutions = [
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ['--module', 'node16', '--moduleResolution', 'node16'],
]

async function compile(folder: string, title: string, compiler: string, config: string): Promise<void> {
  const tsc = join(folder, '..', 'node_modules', compiler, 'bin', 'tsc')
  for (const resolution of resolutions) {
    await step(`${title}, ${compiler}, moduleResolution ${resolution.at(-1)}`, async () => {
      const { code, output } = await run(folder, process.execPath, tsc, '-p', config, '--pretty', 'false', ...resolution)
      if (code !== 0) throw new Error(output)
    })
  }
}

async function checkAll(folder: string, quick: boolean): Promise<void> {
  const tarball = await pack(folder)
  await installShared(folder)
  for (const { drizzle, others } of drizzles) {
    const project = join(folder, `drizzle-${drizzle}`)
    const drivers = await makeProject(project, tarball, drizzle, others)
    for (const [dialect, names] of drivers) console.log(`      ${dialect}: ${names.join(', ')}`)

    const everything = quick ? [newest] : [...older, newest]
    for (const compiler of everything) await compile(project, `drizzle ${drizzle}: types, drivers and hosts`, compiler, 'tsconfig.json')
    if (quick) await compile(project, `drizzle ${drizzle}: types`, oldest, 'tsconfig.types.json')
    if (others.includes(official)) for (const compiler of everything) await compareCost(project, compiler, quick ? 1 : 3)
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, keep: { type: 'boolean' } } })
  const folder = await mkdtemp(join(tmpdir(), 'auth-typing-'))
  try {
    await checkAll(folder, values.quick ?? false)
  } finally {
    if (values.keep) console.log(`kept ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  }
}

main().then(
  () => console.log('all types are correct'),
  (error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  },
)
