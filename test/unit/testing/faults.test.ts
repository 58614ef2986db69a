import { casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, test } from 'vitest'
import { effectFaults } from './faults/effects.js'
import type { Fault } from './faults/fault.js'
import { adapterWith } from './faults/fault.js'
import { keyFaults } from './faults/keys.js'
import { rowFaults } from './faults/rows.js'
import { peerFaults, sharedFaults } from './faults/shared.js'
import { memoryAdapter, newStore } from './memory.js'

/** Cases that noticed a fault. They run early, because similar faults follow. */
let recent: string[] = []

/** The name of a case that notices the fault. The cases that name its operation run first, which saves time. */
async function noticedBy(name: string, fault: Fault, needsPeer: boolean): Promise<string | undefined> {
  const store = newStore()
  const adapter = adapterWith(fault, store)
  const [operation = ''] = name.split(' ')
  const orderOf = (each: string) => (each.includes(operation) ? 0 : recent.includes(each) ? 1 : 2)
  const cases = casesFor(adapter, { timeout: 200, ...(needsPeer && { peer: adapterWith(fault, store) }) })
  for (const c of cases.toSorted((one, other) => orderOf(one.name) - orderOf(other.name))) {
    if (!(await c.run(adapter).catch((error: unknown) => error))) continue
    recent = [c.name, ...recent]
    return c.name
  }
  return undefined
}

test('a correct adapter passes every case', async () => {
  const [adapter, store] = [memoryAdapter(), newStore()]
  for (const { name, run } of casesFor(adapter)) await run(adapter).catch((error) => expect.unreachable(`${name}: ${error.message}`))
  const peer = memoryAdapter(store)
  const twice = memoryAdapter(store)
  for (const { name, run } of casesFor(twice, { peer })) await run(twice).catch((error) => expect.unreachable(`${name}: ${error.message}`))
})

describe.each(Object.entries({ keyFaults, rowFaults, effectFaults, sharedFaults, peerFaults }))('%s', (kind, faults) => {
  test('are all noticed', async () => {
    const missed: string[] = []
    for (const [name, fault] of Object.entries(faults)) {
      const by = await noticedBy(name, fault, kind === 'peerFaults')
      if (!by) missed.push(name)
      else if (process.env.VERBOSE) console.log(`${name}: noticed by "${by}"`)
    }
    expect(missed).toEqual([])
  })
})
