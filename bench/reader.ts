// Started by bench/expired.ts as a separate process. It reads live sessions at a constant rate, and reports how long each read took.
import type { Operations } from './contenders/contender.js'
import { openContender } from './contenders/index.js'
import type { DatabaseName } from './databases.js'
import { seededToken } from './keys.js'

const [database, location, sessions] = process.argv.slice(2) as [DatabaseName, string, string]
const intervalMilliseconds = 4

const store = { location, run: async () => {}, drop: async () => {} }
const { adapter } = openContender(store, database, 'ours', { connections: 10 })
let latencies: number[] = []

async function read(): Promise<void> {
  const live = 2 * Math.floor((Math.random() * Number(sessions)) / 2)
  const start = performance.now()
  const found = await (adapter as Operations).getSessionAndUser(seededToken(live))
  latencies.push(performance.now() - start)
  if (!found) throw new Error('a live session was not found')
}

setInterval(read, intervalMilliseconds)

// Each message requests the latencies since the last one.
process.on('message', () => {
  process.send?.(latencies)
  latencies = []
})
process.on('disconnect', () => process.exit())
