import { casesFor } from 'drizzle-auth-adapter/testing'
import { expect, test } from 'vitest'
import type { OperationName, Sound } from './faults/fault.js'
import { memoryAdapter } from './memory.js'

const operations = Object.keys(memoryAdapter()) as OperationName[]
const models = [/User$|ByEmail$/, /Account$/, /Session/, /VerificationToken$/, /Authenticator/]

/** The operations of one model, and those of all others. */
const operationSets: OperationName[][] = [
  ...models.map((model) => operations.filter((name) => model.test(name))),
  ...models.map((model) => operations.filter((name) => !model.test(name))),
]

test('a correct adapter with fewer operations passes its cases', async () => {
  for (const names of operationSets) {
    const sound = memoryAdapter()
    const adapter: Partial<Sound> = Object.fromEntries(names.map((name) => [name, sound[name]]))
    for (const { name, run } of casesFor(adapter))
      await run(adapter).catch((error) => expect.unreachable(`${names}: ${name}: ${error.message}`))
  }
})

test('each operation has cases', () => {
  for (const operation of operations) {
    const cases = casesFor({ [operation]: async () => null })
    expect(cases.filter(({ needs }) => needs.flat().includes(operation)).length, operation).toBeGreaterThan(0)
  }
})
