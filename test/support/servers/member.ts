import type { Keeper, Program, Running } from './keeper.js'
import type { Log } from './process.js'
import { waitUntilReady } from './server.js'

/** A server of a cluster. It can be killed and started again on the same port. */
export interface Member {
  readonly port: number
  start(program: Program): Promise<void>
  /** Ends it with SIGKILL. */
  kill(): Promise<void>
}

/** Creates a member, which is not started yet. `ready` matches the line of its log that says that it accepts connections. */
export function createMember(keeper: Keeper, name: string, port: number, ready: RegExp, log: Log): Member {
  let running: Running | undefined
  let starts = 0
  return {
    port,
    async start(program) {
      const file = `${name}-${++starts}.log`
      log(`starting ${name} on port ${port}`)
      running = keeper.start({ ...program, log: file })
      const result = await waitUntilReady(keeper, file, port, running.ended, ready)
      if (result !== 'ready') throw new Error(`${name} on port ${port}: ${result}. The end of its log:\n${await keeper.tail(file)}`)
    },
    async kill() {
      log(`killing ${name} on port ${port}`)
      await running?.kill('SIGKILL')
    },
  }
}
