// Started by bench/expired.ts: reads sessions at a steady pace in a process of its own, and tells how long each took.
import type { Operations } from './contenders/contender.js'
import { openContender } from './contenders/index.js'
import type { DatabaseName } from './databases.js'
import { filledToken } from './keys.js'

const [database, location, sessions] = process.argv.slice(2) as [DatabaseName, string, string]
const everyMilliseconds = 4

const store = { location, run: async () => {}, drop: async () => {} }
const { adapter } = openContender(store, database, 'ours', { connections: 10 })
let latencies: number[] = []

async function read(): Promise<void> {
  const live = 2 * Math.floor((Math.random() * Number(sessions)) / 2)
  const start = performance.now()
  const found = await (adapter as Operations).getSessionAndUser(filledToken(live))
  latencies.push(performance.now() - start)
  if (!found) throw new Error('a live session is not found')
}

setInterval(read, everyMilliseconds)

// Each message asks for what was measured since the one before.
process.on('message', () => {
  process.send?.(latencies)
  latencies = []
})
process.on('disconnect', () => process.exit())
