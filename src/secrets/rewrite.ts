import type { Column } from 'drizzle-orm'
import type { AccountKey } from '../contract.js'
import { isGenerated } from '../query/columns.js'
import type { Row, TableStatements, Values } from '../query/dialect.js'
import { getTableName, sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import type { AccountTokens } from './accounts.js'
import { accountOf, reasonToReject } from './accounts.js'
import type { TokenField } from './cipher.js'
import { isEncrypted, parse, tokenFields } from './cipher.js'
import type { SessionTokens } from './sessions.js'
import { isStored } from './sessions.js'
import type { OpenedTables } from './tables.js'

/** Gives a row its new form, and says whether there was something to change. */
export type Rewrite = (row: Row) => Promise<boolean>

/** Hashes a plain session. */
export function hashing({ hash }: SessionTokens, { writes }: OpenedTables, sessions: TableStatements): Rewrite {
  const unchanged = automaticColumns(sessions)
  return async ({ sessionToken }) => {
    if (isStored(sessionToken)) return false
    const values = { ...unchanged, sessionToken: await hash(sessionToken as string) }
    try {
      return await writes.change(sessions, { sessionToken }, values)
    } catch (failure) {
      if (!(failure instanceof Failure && failure.kind === 'duplicate')) throw failure
      // The session is there in its hashed form as well, which is the one that stays.
      await sessions.deleteAll({ sessionToken })
      return true
    }
  }
}

/** The new form of a stored token, or `undefined` if it has it already, or cannot be read. */
type Convert = (stored: string, field: TokenField, account: AccountKey) => Promise<string | undefined>

/** Told of a token that cannot be read, with the id of its key where that is known. */
export type OnUnreadable = (key: string | undefined) => void

/** Encrypts what is plain or under an old key. */
export function encrypting({ cipher }: AccountTokens, onUnreadable?: OnUnreadable): Convert {
  return async (stored, field, account) => {
    const encrypted = parse(stored)
    if (encrypted?.key === cipher.newest) return undefined
    const token = encrypted ? await cipher.decrypt(encrypted, field, account) : stored
    if (token === undefined) onUnreadable?.(encrypted?.key)
    return token === undefined ? undefined : cipher.encrypt(token, field, account)
  }
}

/** Decrypts what is encrypted. A token that would then look encrypted stays as it is. */
export function decrypting({ cipher }: AccountTokens, onUnreadable?: OnUnreadable): Convert {
  return async (stored, field, account) => {
    const encrypted = parse(stored)
    if (!encrypted) return undefined
    const token = await cipher.decrypt(encrypted, field, account)
    if (token === undefined) onUnreadable?.(encrypted.key)
    return token === undefined || isEncrypted(token) ? undefined : token
  }
}

// Each further try means that somebody changed the row again in between.
const mostTries = 10

/** Gives the tokens of an account their new form, unless somebody changes them in between: then the row is read again. */
export function converting(convert: Convert, { writes, sql: dialect }: OpenedTables, accounts: TableStatements): Rewrite {
  const unchanged = automaticColumns(accounts)

  async function changesTo(row: Row, account: AccountKey): Promise<Values> {
    const changes: Values = {}
    for (const field of tokenFields) {
      const stored = row[field]
      const column = accounts.columns[field] as Column
      const changed = typeof stored === 'string' ? await convert(stored, field, account) : undefined
      if (changed === undefined) continue
      const reason = reasonToReject(dialect, column, changed)
      if (reason) throw new Failure(reason, { table: getTableName(accounts.table), column: column.name })
      changes[field] = changed
    }
    return changes
  }

  return async (first) => {
    const { provider, providerAccountId } = first
    let row: Row | undefined = first
    for (let tries = 0; row && tries < mostTries; tries++) {
      const account = accountOf(accounts, row)
      const changes = account ? await changesTo(row, account) : {}
      const fields = Object.keys(changes)
      if (fields.length === 0) return false
      const before: Values = { provider, providerAccountId }
      for (const field of fields) before[field] = row[field]
      if (await writes.change(accounts, before, { ...unchanged, ...changes })) return true
      ;[row] = await accounts.select({ provider, providerAccountId })
    }
    return false
  }
}

/** Columns with `$onUpdate` keep their values: nobody has changed the row in the app's sense. */
function automaticColumns({ columns }: TableStatements): Values {
  const automatic = Object.entries(columns).filter(([, column]) => column.onUpdateFn && !isGenerated(column))
  return Object.fromEntries(automatic.map(([name, column]) => [name, sql`${column}`]))
}
