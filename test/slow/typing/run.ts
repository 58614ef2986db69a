// npm run check:drivers -- [--quick]
//
// Compiles, with several versions of TypeScript, the type tests of test/types, `DrizzleAdapter(drizzle(…), tables)` for each of Drizzle's
// drivers, and the snippets of docs/hosts. `--quick` uses the newest and the oldest version of TypeScript alone, with one resolution of
// modules, the oldest for the type tests only.
import { join } from 'node:path'
import { run, step } from '../../support/process.js'
import { temporaryFolder } from '../../support/servers/scratch.js'
import { parseArguments, runTool } from '../../support/tool.js'
import { pack } from '../consumer/project.js'
import { installShared, makeProject } from './project.js'

const newest = 'typescript-7'
const oldest = 'typescript-5.4'
const older = [oldest, 'typescript-5.9', 'typescript-6']
const drizzles = ['0.45.4', '1.0.0-rc.5']
const everyResolution = [
  ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ['--module', 'node16', '--moduleResolution', 'node16'],
]

async function compile(folder: string, title: string, compiler: string, config: string, resolutions: string[][]): Promise<void> {
  const tsc = join(folder, '..', 'node_modules', compiler, 'bin', 'tsc')
  for (const resolution of resolutions) {
    await step(`${title}, ${compiler}, moduleResolution ${resolution.at(-1)}`, () =>
      run(process.execPath, [tsc, '-p', config, '--pretty', 'false', ...resolution], { cwd: folder }),
    )
  }
}

async function checkAll(folder: string, quick: boolean): Promise<void> {
  const resolutions = quick ? everyResolution.slice(0, 1) : everyResolution
  const tarball = await pack(folder)
  await installShared(folder)
  for (const drizzle of drizzles) {
    const project = join(folder, `drizzle-${drizzle}`)
    const drivers = await makeProject(project, tarball, drizzle)
    for (const [dialect, names] of drivers) console.log(`      ${dialect}: ${names.join(', ')}`)

    for (const compiler of quick ? [newest] : [...older, newest])
      await compile(project, `drizzle ${drizzle}: types, drivers and hosts`, compiler, 'tsconfig.json', resolutions)
    await compile(project, `drizzle ${drizzle}: hosts with declarations`, newest, 'tsconfig.hosts.json', resolutions)
    if (quick) await compile(project, `drizzle ${drizzle}: types`, oldest, 'tsconfig.types.json', resolutions)
  }
}

runTool(async () => {
  const { values } = parseArguments('npm run check:drivers -- [--quick]', { options: { quick: { type: 'boolean', default: false } } })
  await checkAll(temporaryFolder('auth-typing-'), values.quick)
  console.log('all types are correct')
})
