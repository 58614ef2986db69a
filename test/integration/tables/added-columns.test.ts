import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { tableSet, typesOf } from '../../support/table-sets.js'

let calls = 0
const nextCall = () => `call ${++calls}`

const random = { pg: sql`md5(random()::text)`, mysql: sql`uuid()`, sqlite: sql`hex(randomblob(8))` }
const now = { pg: sql`now()`, mysql: sql`now()`, sqlite: sql`(unixepoch() * 1000)` }

function columnsOf(dialect: DialectName) {
  const { text, date, json, custom } = typesOf[dialect]
  return {
    users: {
      role: text().notNull().default('member'),
      made: text().$defaultFn(nextCall),
      madeBySql: text().$defaultFn(() => sql`upper('made')`),
      touched: text().$onUpdate(nextCall),
      touchedBySql: text().$onUpdate(() => random[dialect]),
      createdAt: date().notNull().default(now[dialect]),
      shout: text().generatedAlwaysAs(sql`upper(name)`),
      settings: json(),
      inline: custom({ dataType: () => 'varchar(40)', toDriver: (value: string) => value.toLowerCase() }),
    },
    sessions: {
      ip: text(),
      made: text().$defaultFn(nextCall),
      touched: text().$onUpdate(nextCall),
      device: text().notNull().default('unknown'),
    },
  }
}

/** What the tests read of a user. test/types has the types of added columns. */
type User = Record<'id' | 'made' | 'touched' | 'touchedBySql', string> & { createdAt: Date }
interface AddedColumns {
  createUser(user: object): Promise<User>
  updateUser(user: object): Promise<User>
  getUser(id: string): Promise<User | null>
  createSession(session: object): Promise<{ touched: string }>
  updateSession(session: object): Promise<object>
  getSessionAndUser(token: string): Promise<object | null>
}

async function open(dialect: DialectName) {
  const { adapter, close } = await openDatabase(dialect, tableSet(dialect, { columns: columnsOf(dialect) }))
  return { adapter: adapter() as unknown as AddedColumns, close }
}

describe.each(inject('dialects'))('added columns on %s', (dialect) => {
  let { adapter, close } = {} as Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    ;({ adapter, close } = await open(dialect))
  })
  afterAll(() => close())
  const email = () => `${crypto.randomUUID()}@example.com`

  test('get a new default value for each row', async () => {
    const [first, second] = [
      await adapter.createUser({ email: email(), name: 'Ada' }),
      await adapter.createUser({ email: email(), name: 'Bob' }),
    ]
    expect(first).toMatchObject({ role: 'member', madeBySql: 'MADE', shout: 'ADA', settings: null })
    expect(first.made).toMatch(/^call \d+$/)
    expect(second.made).toMatch(/^call \d+$/)
    expect(second.made).not.toBe(first.made)
    expect(second.touched).not.toBe(first.touched)
    expect(second.touchedBySql).not.toBe(first.touchedBySql)
    expect(Math.abs(first.createdAt.getTime() - Date.now())).toBeLessThan(86_400_000)
    expect(await adapter.getUser(first.id)).toEqual(first)
    expect(await adapter.getUser(second.id)).toEqual(second)
  })

  test('keep given values instead of their defaults', async () => {
    const given = { role: 'admin', made: 'given', touched: 'given', createdAt: new Date('2020-02-02T02:02:02Z') }
    const user = await adapter.createUser({ email: email(), ...given })
    expect(user).toMatchObject(given)
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('with $onUpdate change with each update, and only then', async () => {
    const user = await adapter.createUser({ email: email(), name: 'Ada' })
    const [once, twice] = [await adapter.updateUser({ id: user.id, name: 'Eva' }), await adapter.updateUser({ id: user.id, name: 'Ida' })]
    expect(once).toMatchObject({ shout: 'EVA', made: user.made, createdAt: user.createdAt })
    expect(new Set([user.touched, once.touched, twice.touched]).size).toBe(3)
    expect(new Set([user.touchedBySql, once.touchedBySql, twice.touchedBySql]).size).toBe(3)
    expect(await adapter.updateUser({ id: user.id })).toEqual(twice)
    expect(await adapter.getUser(user.id)).toEqual(twice)
  })

  test('are cleared by null, unchanged by undefined, and cannot be written if they are generated', async () => {
    const user = await adapter.createUser({ email: email(), name: 'Ada', settings: { dark: false }, inline: 'A' })
    const updated = await adapter.updateUser({ id: user.id, settings: null, role: 'x', made: null, inline: null, shout: 'no' })
    expect(updated).toMatchObject({ settings: null, made: null, inline: null, role: 'x', shout: 'ADA' })
    expect(await adapter.updateUser({ id: user.id, settings: { dark: true }, inline: 'B' })).toMatchObject({
      settings: { dark: true },
      inline: 'b',
      role: 'x',
    })
    expect(await adapter.createUser({ email: email(), settings: null, inline: null, shout: 'no' })).toMatchObject({
      settings: null,
      inline: null,
      shout: null,
    })
  })

  test('are returned with sessions, too', async () => {
    const user = await adapter.createUser({ email: email() })
    const session = { sessionToken: crypto.randomUUID(), userId: user.id, expires: new Date('2030-01-01T00:00:00.123Z') }
    const created = await adapter.createSession({ ...session, ip: '::1' })
    expect(created).toMatchObject({ ...session, ip: '::1', device: 'unknown', made: expect.stringMatching(/^call/) })
    expect(await adapter.getSessionAndUser(session.sessionToken)).toEqual({ session: created, user })
    const updated = await adapter.updateSession({ sessionToken: session.sessionToken, device: 'phone' })
    expect(updated).toEqual({ ...created, device: 'phone', touched: expect.not.stringContaining(created.touched) })
  })
})
