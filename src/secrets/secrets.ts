import type { Protections } from '../protection.js'
import { configError } from '../query/errors.js'
import { accountFunctions, protectAccounts } from './accounts.js'
import { checkAccountColumns, checkSessionColumns } from './columns.js'
import type { Parts, SecretsOptions } from './options.js'
import { readOptions } from './options.js'
import { protectAccountRows } from './rows.js'
import { protectSessions } from './sessions.js'

/** The result of `secretsAtRest`: for `DrizzleAdapter` and `protectSecrets`, and for your own queries. */
export interface Secrets extends Protections {
  /** Returns a copy of an account with its tokens as the adapter would store them. */
  encryptAccount<T extends object>(row: T): Promise<T>
  /** Returns a copy of a stored account with its tokens as the adapter would return them. */
  decryptAccount<T extends object>(row: T): Promise<T>
}

// Not properties of the object, so that printing it shows no secret.
const kept = new WeakMap<object, Parts>()

/**
 * Stores session tokens as hashes and OAuth tokens encrypted. Pass it to `DrizzleAdapter` as the option `secrets`.
 *
 * @param options Which tokens to protect, and with which keys.
 * @example
 * // auth.ts
 * import { DrizzleAdapter } from 'drizzle-auth-adapter'
 * import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
 * import { db } from './db.js'
 * import { accountsTable, sessionsTable, usersTable } from './schema.js'
 *
 * const secrets = secretsAtRest({
 *   sessionTokens: 'hashed',
 *   accountTokens: { keys: process.env.AUTH_TOKEN_KEYS }, // id:secret,id:secret
 * })
 * export const adapter = DrizzleAdapter(db, { usersTable, accountsTable, sessionsTable }, { secrets })
 */
export function secretsAtRest(options: SecretsOptions): Secrets {
  const parts = readOptions(options)
  const { sessions, accounts } = parts
  const secrets: Secrets = {
    ...accountFunctions(accounts),
    protect(model, table) {
      if (model === 'sessions' && sessions) {
        checkSessionColumns('DrizzleAdapter', table.columns)
        return protectSessions(table, sessions)
      }
      if (model === 'accounts' && accounts) {
        checkAccountColumns('DrizzleAdapter', table.columns)
        return protectAccounts(table, accounts)
      }
      return undefined
    },
    protectAccountsOf(caller) {
      if (sessions)
        configError(
          `${caller}: sessionTokens must be 'plain', because Better Auth lists sessions with their tokens and revokes them by their tokens`,
        )
      return (table, names) => {
        if (!accounts) return table
        checkAccountColumns(caller, table.columns, names, table.name)
        return protectAccountRows(caller, table, names, accounts)
      }
    },
  }
  kept.set(secrets, parts)
  return secrets
}

/** Returns the checked options of these secrets. */
export function partsOf(secrets: Secrets, caller: string): Parts {
  const parts = Object(secrets) === secrets ? kept.get(secrets) : undefined
  return parts ?? configError(`${caller}: secrets must be the result of secretsAtRest`)
}
