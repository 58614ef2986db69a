import { casesFor } from 'drizzle-auth-adapter/testing'
import { expect, test } from 'vitest'
import type { OperationName, Sound } from './fault.js'
import { memoryAdapter } from './memory.js'

const operations = Object.keys(memoryAdapter()) as OperationName[]
const models = [/User$|ByEmail$/, /Account$/, /Session/, /VerificationToken$/, /Authenticator/]

const sets: OperationName[][] = [
  ...operations.map((alone) => [alone]),
  ...operations.map((missing) => operations.filter((name) => name !== missing)),
  ...models.map((model) => operations.filter((name) => model.test(name))),
  ...models.map((model) => operations.filter((name) => !model.test(name))),
]

test('a sound adapter with fewer operations passes all that it is asked, and is asked about each operation', async () => {
  for (const names of sets) {
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
