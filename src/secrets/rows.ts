import type { AccountKey, AccountNames, TokenField } from '../models.js'
import type { Condition } from '../query/conditions.js'
import { equal } from '../query/conditions.js'
import type { Row, Values } from '../query/drizzle.js'
import { configError, Failure } from '../query/errors.js'
import { isSql } from '../query/kinds.js'
import { asPair } from '../query/lookup.js'
import type { ModelTable } from '../query/table.js'
import type { AccountTokens } from './accounts.js'
import { accountOf, tokenCodecOf } from './accounts.js'

// Each retry means that the account was changed in between.
const mostTries = 10

/**
 * Wraps an accounts table whose rows are read and written by any condition: tokens are stored encrypted, and callers see them decrypted. A
 * token that cannot be decrypted is left out: a lost key must not lock users out.
 */
export function protectAccountRows(caller: string, table: ModelTable, names: AccountNames, tokens: AccountTokens): ModelTable {
  const { seal, open, fields, reject } = tokenCodecOf(table, tokens, names)
  const keyNames = [names.provider, names.providerAccountId]
  const tokenNames = new Set(fields.map((field) => names[field]))

  /** Fails if a condition or an order names an encrypted column. */
  const refuse = (name: string, what: string): never =>
    configError(
      `${caller}: the column ${table.columns[name]?.name} of ${table.name} is encrypted by secretsAtRest, so rows cannot be ${what} by it`,
    )
  const checked = (condition: Condition): Condition => {
    if ('column' in condition) return tokenNames.has(condition.column) ? refuse(condition.column, 'found') : condition
    for (const each of 'and' in condition ? condition.and : condition.or) checked(each)
    return condition
  }

  /** The key of an account in the form that a row has. */
  const accountIn = (values: Values): AccountKey => {
    const decoded: Row = {}
    for (const name of keyNames) {
      const { encodeValue, decode } = table.stored.definition.of(name)
      const sent = values[name] == null ? undefined : encodeValue(values[name])
      decoded[name] = sent === undefined ? reject('missing-value', name) : isSql(sent) ? values[name] : decode(sent)
    }
    return accountOf(decoded, names) ?? reject('invalid', names.providerAccountId)
  }

  const isGiven = (values: Values, field: TokenField) => values[names[field]] != null

  const openRow = (row: Row) => open(row, false)
  const openOr = async (row: Row | null) => row && openRow(row)

  /** The tokens of a row that an update does not change, encrypted for its new key, without those that cannot be decrypted. */
  const sealAgain = async (row: Row, values: Values, account: AccountKey): Promise<Values> => {
    const unchanged = [...tokenNames].filter((name) => values[name] === undefined)
    return seal(defined(await openRow(row), unchanged), () => account)
  }

  /** Changes a row whose tokens are encrypted for the key that it has when it is written. */
  const updateWithKey = async (condition: Condition, values: Values): Promise<Row | null> => {
    for (let tries = 0; tries < mostTries; tries++) {
      const [row] = await table.list(condition, { limit: 1, forUpdate: true })
      if (!row) return null
      const before = accountOf(row, names) ?? reject('invalid', names.providerAccountId)
      const account = accountIn({ ...row, ...defined(values, keyNames) })
      const isMoved = before.provider !== account.provider || before.providerAccountId !== account.providerAccountId
      const again = isMoved ? await sealAgain(row, values, account) : {}
      const unchanged = Object.fromEntries([...table.key, ...keyNames, ...Object.keys(again)].map((name) => [name, row[name]]))
      const sealed = { ...(await seal(values, () => account)), ...again }
      const updated = await table.updateOne({ and: [condition, equal(unchanged)] }, sealed)
      if (updated) return updated
    }
    throw new Failure('conflict', { table: table.name })
  }

  return {
    ...table,
    unprotected: table,
    seal: (values, given) => seal(values as Values, () => accountIn(given as Values)),
    open,
    lookup(by) {
      for (const name of by) if (tokenNames.has(name)) refuse(name, 'found')
      const find = table.lookup(by)
      return async (given) => openOr(await find(given))
    },
    lookupWith(by, other, join, combine) {
      for (const name of by) if (tokenNames.has(name)) refuse(name, 'found')
      const find = table.lookupWith(by, other, join, asPair)
      return async (given) => {
        const [row, otherRow] = (await find(given)) ?? []
        return row ? combine(await openRow(row), otherRow ?? null) : null
      }
    },
    async list(where, options) {
      if (options?.orderBy !== undefined && tokenNames.has(options.orderBy)) refuse(options.orderBy, 'sorted')
      return Promise.all((await table.list(checked(where), options)).map(openRow))
    },
    count: async (where) => table.count(checked(where)),
    async insert(input) {
      const values = input as Values
      return openRow(await table.insert(await seal(values, () => accountIn(values))))
    },
    async updateOne(where, input) {
      const values = input as Values
      const needsKey = fields.some((field) => isGiven(values, field)) || Object.keys(defined(values, keyNames)).length > 0
      return openOr(await (needsKey ? updateWithKey(checked(where), values) : table.updateOne(checked(where), values)))
    },
    async updateAll(where, input) {
      const values = input as Values
      if (fields.some((field) => isGiven(values, field)) || Object.keys(defined(values, keyNames)).length > 0)
        configError(
          `${caller}: updateMany cannot change the tokens, the provider or the id of accounts, because secretsAtRest encrypts each token for its own account. Update them one by one`,
        )
      return table.updateAll(checked(where), values)
    },
    deleteOne: async (where) => openOr(await table.deleteOne(checked(where))),
    deleteAll: async (where, first) => table.deleteAll(checked(where), first),
  }
}

/** The values with these names that are defined. */
function defined(values: Values, names: readonly string[]): Values {
  return Object.fromEntries(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]]])))
}
