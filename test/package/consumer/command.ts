import { spawn } from 'node:child_process'

/** A step that failed, with its output. */
class StepError extends Error {
  constructor(step: string, output: string) {
    super(`FAILED: ${step}\n\n${output.trim()}`)
  }
}

// `npm run` passes settings of this project to its children, which must not reach the npm of the consumer.
const projectSettings = /^npm_(config_(legacy_peer_deps|local_prefix|call|yes|dry_run)|package_|lifecycle_|command)/
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !projectSettings.test(name)))

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort())

interface Result {
  code: number | null
  output: string
}

/** Runs a command to its end. A signal to this process ends the command, so that callers can clean up. */
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
    // After an abort, the command may still be running and writing files, so this waits for 'close'.
    child.once('error', (error) => {
      failure = error
      if (child.pid === undefined) reject(error)
    })
    child.once('close', (code) => (failure ? reject(failure) : resolve({ code, output })))
  })
}

/** Runs a step and prints a line when it is done. If it fails, the error names the step. */
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

/** Runs a command as a step. It must succeed. */
export function commandStep(name: string, cwd: string, command: string, ...args: string[]): Promise<string> {
  return step(name, async () => {
    const { code, output } = await run(cwd, command, ...args)
    if (code !== 0) throw new Error(`${command} ${args.join(' ')}\n\n${output.trim()}`)
    return output
  })
}
