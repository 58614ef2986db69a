import { readFileSync } from 'node:fs'
import { adapterContract, ContractViolation, casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, test } from 'vitest'
import type { OperationName } from './fault.js'
import { operationOf } from './fault.js'
import { memoryAdapter } from './memory.js'

const operations = Object.keys(memoryAdapter()) as OperationName[]

/** The messages of the cases that fail. Every error must be a ContractViolation. */
async function messagesOf(adapter: object, about?: OperationName, options?: Parameters<typeof casesFor>[1]): Promise<string[]> {
  const messages: string[] = []
  for (const c of casesFor(adapter, options)) {
    if (about && !c.needs.flat().includes(about)) continue
    const error = await c.run(adapter).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!error) continue
    expect(error, c.name).toBeInstanceOf(ContractViolation)
    messages.push((error as ContractViolation).message)
  }
  return messages
}

function cycle(): object {
  const row: Record<string, unknown> = { id: 'x' }
  row.self = row
  return row
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

const unusualValues: Record<string, () => unknown> = {
  'a bigint': () => 1n,
  'an invalid date': () => new Date(Number.NaN),
  'a function': () => () => 1,
  'a cycle': cycle,
  'a symbol': () => Symbol('odd'),
  'a map': () => new Map([[{}, 1n]]),
  'a revoked proxy': revoked,
  'a getter that throws': () => Object.defineProperty({}, 'id', { enumerable: true, get: () => fail() }),
  'an object without a prototype': () => Object.assign(Object.create(null), { id: 1n }),
  'a long text': () => 'x'.repeat(1_000_000),
  'an array with holes': () => new Array(3),
  'an object that cannot be converted to text': () => ({ toString: fail, toJSON: fail, [Symbol.toPrimitive]: fail }),
}

const fail = (): never => {
  throw new Error('do not read this')
}

describe('a failure', () => {
  test('shows any unexpected value, wherever it comes from', async () => {
    let count = 0
    const makers = Object.values(unusualValues)
    const value = () => makers[count++ % makers.length]?.()
    // Returned by every operation, thrown by it, or in every field of its result.
    const answering = Object.fromEntries(operations.map((operation) => [operation, async () => value()]))
    const throwing = Object.fromEntries(operations.map((operation) => [operation, () => Promise.reject(value())]))
    const sound = memoryAdapter()
    const inFields = Object.fromEntries(
      operations.map((operation) => [
        operation,
        async (...parameters: unknown[]) => replaceFields(await operationOf(sound, operation)(...parameters), value),
      ]),
    )
    for (const adapter of [answering, throwing, inFields]) {
      const messages = await messagesOf(adapter)
      expect(messages.length).toBeGreaterThan(100)
      for (const message of messages) {
        expect(message.length).toBeLessThan(3_000)
        expect(message).toMatch(/expected .*(got|threw|could)/s)
        expect(
          operations.some((operation) => message.includes(operation)),
          message,
        ).toBe(true)
      }
    }
  })

  test('shows any unexpected value in a list, or as a session and its user', async () => {
    const both = { session: null, user: null }
    const unreadable = (name: keyof typeof both) => Object.defineProperty({ ...both }, name, { enumerable: true, get: fail })
    for (const [description, value] of Object.entries(unusualValues)) {
      const sound = memoryAdapter()
      const list = { ...sound, listAuthenticatorsByUserId: async () => [value(), value()] }
      expect((await messagesOf(list, 'listAuthenticatorsByUserId')).length, description).toBeGreaterThan(0)
      const session = { ...sound, getSessionAndUser: async () => ({ session: value(), user: value() }) }
      expect((await messagesOf(session, 'getSessionAndUser')).length, description).toBeGreaterThan(0)
    }
    for (const name of ['session', 'user'] as const) {
      const messages = await messagesOf({ ...memoryAdapter(), getSessionAndUser: async () => unreadable(name) }, 'getSessionAndUser')
      expect(messages.filter((message) => !/getSessionAndUser|operation/.test(message))).toEqual([])
    }
  })

  test('can have an error of several megabytes', async () => {
    const sound = memoryAdapter()
    const createSession = (...parameters: unknown[]) =>
      operationOf(
        sound,
        'createSession',
      )(...parameters).catch(() => {
        throw Object.assign(new Error('failed'), { body: 'x'.repeat(10_000_000) })
      })
    expect(await messagesOf({ ...sound, createSession }, 'createSession')).toEqual([])
  })

  test('names the operation, the field, the expected and the actual value', async () => {
    const sound = memoryAdapter()
    const textCounter = { ...sound, getAuthenticator: async (id: string) => withText(await sound.getAuthenticator(id)) }
    const messages = await messagesOf(textCounter)
    expect(messages).toContain('getAuthenticator after updateAuthenticatorCounter to 8, field counter: expected 8, got "8"')
  })

  test('has the error of an operation as its cause', async () => {
    const cause = new Error('out of order')
    const adapter = { ...memoryAdapter(), createUser: () => Promise.reject(cause) }
    const [c] = casesFor(adapter).filter(({ needs }) => needs.includes('createUser'))
    await expect(c?.run(adapter)).rejects.toMatchObject({
      name: 'ContractViolation',
      cause,
      message: /^createUser: expected .*threw Error: out of order/,
    })
  })

  test('is reported if an operation never settles, even where an error is expected', async () => {
    const sound = memoryAdapter()
    const adapter = { ...sound, updateAuthenticatorCounter: () => new Promise<never>(() => {}) }
    const messages = await messagesOf(adapter, undefined, { timeout: 20 })
    expect(new Set(messages)).toEqual(new Set(['updateAuthenticatorCounter: expected an answer or an error within 20 ms, got neither']))
  })
})

describe('an adapter', () => {
  test.each([
    [
      'misspelt',
      { createuser: async () => null },
      'createuser is no operation of the contract: expected createUser, which the adapter does not have',
    ],
    [
      'misspelt',
      { getSessionAndUsers: async () => null },
      'getSessionAndUsers is no operation of the contract: expected getSessionAndUser, which the adapter does not have',
    ],
    [
      'former',
      { getUserByProviderAccountId: async () => null },
      'getUserByProviderAccountId is no operation of the contract: expected getUserByAccount, which the adapter does not have',
    ],
    ['not a function', { deleteUser: 'no' }, 'deleteUser: expected a function, got "no"'],
    ['undefined', { deleteUser: undefined }, 'deleteUser: expected a function, got undefined'],
  ] as const)('with an operation that is %s fails', async (_, operation, message) => {
    const { createUser: _1, getSessionAndUser: _2, getUserByAccount: _3, deleteUser: _4, ...sound } = memoryAdapter()
    expect(await messagesOf({ ...sound, ...operation })).toEqual([message])
  })

  test.each([
    ['no operation', {}],
    ['other functions alone', { connect: async () => {} }],
    ['a function that makes one', () => memoryAdapter()],
    ['a promise of one', Promise.resolve(memoryAdapter())],
    ['undefined', undefined],
    ['null', null],
    ['a text', 'adapter'],
    ['a list', []],
    ['a revoked proxy', revoked()],
    ['one with a getter that throws', Object.defineProperty({ ...memoryAdapter() }, 'deleteUser', { get: fail })],
  ])('that is %s fails, and does not pass because it has no cases', async (_, adapter) => {
    const messages = await messagesOf(adapter as object)
    expect(messages).toHaveLength(1)
    expect(messages[0]).toMatch(/^expected an adapter.*got/s)
  })

  test('with a single operation has cases for it', async () => {
    const sound = memoryAdapter()
    for (const operation of operations) {
      const adapter = { [operation]: sound[operation] }
      const cases = casesFor(adapter)
      expect(cases.filter(({ needs }) => needs.length > 0).length, operation).toBeGreaterThan(0)
      for (const c of cases) await c.run(adapter)
    }
  })

  test('that lacks an operation fails a case which needs it, and says so', async () => {
    const c = adapterContract.find(({ needs }) => needs.includes('useVerificationToken'))
    const { useVerificationToken: _, ...adapter } = memoryAdapter()
    await expect(c?.run(adapter)).rejects.toThrow('the adapter has no useVerificationToken')
  })
})

describe('what is left out', () => {
  test('does not run, by topic or by name', () => {
    const adapter = memoryAdapter()
    const [first] = adapterContract
    const leaveOut = { races: 'one connection', [first?.name as string]: 'a reason' }
    const names = casesFor(adapter, { leaveOut }).map(({ name }) => name)
    const expected = adapterContract.filter(({ topic, name }) => topic !== 'races' && name !== first?.name)
    expect(names).toEqual(expected.map(({ name }) => name))
  })

  test('must exist, and needs a reason', () => {
    expect(() => casesFor(memoryAdapter(), { leaveOut: { 'no such case': 'x' } })).toThrow('no topic or case is called no such case')
    expect(() => casesFor(memoryAdapter(), { leaveOut: { races: ' ' } })).toThrow('say why races is left out')
  })
})

/** A row in which every field has another value. */
function replaceFields(row: unknown, value: () => unknown): unknown {
  if (Array.isArray(row)) return row.map((each) => replaceFields(each, value))
  if (typeof row !== 'object' || row === null) return row
  // The id is kept, because otherwise no case would get beyond its first user.
  return Object.fromEntries(Object.keys(row).map((name) => [name, name === 'id' ? (row as { id: unknown }).id : value()]))
}

const withText = (row: object | null) => row && { ...row, counter: String((row as { counter: number }).counter) }

test('the docs say how many cases there are', () => {
  for (const page of ['docs/testing.md', 'CHANGELOG.md']) {
    const documented = /some (\d+) cases/.exec(readFileSync(page, 'utf8'))?.[1]
    expect(Number(documented), page).toBe(Math.round(adapterContract.length / 10) * 10)
  }
})
