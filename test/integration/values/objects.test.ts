import type { Adapter } from 'drizzle-auth-adapter'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { call, objectKinds, operations } from './arguments.js'
import type { Opened } from './drivers.js'
import { drivers } from './drivers.js'

// The properties of an argument matter as they are at the time of the call, whatever kind of object it is.

describe.each(drivers)('arguments, with $driver,', ({ open }) => {
  let opened: Opened
  let adapter: Adapter
  beforeAll(async () => {
    opened = await open()
    adapter = opened.adapter
  })
  afterAll(() => opened.close())
  afterEach(() => adapter.deleteUser('ada'))

  test.each(Object.entries(objectKinds))('may be %s, and are not changed', async (_, convert) => {
    for (const [name, argument, answer] of operations) {
      const given = convert(argument())
      const before = { ...given }
      expect(await call(adapter, name, given), name).toEqual(answer)
      expect({ ...given }).toEqual(before)
    }
  })

  test('are read once, synchronously during the call', async () => {
    for (const [name, argument, answer] of operations) {
      const row = argument()
      const reads: string[] = []
      const given = new Proxy(row, {
        get(target, field) {
          reads.push(String(field))
          return Reflect.get(target, field)
        },
      })
      const calling = call(adapter, name, given)
      expect([...new Set(reads)].sort(), name).toEqual(expect.arrayContaining(Object.keys(row).sort()))
      const readsDuringCall = reads.length
      expect(await calling, name).toEqual(answer)
      expect(reads.length, `${name} reads its argument later`).toBe(readsDuringCall)
      expect(reads.filter((field) => field in row).sort(), `${name} reads a property again`).toEqual(Object.keys(row).sort())
    }
  })

  test('may be changed by the caller after the call', async () => {
    for (const [name, argument, answer] of operations) {
      const given = argument()
      const calling = call(adapter, name, given)
      for (const [field, value] of Object.entries(given)) {
        if (value instanceof Date) value.setTime(1)
        given[field] = field === 'expires' ? new Date(2) : 'mallory'
      }
      expect(await calling, name).toEqual(answer)
    }
  })
})
