import { casesFor } from 'drizzle-auth-adapter/testing'
import { expect, test } from 'vitest'
import type { Fault } from './fault.js'
import { adapterWith } from './fault.js'
import { allFaults } from './faults/index.js'
import { memoryAdapter, newStore } from './memory.js'

const nameOf = ({ kind, says }: Fault) => `${kind}: ${says}`
const byName = new Map(allFaults.map((fault) => [nameOf(fault), fault]))

/** The names of the cases that fail for a broken adapter, up to a maximum. */
async function failingCases(fault: Fault, max: number): Promise<string[]> {
  const { adapter, peer } = adapterWith(fault)
  const failed: string[] = []
  for (const c of casesFor(adapter, { timeout: 500, ...(peer && { peer }) })) {
    if (failed.length === max) break
    await c.run(adapter).catch(() => failed.push(c.name))
  }
  return failed
}

test('a correct adapter passes the contract suite', async () => {
  const adapter = memoryAdapter(newStore())
  for (const c of casesFor(adapter)) await c.run(adapter)
})

test('the names of the broken adapters are unique', () => {
  expect(byName.size).toBe(allFaults.length)
})

test('the contract suite notices every adapter that is broken on purpose', { timeout: 1_800_000 }, async () => {
  const missed: string[] = []
  for (const fault of allFaults) if ((await failingCases(fault, 1)).length === 0) missed.push(nameOf(fault))
  expect(missed).toEqual([])
})
