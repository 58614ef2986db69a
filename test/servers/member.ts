import type { Keeper, Program, Running } from './keeper.js'
import type { Log } from './process.js'
import { outcome } from './server.js'

/** A server of a cluster: it keeps its port, and can be killed and started again. */
export interface Member {
  readonly port: number
  start(program: Program): Promise<void>
  /** Ends it as a power cut would. */
  kill(): Promise<void>
}

/** One server of a cluster; `ready` is what its log says when it can be used. */
export function memberOf(keeper: Keeper, name: string, port: number, ready: RegExp, log: Log): Member {
  let running: Running | undefined
  let starts = 0
  return {
    port,
    async start(program) {
      const file = `${name}-${++starts}.log`
      log(`starting ${name} on port ${port}`)
      running = keeper.start({ ...program, log: file })
      const result = await outcome(keeper, file, port, running.ended, ready)
      if (result !== 'ready') throw new Error(`${name} on port ${port}: ${result}. The end of its log:\n${await keeper.tail(file)}`)
    },
    async kill() {
      log(`killing ${name} on port ${port}`)
      await running?.kill('SIGKILL')
    },
  }
}
