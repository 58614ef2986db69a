import { spawn } from 'node:child_process'

interface StartOptions {
  cwd?: string
  env?: Record<string, string>
  /** Whether the command goes on if this process ends, such as a package manager that must not be interrupted half-way. */
  outlives?: boolean
}

export interface Running {
  /** What it has printed so far, on both outputs. */
  output(): string
  /** Resolves with its exit code when it has ended; with null if it was killed or could not be started. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

// `npm run` passes settings of this project to its children, which must not reach the npm of another project. NODE_OPTIONS are for the
// process that has them.
const ownSettings = /^(npm_(config_(legacy_peer_deps|local_prefix|call|yes|dry_run)|package_|lifecycle_|command)|NODE_OPTIONS$)/
const inherited = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownSettings.test(name)))

/** Starts a command in its own process group, so that all processes that it starts are stopped with it, and with this process. */
export function start(command: string, args: string[], { cwd, env, outlives = false }: StartOptions = {}): Running {
  let output = ''
  const child = spawn(command, args, {
    ...(cwd && { cwd }),
    env: { ...inherited(), NO_COLOR: '1', ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      if (child.pid) process.kill(-child.pid, signal)
    } catch {
      // It has ended already.
    }
  }
  const kill = () => signalGroup('SIGKILL')
  if (!outlives) process.once('exit', kill)
  const ended = new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve(null)
    })
    child.once('close', resolve)
  }).finally(() => process.off('exit', kill))

  async function stop(): Promise<void> {
    signalGroup('SIGTERM')
    const timer = setTimeout(kill, 5_000)
    await ended
    clearTimeout(timer)
    kill()
  }
  return { output: () => output, ended, stop }
}

interface RunOptions extends StartOptions {
  /** The time limit, ten minutes by default. */
  seconds?: number
}

/** Runs a command to its end. Never rejects: a command that cannot be started or takes too long has the code null. */
export async function capture(command: string, args: string[], { seconds = 600, ...options }: RunOptions = {}) {
  const running = start(command, args, options)
  let late = ''
  const timer = setTimeout(() => {
    late = `\nnot finished within ${seconds} s`
    running.stop()
  }, seconds * 1000)
  const code = await running.ended
  clearTimeout(timer)
  return { code, output: running.output().trim() + late }
}

/** Runs a command to its end and returns its output. It must succeed. */
export async function run(command: string, args: string[], options: RunOptions = {}): Promise<string> {
  const { code, output } = await capture(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} (exit code ${code})\n\n${output}`)
  return output
}

/** Runs a step and prints a line when it is done. If it fails, the error names the step. */
export async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now()
  const result = await work().catch((error: Error) => Promise.reject(new Error(`FAILED: ${name}\n\n${error.message}`)))
  console.log(`ok  ${name} (${((performance.now() - start) / 1000).toFixed(1)} s)`)
  return result
}
