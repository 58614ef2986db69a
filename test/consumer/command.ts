import { spawn } from 'node:child_process'

/** A step that failed, with what it printed. */
class StepError extends Error {
  constructor(step: string, output: string) {
    super(`FAILED: ${step}\n\n${output.trim()}`)
  }
}

// What `npm run` tells its children of the project must not reach the npm of the consumer.
const ofThisProject = /^npm_(config_(legacy_peer_deps|local_prefix|call|yes|dry_run)|package_|lifecycle_|command)/
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofThisProject.test(name)))

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

interface Result {
  code: number | null
  output: string
}

/** Runs a command to its end. A signal to this process ends the command, so that whoever waits for it can clean up. */
export function run(cwd: string, command: string, ...args: string[]): Promise<Result> {
  return new Promise((resolve, reject) => {
    let output = ''
    let failure: Error | undefined
    const child = spawn(command, args, { cwd, env, signal: stopping.signal, stdio: ['ignore', 'pipe', 'pipe'] })
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    // A command that was told to end has not ended yet, and may still write files.
    child.once('error', (error) => {
      failure = error
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code) => (failure ? reject(failure) : resolve({ code, output })))
  })
}

/** Does one step, with a line that says so, and names it where it fails. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  try {
    const result = await work()
    console.log(`ok  ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
    return result
  } catch (error) {
    if (error instanceof StepError) throw error
    throw new StepError(name, error instanceof Error ? error.message : String(error))
  }
}

/** A step that is one command, which must succeed. */
export function commandStep(name: string, cwd: string, command: string, ...args: string[]): Promise<string> {
  return step(name, async () => {
    const { code, output } = await run(cwd, command, ...args)
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}\n\n${output.trim()}`)
    return output
  })
}
