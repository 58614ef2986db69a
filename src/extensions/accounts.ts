import { tokenFields } from '../models.js'
import type { Condition } from '../query/conditions.js'
import { equal } from '../query/conditions.js'
import type { Row, Values } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { rethrowWritten } from '../query/stored-table.js'
import type { ModelTable } from '../query/table.js'

// Each retry means that the row was changed in between.
const mostTries = 10

/** Operations on accounts beyond the contract. */
export function accountExtensions(accounts: ModelTable) {
  const { columns, name: table, unprotected = accounts } = accounts
  const fields = tokenFields.filter((field) => columns[field])

  /** Updates the row if its tokens are those of this account. Their stored form may change in between, for example by a new key. */
  const updateUnlessChanged = async (where: Condition, changes: object, account: Row): Promise<Row | null> => {
    for (let tries = 0; tries < mostTries; tries++) {
      const [row] = await unprotected.list(where, { forUpdate: true })
      const current = row && (await accounts.open({ ...row }, true))
      if (!row || fields.some((field) => (current?.[field] ?? null) !== (account[field] ?? null))) return null
      const tokens = Object.fromEntries(fields.map((field) => [field, row[field] ?? null]))
      const updated = await unprotected.updateOne({ and: [where, equal(tokens)] }, changes)
      if (updated) return updated
    }
    throw new Failure('conflict', { table, hint: 'or a custom type encodes its tokens differently each time' })
  }

  return {
    listAccounts: (userId: string) => accounts.list(equal({ userId })),

    async updateAccount(input: Values, { unlessChanged }: { unlessChanged?: object } = {}) {
      const { provider, providerAccountId, userId, ...given } = Object(input) as Values
      const key = accounts.keyOf({ provider, providerAccountId })
      if (!key) return null
      const where = equal(userId === undefined ? key : { ...key, userId })
      const changes = await accounts.seal(given, key)
      const row = await (unlessChanged ? updateUnlessChanged(where, changes, unlessChanged as Row) : unprotected.updateOne(where, changes))
      // Tokens that cannot be decrypted are left out.
      if (row) return accounts.open(row, false).catch(rethrowWritten)
      if (!unlessChanged && userId !== undefined && (await unprotected.list(equal(key))).length > 0)
        throw new Failure('invalid', { table, column: columns.userId?.name, hint: 'the account belongs to another user' })
      return null
    },
  }
}
