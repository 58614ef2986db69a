import { setTimeout } from 'node:timers/promises'
import { findPort } from '../../test/support/servers/port.js'
import type { Running } from './process.js'
import { limit, start } from './process.js'

export interface Server extends Running {
  origin: string
}

/** Runs `npm start` on a free port. */
export async function startServer(folder: string): Promise<Server> {
  const port = await findPort()
  return { ...start(folder, { PORT: `${port}` }, 'npm', 'start'), origin: `http://localhost:${port}` }
}

/** Polls until the condition is true. Throws if the server has ended or the time is up. */
export async function waitFor(server: Server, seconds: number, condition: () => Promise<boolean>): Promise<void> {
  const signal = limit(seconds)
  let ended = false
  server.ended.then(() => {
    ended = true
  })
  while (!(await condition())) {
    if (ended) throw new Error('the server has ended')
    signal.throwIfAborted()
    await setTimeout(200)
  }
}
