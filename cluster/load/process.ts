// One process of the application under load. It runs the tasks that its parent sends; see index.ts.
import type { ClientOptions, Contender, ContenderName, Operations } from '../../bench/contenders/contender.js'
import { mysql } from '../../bench/contenders/mysql.js'
import { pg } from '../../bench/contenders/pg.js'
import { sqlite } from '../../bench/contenders/sqlite.js'
import { load, residentAccount, residentSession, residents, residentUser } from './mix.js'

const dialects = { sqlite, pg, mysql }
const options: ClientOptions = { connections: 10 }
const [dialect, location] = process.argv.slice(2) as [keyof typeof dialects, string]
const opened = new Map<ContenderName, { adapter: Operations; close: Contender['close'] }>()

export type Task = { seed: true } | { heap: true } | { close: true } | { contender: ContenderName; clients: number; seconds: number }

function open(name: ContenderName) {
  const found = opened.get(name)
  if (found) return found
  const { make, close } = dialects[dialect][name](location, options)
  const client = { adapter: make() as Operations, close }
  opened.set(name, client)
  return client
}

async function seed(): Promise<void> {
  const { adapter } = open('ours')
  for (let number = 0; number < residents; number++) {
    await adapter.createUser(residentUser(number))
    await adapter.linkAccount(residentAccount(number))
    await adapter.createSession(residentSession(number))
  }
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

async function perform(task: Task): Promise<unknown> {
  if ('seed' in task) return seed()
  if ('heap' in task) return heap()
  if ('close' in task) return Promise.all([...opened.values()].map(({ close }) => close()))
  return load(open(task.contender).adapter, task.clients, task.seconds)
}

// Ends when the parent has ended or was killed.
process.on('disconnect', () => process.exit())
process.on('message', async (task: Task) => {
  const answer = await perform(task).then(
    (result) => ({ result }),
    (error: Error) => ({ failure: error.message }),
  )
  process.send?.(answer)
  if ('close' in task) process.disconnect()
})
