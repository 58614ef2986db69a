import { adapterContract } from 'drizzle-auth-adapter/testing'
import { afterAll, beforeAll, describe, inject, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'

describe.each(inject('dialects'))('the contract on %s', (dialect) => {
  let opened: Awaited<ReturnType<typeof openDatabase>>
  let adapter: object
  beforeAll(async () => {
    opened = await openDatabase(dialect)
    adapter = opened.adapter()
  })
  afterAll(() => opened.close())

  for (const c of adapterContract) test(c.name, () => c.run(adapter))
})
