import type { ContractCase } from 'drizzle-auth-adapter/testing'
import { adapterContract, casesFor } from 'drizzle-auth-adapter/testing'
import { expect, test } from 'vitest'
import { alone } from './alone.js'
import type { Fault } from './fault.js'
import { adapterWith } from './fault.js'
import { allFaults } from './faults/index.js'
import { memoryAdapter, newStore } from './memory.js'

const nameOf = ({ kind, says }: Fault) => `${kind}: ${says}`
const byName = new Map(allFaults.map((fault) => [nameOf(fault), fault]))

/** The names of the cases that fail for a broken adapter, up to a maximum. */
async function failingCases(fault: Fault, max: number, isWorthRunning: (c: ContractCase) => boolean = () => true): Promise<string[]> {
  const { adapter, peer } = adapterWith(fault)
  const failed: string[] = []
  for (const c of casesFor(adapter, { timeout: 500, ...(peer && { peer }) })) {
    if (failed.length === max) break
    if (isWorthRunning(c)) await c.run(adapter).catch(() => failed.push(c.name))
  }
  return failed
}

/** The operations that each case calls. */
async function callsOf(): Promise<Map<string, Set<string>>> {
  let called = new Set<string>()
  const observed = Object.entries(memoryAdapter(newStore())).map(([name, operation]): [string, unknown] => [
    name,
    (...parameters: unknown[]) => {
      called.add(name)
      return (operation as (...parameters: unknown[]) => unknown)(...parameters)
    },
  ])
  const adapter = Object.fromEntries(observed)
  const calls = new Map<string, Set<string>>()
  for (const c of adapterContract) {
    called = new Set()
    await c.run(adapter)
    calls.set(c.name, called)
  }
  return calls
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

test('every case is the only one to notice some broken adapter', { timeout: 1_800_000 }, async () => {
  expect(Object.keys(alone).sort()).toEqual(adapterContract.map(({ name }) => name).sort())
  const calls = await callsOf()
  const others: Record<string, string[]> = {}
  for (const [name, faultName] of Object.entries(alone)) {
    const fault = byName.get(faultName)
    if (!fault) throw new Error(`test/contract/alone.ts: no broken adapter is called ${faultName}`)
    const changed = fault.broken(memoryAdapter(newStore()), newStore())
    const isPlain = Object.getPrototypeOf(changed) === Object.prototype
    // A case that calls no changed operation cannot notice the fault, so it is skipped.
    const failed = await failingCases(fault, 3, ({ name, needs }) => {
      return needs.length === 0 || !isPlain || Object.keys(changed).some((operation) => calls.get(name)?.has(operation))
    })
    if (failed.length !== 1 || failed[0] !== name) others[name] = failed
  }
  expect(others).toEqual({})
})
