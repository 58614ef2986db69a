import { adapterContract, ContractViolation, casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, test } from 'vitest'
import type { OperationName } from './faults/fault.js'
import { memoryAdapter } from './memory.js'

const operations = Object.keys(memoryAdapter()) as OperationName[]

/** The messages of the cases that fail. Every error must be a ContractViolation. */
async function messagesOf(adapter: object, options?: Parameters<typeof casesFor>[1]): Promise<string[]> {
  const messages: string[] = []
  for (const { name, run } of casesFor(adapter, options)) {
    await run(adapter).catch((error: unknown) => {
      expect(error, name).toBeInstanceOf(ContractViolation)
      messages.push((error as ContractViolation).message)
    })
  }
  return messages
}

describe('a violation', () => {
  test('names an operation, and the expected and the actual value', async () => {
    for (const value of [undefined, 1n, 'text', [], {}, new Date(Number.NaN), () => 1, Symbol('x')]) {
      const adapter = Object.fromEntries(operations.map((operation) => [operation, async () => value]))
      for (const message of await messagesOf(adapter)) {
        expect(message).toMatch(/expected .*(got|threw)/s)
        expect(
          ['an operation', ...operations].some((operation) => message.includes(operation)),
          message,
        ).toBe(true)
        expect(message.length).toBeLessThan(3_000)
      }
    }
  })

  test('names the field', async () => {
    const sound = memoryAdapter()
    const getAuthenticator = async (id: string) => {
      const row = await sound.getAuthenticator(id)
      return row && { ...row, counter: String(row.counter) }
    }
    expect(await messagesOf({ ...sound, getAuthenticator })).toContain(
      'getAuthenticator after updateAuthenticatorCounter to 8, field counter: expected 8, got "8"',
    )
  })

  test('has the error of an operation as its cause', async () => {
    const cause = new Error('out of order')
    const adapter = { ...memoryAdapter(), createUser: () => Promise.reject(cause) }
    const [first] = casesFor(adapter).filter(({ needs }) => needs.includes('createUser'))
    await expect(first?.run(adapter)).rejects.toMatchObject({
      name: 'ContractViolation',
      cause,
      message: 'createUser: expected a result, but it threw Error: out of order',
    })
  })

  test('is reported if an operation does not settle, even where an error is expected', async () => {
    const adapter = { ...memoryAdapter(), updateAuthenticatorCounter: () => new Promise<never>(() => {}) }
    const messages = await messagesOf(adapter, { timeout: 20 })
    expect(new Set(messages)).toEqual(new Set(['updateAuthenticatorCounter: expected a result or an error within 20 ms, got neither']))
  })
})

describe('an adapter', () => {
  test.each([
    ['misspelt', { createuser: async () => null }, 'createuser is not an operation: expected createUser, which the adapter does not have'],
    ['undefined', { createUser: undefined }, 'createUser: expected a function, got undefined'],
  ])('with an operation that is %s fails', async (_, operation, message) => {
    const { createUser: __, ...sound } = memoryAdapter()
    expect(await messagesOf({ ...sound, ...operation })).toContain(message)
  })

  test.each([
    ['without operations', {}],
    ['that is a function', () => memoryAdapter()],
    ['that is a promise', Promise.resolve(memoryAdapter())],
    ['that is undefined', undefined],
  ])('%s fails, and does not pass because it has no cases', async (_, adapter) => {
    expect(await messagesOf(adapter as object)).toEqual([expect.stringMatching(/^expected an adapter/)])
  })
})

describe('cases', () => {
  test('have unique names, and needs that name operations', () => {
    expect(new Set(adapterContract.map(({ name }) => name)).size).toBe(adapterContract.length)
    for (const { needs } of adapterContract) for (const name of needs.flat()) expect(operations).toContain(name)
  })

  test('can be chosen by group', () => {
    const adapter = memoryAdapter()
    const contract = casesFor(adapter, { groups: ['contract'] })
    expect(contract.map(({ name }) => name)).toEqual(
      casesFor(adapter)
        .filter(({ group }) => group === 'contract')
        .map(({ name }) => name),
    )
    expect(new Set(contract.map(({ topic }) => topic))).toEqual(new Set(['operations', 'expired rows']))
  })

  test('can be left out by topic or name, with a reason', () => {
    const adapter = memoryAdapter()
    const leaveOut = { races: 'one connection', 'deleteUser returns the deleted user': 'returns nothing' }
    const names = casesFor(adapter, { leaveOut }).map(({ name }) => name)
    const expected = adapterContract.filter(({ name, topic }) => topic !== 'races' && name !== 'deleteUser returns the deleted user')
    expect(names).toEqual(expected.map(({ name }) => name))
    expect(() => casesFor(adapter, { leaveOut: { 'no such case': 'x' } })).toThrow('no topic or case is called no such case')
    expect(() => casesFor(adapter, { leaveOut: { races: ' ' } })).toThrow('give a reason for leaving out races')
  })
})
