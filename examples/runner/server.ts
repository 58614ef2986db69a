import { setTimeout } from 'node:timers/promises'
import type { Running } from '../../test/support/process.js'
import { start } from '../../test/support/process.js'
import { findPort } from '../../test/support/servers/port.js'

export interface Server extends Running {
  origin: string
}

const quiet = { NEXT_TELEMETRY_DISABLED: '1', WRANGLER_SEND_METRICS: 'false' }

/** Starts a server with a command on a port, by default a free one, calls `work` when it answers, and stops it. */
export async function withServer(
  folder: string,
  command: (port: number) => [string, ...string[]],
  work: (server: Server) => Promise<void>,
  { port, env }: { port?: number; env?: Record<string, string> } = {},
): Promise<void> {
  port ??= await findPort()
  const [program, ...args] = command(port)
  const origin = `http://localhost:${port}`
  const server = { ...start(program, args, { cwd: folder, env: { ...quiet, ...env, PORT: `${port}` } }), origin }
  const answers = () =>
    fetch(origin, { signal: AbortSignal.timeout(20_000) }).then(
      () => true,
      () => false,
    )
  try {
    await waitFor(server, 100, answers)
    await work(server)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\nThe server printed:\n${server.output().trim()}`)
  } finally {
    await server.stop()
  }
}

/** Polls until the condition is true. Throws if the server has ended or the time is up. */
export async function waitFor(server: Server, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + seconds * 1000
  let ended = false
  server.ended.then(() => {
    ended = true
  })
  while (!(await condition())) {
    if (ended) throw new Error('the server has ended')
    if (Date.now() > deadline) throw new Error(`not finished within ${seconds} s`)
    await setTimeout(200)
  }
}
