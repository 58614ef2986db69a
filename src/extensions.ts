import type { Row, Values, Writes } from './query/dialect.js'
import { digest } from './query/digest.js'
import { getTableName, sql } from './query/drizzle.js'
import { Failure } from './query/errors.js'
import type { TokenHash } from './query/protection.js'
import type { Rows } from './query/rows.js'

// Each further try means that somebody changed the row in between.
const mostTries = 10

const tokenFields = ['access_token', 'refresh_token', 'id_token']

/** Operations on accounts that the contract does not have. */
export function accountExtensions(accounts: Rows, writes: Writes) {
  const { codec, statements, select, protection } = accounts.internals
  const { reveal, storedValues } = protection
  const fields = tokenFields.filter((field) => statements.columns[field])

  /** Changes the row if its tokens are those of this account. They may get another form meanwhile, as with a new key. */
  const changeUnlessChanged = async (key: Values, where: Values, values: Values, account: Row): Promise<boolean> => {
    let last: string | undefined
    for (let tries = 0; tries < mostTries; tries++) {
      const [row] = await select(where)
      const current = row && (await reveal({ ...row }, key))
      if (!row || fields.some((field) => (current?.[field] ?? null) !== (account[field] ?? null))) return false
      const stored = Object.fromEntries(fields.map((field) => [field, row[field] ?? null]))
      // The second time, the database does not count a row that has these values already.
      if (JSON.stringify(stored) === last || (await writes.change(statements, { ...where, ...stored }, values))) return true
      last = JSON.stringify(stored)
    }
    throw new Failure('conflict', { table: getTableName(statements.table) })
  }

  return {
    listAccounts: (userId: string) => accounts.list({ userId }, ['userId']),

    async updateAccount(input: object, { unlessChanged }: { unlessChanged?: object } = {}) {
      const key = codec.encodeKey(input, statements.key)
      const { userId, ...given } = codec.encodeUpdate(input, statements.key)
      if (!key) return null
      const values = await storedValues(given, key)
      const where: Values = userId === undefined ? key : { ...key, userId }
      if (unlessChanged) {
        if (!(await changeUnlessChanged(key, where, values, unlessChanged as Row))) return null
      } else if (Object.keys(values).length > 0) await writes.change(statements, where, values)
      const [row] = await select(where)
      if (row) return reveal(row, key, 'changed')
      if (userId !== undefined && (await select(key))[0])
        throw new Failure('invalid', { table: getTableName(statements.table), column: statements.columns.userId?.name })
      return null
    },
  }
}

/** Operations on sessions that the contract does not have. */
export function sessionExtensions(sessions: Rows, writes: Writes) {
  const { codec, statements, protection, unlessIncomparable } = sessions.internals
  const { hash, isHashed }: TokenHash = protection.tokenHash ?? {
    hash: async (token) => `s1.${await digest(token)}`,
    isHashed: () => false,
  }

  const listStored = (userId: unknown) => sessions.list({ userId }, ['userId'])
  const hashOf = async ({ sessionToken }: Row) =>
    isHashed(sessionToken as string) ? (sessionToken as string) : hash(sessionToken as string)
  // The digest of a hash: not even an adapter that takes stored hashes for tokens finds a session by it.
  const idOf = async (row: Row) => digest(await hashOf(row))

  return {
    async listSessions(userId: string, { current }: { current?: string | undefined } = {}) {
      const now = Date.now()
      const currentHash = typeof current === 'string' ? await hash(current) : undefined
      const rows = (await listStored(userId)).filter(({ expires }) => (expires as Date).getTime() > now)
      rows.sort((a, b) => (b.expires as Date).getTime() - (a.expires as Date).getTime())
      return Promise.all(
        rows.map(async (row) => {
          const { sessionToken, userId: _, ...shown } = row
          return { ...shown, id: await idOf(row), current: (await hashOf(row)) === currentHash }
        }),
      )
    },

    async revokeSession(userId: string, id: string) {
      const owner = codec.encodeKey({ userId }, ['userId'])
      // A session that is hashed meanwhile is found again.
      for (let tries = 0; owner && tries < 2; tries++) {
        const rows = await listStored(userId)
        const ids = await Promise.all(rows.map(idOf))
        const row = rows[ids.indexOf(id)]
        if (!row) return false
        if (await writes.remove(statements, { ...owner, sessionToken: row.sessionToken })) return true
      }
      return false
    },

    async revokeSessions(userId: string, { except }: { except?: string | undefined } = {}) {
      const owner = codec.encodeKey({ userId }, ['userId'])
      if (!owner) return 0
      const kept = await protection.storedKey(codec.encodeKey({ sessionToken: except }, ['sessionToken']))
      const all = statements.matches(owner)
      try {
        return await writes.deleteEvery(statements, kept ? sql`${all} and not (${statements.matches(kept)})` : all)
      } catch (failure) {
        return unlessIncomparable(failure, owner, 0)
      }
    },
  }
}
