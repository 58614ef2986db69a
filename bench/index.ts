// npm run bench [-- --check | --quick | --dialects sqlite,pg | --only operations,growth]
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { cleanUp, cleanUpOnSignals, isInterrupted } from './cleanup.js'
import type { Options } from './options.js'
import { parseOptions, usage } from './options.js'
import { print } from './progress.js'

const root = join(import.meta.dirname, '..')

async function main(options: Options): Promise<number> {
  // The built package is measured, not its sources. So it is imported only after the build.
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', process.stderr, process.stderr] })
  const { checkAll, measure } = await import('./run.js')
  cleanUpOnSignals()
  if (!options.check) {
    const { publish } = await import('./report/index.js')
    print(`written: ${await publish(await measure(options), options)}`)
    return 0
  }
  const failures = await checkAll(options)
  for (const failure of failures) print(failure)
  print(failures.length === 0 ? 'every ratio is within its limit' : `${failures.length} ratios are above their limit in all of three tries`)
  return failures.length === 0 ? 0 : 1
}

function optionsOrUsage(): Options {
  try {
    return parseOptions(process.argv.slice(2))
  } catch (error) {
    print(`${(error as Error).message}\n${usage}`)
    process.exit(2)
  }
}

main(optionsOrUsage())
  .catch((error) => {
    if (!isInterrupted()) print(error.stack ?? String(error))
    return 1
  })
  .then(async (code) => {
    if (isInterrupted()) return
    await cleanUp()
    process.exit(code)
  })
