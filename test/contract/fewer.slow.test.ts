import { casesFor } from 'drizzle-auth-adapter/testing'
import { expect, test } from 'vitest'
import type { OperationName, Sound } from './fault.js'
import { memoryAdapter } from './memory.js'

const operations = Object.keys(memoryAdapter()) as OperationName[]
const models = [/User$|ByEmail$/, /Account$/, /Session/, /VerificationToken$/, /Authenticator/]

const operationSets: OperationName[][] = [
  ...operations.map((alone) => [alone]),
  ...operations.map((missing) => operations.filter((name) => name !== missing)),
  ...models.map((model) => operations.filter((name) => model.test(name))),
  ...models.map((model) => operations.filter((name) => !model.test(name))),
]

// One test of thousands of cases: a quarter of a minute alone, minutes on a busy machine.
test('a correct adapter with fewer operations passes its cases, and has a case for each of them', { timeout: 600_000 }, async () => {
  for (const names of operationSets) {
    const sound = memoryAdapter()
    const adapter: Partial<Sound> = Object.fromEntries(names.map((name) => [name, sound[name]]))
    const cases = casesFor(adapter)
    for (const c of cases) await c.run(adapter).catch((error) => expect.unreachable(`${names}: ${c.name}: ${error.message}`))
    for (const name of names)
      expect(
        cases.some(({ needs }) => needs.flat().includes(name)),
        `${name}, among ${names}`,
      ).toBe(true)
  }
})
