import { defineTables } from 'drizzle-auth-adapter/pg'
import { drizzle } from 'drizzle-orm/node-postgres'
import { text } from 'drizzle-orm/pg-core'
import NodePg from 'pg'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeAdapter, openPg } from '../../support/databases.js'

describe.runIf(inject('dialects').includes('pg'))('a lookup of a long-lived adapter', () => {
  test('keeps its named statement after updates of many sets of columns', async () => {
    const { url, exec, close } = await openPg()
    onTestFinished(close)
    const added = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    for (const name of added) await exec(`alter table "user" add ${name} text`)
    const client = new NodePg.Client(url)
    await client.connect()
    onTestFinished(() => client.end())
    const names: unknown[] = []
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((config: { text?: string; name?: string }, ...rest: unknown[]) => {
      if (/^select/.test(config?.text ?? '')) names.push(config.name)
      return query(config, ...rest)
    }) as never
    const tables = defineTables({ columns: { users: Object.fromEntries(added.map((name) => [name, text()])) } })
    const adapter = makeAdapter(drizzle({ client }), tables, { namedStatements: true })
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    for (let call = 0; call < 2; call++) await adapter.getUser(id)
    const name = names.at(-1)
    expect(name).toMatch(/^auth_/)
    // 127 sets of columns.
    for (let set = 1; set < 2 ** added.length; set++) {
      const values = Object.fromEntries(added.filter((_, at) => set & (2 ** at)).map((each) => [each, 'x']))
      await adapter.updateUser({ id, ...values } as never)
    }
    names.length = 0
    await adapter.getUser(id)
    expect(names).toEqual([name])
  })
})
