// npm run bench [-- --check | --quick | --dialects sqlite,pg | --only operations,growth]
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { cleanUp, cleanUpOnSignals, isInterrupted } from './cleanup.js'
import type { Options } from './options.js'
import { parseOptions, usage } from './options.js'
import { say } from './progress.js'

const root = join(import.meta.dirname, '..')

async function main(options: Options): Promise<number> {
  // What is published is measured, not its sources: it is imported only once it is built.
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: root, stdio: ['ignore', process.stderr, process.stderr] })
  const { checkAll, measure } = await import('./run.js')
  cleanUpOnSignals()
  if (!options.check) {
    const { publish } = await import('./report/index.js')
    say(`written: ${await publish(await measure(options), options)}`)
    return 0
  }
  const failures = await checkAll(options)
  for (const failure of failures) say(failure)
  say(failures.length === 0 ? 'every ratio holds' : `${failures.length} of the ratios not met in three tries`)
  return failures.length === 0 ? 0 : 1
}

function optionsOrUsage(): Options {
  try {
    return parseOptions(process.argv.slice(2))
  } catch (error) {
    say(`${(error as Error).message}\n${usage}`)
    process.exit(2)
  }
}

main(optionsOrUsage())
  .catch((error) => {
    if (!isInterrupted()) say(error.stack ?? String(error))
    return 1
  })
  .then(async (code) => {
    if (isInterrupted()) return
    await cleanUp()
    process.exit(code)
  })
