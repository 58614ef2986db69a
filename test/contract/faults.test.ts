import { casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, test } from 'vitest'
import { effectFaults } from './faults/effects.js'
import type { Fault } from './faults/fault.js'
import { adapterWith } from './faults/fault.js'
import { keyFaults } from './faults/keys.js'
import { rowFaults } from './faults/rows.js'
import { peerFaults, sharedFaults } from './faults/shared.js'
import { memoryAdapter, newStore } from './memory.js'

/** Cases that noticed a fault. They run first, because similar faults follow. */
let recent: string[] = []

/** The name of a case that notices the fault. */
async function noticedBy(fault: Fault, needsPeer: boolean): Promise<string | undefined> {
  const store = newStore()
  const adapter = adapterWith(fault, store)
  const cases = casesFor(adapter, { timeout: 200, ...(needsPeer && { peer: adapterWith(fault, store) }) })
  const isRecent = ({ name }: { name: string }) => recent.includes(name)
  for (const { name, run } of [...cases.filter(isRecent), ...cases.filter((each) => !isRecent(each))]) {
    const error = await run(adapter).catch((thrown: unknown) => thrown)
    if (!error) continue
    recent = [name, ...recent.filter((each) => each !== name)]
    return name
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
      const by = await noticedBy(fault, kind === 'peerFaults')
      if (!by) missed.push(name)
      else if (process.env.VERBOSE) console.log(`${name}: noticed by "${by}"`)
    }
    expect(missed).toEqual([])
  })
})
