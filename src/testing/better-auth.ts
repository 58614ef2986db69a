import { fail } from './expect.js'
import { expectNoSecrets } from './leaks.js'

/** The operations that the cases call. The result of `drizzleAdapter(db, …)(options)` has them, and so has any other adapter for Better Auth. */
export interface BetterAuthAdapter {
  /** Stores a row and returns it with its id. */
  create(given: { model: string; data: object; forceAllowId?: boolean }): Promise<unknown>
  /** Returns a matching row, or `null`. */
  findOne(given: { model: string; where: Where[] }): Promise<unknown>
  /** Returns the matching rows. */
  findMany(given: { model: string; where?: Where[]; limit?: number }): Promise<unknown[]>
  /** Returns the number of matching rows. */
  count(given: { model: string; where?: Where[] }): Promise<number>
  /** Changes one matching row and returns it, or returns `null`. */
  update(given: { model: string; where: Where[]; update: object }): Promise<unknown>
  /** Changes all matching rows and returns their number. */
  updateMany(given: { model: string; where: Where[]; update: object }): Promise<number>
  /** Deletes all matching rows and returns their number. */
  deleteMany(given: { model: string; where: Where[] }): Promise<number>
  /** Deletes one matching row and returns it, or returns `null`. Of concurrent callers, only one gets the row. */
  consumeOne(given: { model: string; where: Where[] }): Promise<unknown>
  /** Adds to fields of one matching row and returns it, or returns `null`. */
  incrementOne(given: { model: string; where: Where[]; increment: Record<string, number> }): Promise<unknown>
}

type Value = string | number | boolean | string[] | number[] | Date | null

type Operator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte' | 'in' | 'not_in' | 'contains' | 'starts_with' | 'ends_with'

interface Where {
  field: string
  value: Value
  operator?: Operator
  connector?: 'AND' | 'OR'
  mode?: 'sensitive' | 'insensitive'
}

/** One rule for adapters of Better Auth. Each case creates its own rows. */
export interface BetterAuthCase {
  /** The rule, as a sentence. */
  readonly name: string
  readonly topic: 'races' | 'exactness' | 'search' | 'storage' | 'errors'
  /** Throws a `ContractViolation` if the adapter breaks the rule. `peer` is a second adapter on the same data, for races. */
  run(adapter: BetterAuthAdapter, options?: { peer?: BetterAuthAdapter }): Promise<void>
}

/**
 * The options of Better Auth that the cases need: they add the rate limit table.
 *
 * @example
 * // auth.ts
 * import { betterAuth } from 'better-auth'
 * import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
 * import { betterAuthCaseOptions } from 'drizzle-auth-adapter/testing'
 * import * as schema from './auth-schema.js'
 * import { db } from './db.js'
 *
 * export const auth = betterAuth({ ...betterAuthCaseOptions, database: drizzleAdapter(db, { schema }) })
 */
export const betterAuthCaseOptions = { rateLimit: { storage: 'database' } } as const

/** The fields of all models that the cases read. */
interface Row {
  readonly id: string
  readonly identifier: string
  readonly email: string
  readonly value: Value
  readonly count: Value
  readonly expiresAt: Value
  readonly name: Value
}

const callers = 20
const unique = () => crypto.randomUUID()
const expectCount = (what: string, found: number, expected: number) =>
  found === expected || fail(`${what}: expected ${expected}, but got ${found}`)

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null

async function newUser(adapter: BetterAuthAdapter, data: object = {}): Promise<Row> {
  const now = new Date()
  const user = { name: 'Ada', email: `${unique()}@example.com`, emailVerified: false, createdAt: now, updatedAt: now, ...data }
  return (await adapter.create({ model: 'user', data: user })) as Row
}

async function newVerification(adapter: BetterAuthAdapter, data: object = {}): Promise<Row> {
  const now = new Date()
  const row = { identifier: unique(), value: 'first', expiresAt: new Date(now.getTime() + 60_000), createdAt: now, updatedAt: now, ...data }
  return (await adapter.create({ model: 'verification', data: row })) as Row
}

async function newLimit(adapter: BetterAuthAdapter, count = 0): Promise<string> {
  const key = unique()
  await adapter.create({ model: 'rateLimit', data: { key, count, lastRequest: Date.now() } })
  return key
}

/** Runs concurrent calls that alternate between the adapters, and returns their results. Throws if any call fails. */
function atOnce<T>(adapter: BetterAuthAdapter, peer: BetterAuthAdapter, call: (each: BetterAuthAdapter) => Promise<T>) {
  return Promise.all(Array.from({ length: callers }, (_, index) => call(index % 2 ? peer : adapter)))
}

/** Pairs of texts that a loose comparison treats as equal. */
const lookalikes: readonly (readonly [text: string, lookalike: string, what: string])[] = [
  ['jose', 'JOSE', 'case'],
  ['jose', 'josé', 'accents'],
  ['jose', 'jose ', 'a space at the end'],
  ['jos\u00e9', 'jose\u0301', 'Unicode normalization'],
]

const by = (field: string, value: Value, operator: Operator = 'eq'): Where => ({ field, value, operator })

const casesAbout =
  (topic: BetterAuthCase['topic']) =>
  (name: string, run: (adapter: BetterAuthAdapter, peer: BetterAuthAdapter) => Promise<void>): BetterAuthCase => ({
    name,
    topic,
    run: (adapter, { peer = adapter } = {}) => run(adapter, peer),
  })

const race = casesAbout('races')
const exact = casesAbout('exactness')
const search = casesAbout('search')
const storage = casesAbout('storage')
const error = casesAbout('errors')

/**
 * Cases for adapters of Better Auth, about rules that its own test suites do not check: races, exact comparisons, literal search, dates, and
 * errors without values. The adapter needs the tables for `betterAuthCaseOptions`.
 *
 * @example
 * // better-auth.test.ts
 * import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
 * import { betterAuthCaseOptions, betterAuthCases } from 'drizzle-auth-adapter/testing'
 * import { test } from 'vitest'
 * import * as schema from './auth-schema.js'
 * import { db } from './db.js'
 *
 * const adapter = drizzleAdapter(db, { schema })(betterAuthCaseOptions)
 * for (const { name, run } of betterAuthCases) test(name, () => run(adapter))
 */
export const betterAuthCases: readonly BetterAuthCase[] = [
  race('consumeOne returns a row to one of many callers', async (adapter, peer) => {
    const { identifier } = await newVerification(adapter)
    const where = [by('identifier', identifier)]
    const found = await atOnce(adapter, peer, (each) => each.consumeOne({ model: 'verification', where }))
    expectCount('callers that got the row', found.filter(isRow).length, 1)
    expectCount('rows left', await adapter.count({ model: 'verification', where }), 0)
  }),

  race('consumeOne deletes one row of several, and each caller gets another one', async (adapter, peer) => {
    const identifier = unique()
    for (let each = 0; each < 3; each++) await newVerification(adapter, { identifier })
    const where = [by('identifier', identifier)]
    const first = await adapter.consumeOne({ model: 'verification', where })
    if (!isRow(first)) fail('consumeOne: expected a row, but got null')
    expectCount('rows left after the first call', await adapter.count({ model: 'verification', where }), 2)
    const found = (await atOnce(adapter, peer, (each) => each.consumeOne({ model: 'verification', where }))).filter(isRow)
    expectCount('different rows', new Set(found.map(({ id }) => id)).size, 2)
    expectCount('callers that got a row', found.length, 2)
  }),

  race('a guarded update has one winner', async (adapter, peer) => {
    const { id } = await newVerification(adapter)
    const where = [by('id', id), by('value', 'first')]
    const found = await atOnce(adapter, peer, (each) => each.update({ model: 'verification', where, update: { value: 'used' } }))
    expectCount('callers that won', found.filter(isRow).length, 1)
  }),

  race('incrementOne counts every call', async (adapter, peer) => {
    const key = await newLimit(adapter)
    const where = [by('key', key)]
    await atOnce(adapter, peer, (each) => each.incrementOne({ model: 'rateLimit', where, increment: { count: 1 } }))
    const stored = (await adapter.findOne({ model: 'rateLimit', where })) as Row
    expectCount('the counter', Number(stored.count), callers)
  }),

  race('incrementOne stops at its guard', async (adapter, peer) => {
    const key = await newLimit(adapter)
    const where = [by('key', key), by('count', 5, 'lt')]
    const found = await atOnce(adapter, peer, (each) => each.incrementOne({ model: 'rateLimit', where, increment: { count: 1 } }))
    expectCount('callers that passed the guard', found.filter(isRow).length, 5)
    const stored = (await adapter.findOne({ model: 'rateLimit', where: [by('key', key)] })) as Row
    expectCount('the counter', Number(stored.count), 5)
  }),

  race('an email belongs to one user, however many sign up at once', async (adapter, peer) => {
    const email = `${unique()}@example.com`
    const signUp = (each: BetterAuthAdapter) => newUser(each, { email }).catch(() => null)
    expectCount('users created', (await atOnce(adapter, peer, signUp)).filter(isRow).length, 1)
  }),

  race('an account of a provider belongs to one user', async (adapter) => {
    const now = new Date()
    const [first, second] = [await newUser(adapter), await newUser(adapter)]
    const link = ({ id }: Row, accountId: string) =>
      adapter.create({ model: 'account', data: { userId: id, providerId: 'github', accountId, createdAt: now, updatedAt: now } })
    const accountId = unique()
    await link(first, accountId)
    if (isRow(await link(second, accountId).catch(() => null)))
      fail('create: expected an error, because another user has this account of the provider')
  }),

  race('update changes one row', async (adapter) => {
    const identifier = unique()
    for (let each = 0; each < 3; each++) await newVerification(adapter, { identifier })
    const where = [by('identifier', identifier)]
    await adapter.update({ model: 'verification', where, update: { value: 'changed' } })
    const rows = (await adapter.findMany({ model: 'verification', where })) as Row[]
    expectCount('changed rows', rows.filter(({ value }) => value === 'changed').length, 1)
  }),

  ...lookalikes.map(([text, lookalike, what]) =>
    exact(`equality does not ignore ${what}`, async (adapter) => {
      const suffix = unique()
      const identifier = `${suffix}${text}`
      const { id } = await newVerification(adapter, { identifier })
      const lookalikeText = `${suffix}${lookalike}`
      const other = by('identifier', lookalikeText)
      const model = 'verification'
      if (isRow(await adapter.findOne({ model, where: [other] }))) fail('findOne: expected no row for another text')
      expectCount('findMany', (await adapter.findMany({ model, where: [other] })).length, 0)
      const inList = await adapter.findMany({ model, where: [by('identifier', [lookalikeText], 'in')] })
      expectCount('findMany with in', inList.length, 0)
      expectCount('count', await adapter.count({ model, where: [other] }), 0)
      const countMine = (others: Where) => adapter.count({ model, where: [by('id', id), others] })
      expectCount('count with ne', await countMine(by('identifier', lookalikeText, 'ne')), 1)
      expectCount('count with not_in', await countMine(by('identifier', [lookalikeText], 'not_in')), 1)
      if (isRow(await adapter.update({ model, where: [other], update: { value: 'changed' } })))
        fail('update: expected no row for another text')
      expectCount('updateMany', await adapter.updateMany({ model, where: [other], update: { value: 'changed' } }), 0)
      if (isRow(await adapter.consumeOne({ model, where: [other] }))) fail('consumeOne: expected no row for another text')
      expectCount('deleteMany', await adapter.deleteMany({ model, where: [other] }), 0)
      expectCount('rows of the right text', await adapter.count({ model, where: [by('identifier', identifier)] }), 1)
    }),
  ),

  exact('mode insensitive ignores case, and nothing else', async (adapter) => {
    const { id, email } = await newUser(adapter, { email: `jose-${unique()}@example.com` })
    const find = (value: string) => adapter.findOne({ model: 'user', where: [{ field: 'email', value, mode: 'insensitive' }] })
    const found = await find(String(email).toUpperCase())
    if (!isRow(found) || found.id !== id) fail('findOne: expected the user whose email differs in case only')
    if (isRow(await find(String(email).replace('jose', 'josé')))) fail('findOne: expected no user for an email with another letter')
  }),

  ...['%', '_', '\\', '[a-z]', '*', '.', '!'].map((sign) =>
    search(`a search for ${sign} finds that text, and is no pattern`, async (adapter) => {
      const tag = unique()
      await newUser(adapter, { name: `${tag} a${sign}b` })
      await newUser(adapter, { name: `${tag} axb` })
      const count = (operator: Operator, value: string) =>
        adapter.count({ model: 'user', where: [by('name', value, operator), by('name', tag, 'starts_with')] })
      expectCount('contains', await count('contains', `a${sign}b`), 1)
      expectCount('ends_with', await count('ends_with', `${sign}b`), 1)
      expectCount('starts_with', await count('starts_with', `${tag} a${sign}`), 1)
    }),
  ),

  search('in and not_in accept an empty list', async (adapter) => {
    const { id } = await newUser(adapter)
    const count = (operator: Operator) => adapter.count({ model: 'user', where: [by('id', id), by('email', [], operator)] })
    expectCount('in', await count('in'), 0)
    expectCount('not_in', await count('not_in'), 1)
  }),

  storage('dates beyond 2038 and milliseconds are kept', async (adapter) => {
    const expiresAt = new Date('2040-02-29T12:34:56.789Z')
    const { id } = await newVerification(adapter, { expiresAt })
    const stored = (await adapter.findOne({ model: 'verification', where: [by('id', id)] })) as Row
    const got = stored.expiresAt instanceof Date ? stored.expiresAt.toISOString() : String(stored.expiresAt)
    if (got !== expiresAt.toISOString()) fail(`findOne: expected expiresAt to be ${expiresAt.toISOString()}, but got ${got}`)
  }),

  storage('ids of 64 characters and any Unicode text are kept', async (adapter) => {
    const id = `${unique()}${unique()}`.replaceAll('-', '').slice(0, 64)
    const name = 'Zoë 你好 👩‍🚀'
    const now = new Date()
    const data = { id, name, email: `${unique()}@example.com`, emailVerified: false, createdAt: now, updatedAt: now }
    await adapter.create({ model: 'user', data, forceAllowId: true })
    const stored = await adapter.findOne({ model: 'user', where: [by('id', id)] })
    if (!isRow(stored) || stored.name !== name) fail('findOne: expected the user with this id and name')
  }),

  error('an error contains none of the values', async (adapter) => {
    const secret = unique()
    const email = `${secret}@example.com`
    await newUser(adapter, { email })
    const thrown = await newUser(adapter, { email }).catch((reason: unknown) => reason)
    if (!(thrown instanceof Error)) fail('create: expected an error, because the email is taken')
    expectNoSecrets(thrown, [secret], 'create')
  }),
]
