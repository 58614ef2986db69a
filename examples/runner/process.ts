import { spawn } from 'node:child_process'

// Ctrl-C aborts everything that is waiting, so that the callers clean up.
let interruption: Error | undefined
const waits = new Set<AbortController>()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interruption = new Error(`stopped by ${signal}`)
    for (const wait of waits) wait.abort(interruption)
  })
}

/** A signal that is aborted after this time, or at Ctrl-C. */
export function limit(seconds: number): AbortSignal {
  const wait = new AbortController()
  if (interruption) wait.abort(interruption)
  waits.add(wait)
  setTimeout(() => {
    waits.delete(wait)
    wait.abort(new Error(`not finished within ${seconds} s`))
  }, seconds * 1000).unref()
  return wait.signal
}

/** Waits for a promise until the timeout or Ctrl-C. */
function withTimeout<T>(seconds: number, work: Promise<T>): Promise<T> {
  const signal = limit(seconds)
  const end = new Promise<never>((_, reject) => {
    signal.throwIfAborted()
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  return Promise.race([work, end])
}

// `npm run` passes settings of this project to its children, which must not reach the npm of an example.
const projectSettings = /^npm_(config_(local_prefix|call|yes|dry_run)|package_|lifecycle_|command)/
const inherited = Object.entries(process.env).filter(([name]) => !projectSettings.test(name))
const quietSettings = { NO_COLOR: '1', NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false' }

/** Sends a signal to a process and to all processes that it started. */
function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid) process.kill(-pid, signal)
  } catch {
    // It has ended already.
  }
}

export interface Running {
  output(): string
  /** Resolves with its exit code when it has ended. */
  ended: Promise<number | null>
  stop(): Promise<void>
}

/** Starts a command in its own process group, so that all processes that it starts can be stopped with it. */
export function start(cwd: string, env: Record<string, string>, command: string, ...args: string[]): Running {
  let output = ''
  const all = { ...Object.fromEntries(inherited), ...quietSettings, ...env }
  const child = spawn(command, args, { cwd, env: all, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const kill = () => signalGroup(child.pid, 'SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
    child.once('error', (error) => {
      output += error.message
      resolve(null)
    })
  })

  async function stop(): Promise<void> {
    signalGroup(child.pid, 'SIGTERM')
    const killTimer = setTimeout(kill, 5000)
    await ended
    clearTimeout(killTimer)
    kill()
    process.off('exit', kill)
  }
  return { output: () => output, ended, stop }
}

/** Runs a command to its end. It must succeed. */
export async function run(seconds: number, cwd: string, command: string, ...args: string[]): Promise<void> {
  const running = start(cwd, {}, command, ...args)
  try {
    const code = await withTimeout(seconds, running.ended)
    if (code !== 0) throw new Error(`exit code ${code}`)
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}: ${(error as Error).message}\n\n${running.output().trim()}`)
  } finally {
    await running.stop()
  }
}
