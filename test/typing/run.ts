// npx tsx test/typing/run.ts [--quick] [--keep]
//
// Compiles `DrizzleAdapter(drizzle(…), tables)` for each of Drizzle's drivers, as an app has it, and the snippets of docs/hosts.
// Compares what the adapter costs the compiler with the official adapter. `--quick` takes the newest compiler alone, and each measure once.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { run, step } from '../consumer/command.js'
import { pack } from '../consumer/project.js'
import { compareCost } from './cost.js'
import { installShared, makeProject } from './project.js'

const compilers = ['typescript-5', 'typescript-6', 'typescript-7']
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

async function checkTypes(folder: string, title: string, compiler: string): Promise<void> {
  for (const resolution of resolutions) {
    await step(`${title}, ${compiler}, moduleResolution ${resolution.at(-1)}`, async () => {
      const tsc = join(folder, '..', 'node_modules', compiler, 'bin', 'tsc')
      const { code, output } = await run(folder, process.execPath, tsc, '-p', '.', '--pretty', 'false', ...resolution)
      if (code !== 0) throw new Error(output)
    })
  }
}

async function checkAll(folder: string, versions: string[], rounds: number): Promise<void> {
  const tarball = await pack(folder)
  await installShared(folder)
  for (const { drizzle, others } of drizzles) {
    const project = join(folder, `drizzle-${drizzle}`)
    const drivers = await makeProject(project, tarball, drizzle, others)
    for (const [dialect, names] of drivers) console.log(`      ${dialect}: ${names.join(', ')}`)
    for (const compiler of versions) await checkTypes(project, `drizzle ${drizzle}, each driver and host`, compiler)
    if (others.includes(official)) for (const compiler of versions) await compareCost(project, compiler, rounds)
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { quick: { type: 'boolean' }, keep: { type: 'boolean' } } })
  const folder = await mkdtemp(join(tmpdir(), 'auth-typing-'))
  try {
    if (values.quick) await checkAll(folder, compilers.slice(-1), 1)
    else await checkAll(folder, compilers, 3)
  } finally {
    if (values.keep) console.log(`kept ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  }
}

main().then(
  () => console.log('the drivers fit'),
  (error: Error) => {
    console.error(error.message)
    process.exitCode = 1
  },
)
