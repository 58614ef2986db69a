// Started by lab/bench/expired.ts as a separate process. It reads live sessions at a constant rate, and reports how long each read took.
import type { DialectName } from '../../test/support/dialects.js'
import type { Operations } from './contenders/contender.js'
import { openContender } from './contenders/index.js'
import { seededToken } from './seed.js'

const [dialect, url, sessions] = process.argv.slice(2) as [DialectName, string, string]
const intervalMilliseconds = 4

const { adapter } = openContender(dialect, { name: 'ours', url }, { connections: 10 })
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
