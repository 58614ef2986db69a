import type { Column } from 'drizzle-orm'
import type { AccountKey } from '../contract.js'
import { dataOf, isPadded } from '../query/columns.js'
import type { Row, SqlDialect, TableStatements, Values } from '../query/dialect.js'
import { getTableName } from '../query/drizzle.js'
import type { FailureKind } from '../query/errors.js'
import { AdapterOperationError, Failure } from '../query/errors.js'
import type { Protection } from '../query/protection.js'
import type { Cipher, TokenField } from './cipher.js'
import { isEncrypted, parse, tokenFields } from './cipher.js'

export const accountModes = ['ready', 'migrating', 'encrypted'] as const

/** Which forms of OAuth tokens are read and written. */
export type AccountTokensMode = (typeof accountModes)[number]

/** How OAuth tokens are stored. */
export interface AccountTokens {
  readonly mode: AccountTokensMode
  readonly cipher: Cipher
}

/** Says what is wrong with a field. */
type Reject = (kind: FailureKind, field: string, key?: string) => never

/** The stored form of a token. */
async function seal({ mode, cipher }: AccountTokens, token: unknown, field: TokenField, account: AccountKey, reject: Reject) {
  if (typeof token !== 'string' || !token.isWellFormed()) return reject('invalid', field)
  // A plain token that begins like an encrypted one would be taken for one.
  return mode === 'ready' && !isEncrypted(token) ? token : cipher.encrypt(token, field, account)
}

/** The token of a stored form. */
async function open({ mode, cipher }: AccountTokens, stored: string, field: TokenField, account: AccountKey, reject: Reject) {
  const encrypted = parse(stored)
  if (!encrypted) return mode === 'encrypted' ? reject('undecipherable', field) : stored
  return (await cipher.decrypt(encrypted, field, account)) ?? reject('undecipherable', field, encrypted.key)
}

const keyHint = (key: string | undefined) => (key === undefined ? undefined : `key ${key}`)

/**
 * The key of an account as the database gives it back: a custom type may change it, and the padding of char(n) is not part of it.
 * `undefined` if a part is an expression, which only the database can evaluate, or no text.
 */
export function accountOf({ columns }: Pick<TableStatements, 'columns'>, values: Values): AccountKey | undefined {
  const asStored = (name: keyof AccountKey) => {
    const column = columns[name] as Column
    const given = values[name]
    if (typeof given !== 'string') return undefined
    const value = dataOf(column) === 'custom' ? column.mapFromDriverValue(column.mapToDriverValue(given)) : given
    return typeof value === 'string' && isPadded(column) ? value.replace(/ +$/, '') : value
  }
  const account = { provider: asStored('provider'), providerAccountId: asStored('providerAccountId') }
  return isAccountKey(account) ? account : undefined
}

function isAccountKey(row: { [name in keyof AccountKey]?: unknown }): row is AccountKey {
  return [row.provider, row.providerAccountId].every((value) => typeof value === 'string' && value.isWellFormed())
}

export function protectAccounts(tokens: AccountTokens, statements: TableStatements, dialect: SqlDialect): Protection {
  const { columns, table } = statements

  const reject: Reject = (kind, field, key) => {
    const column = columns[field]?.name
    // Of a token that cannot be decrypted, the column and the key are named, and nothing else.
    throw new Failure(kind, kind === 'undecipherable' ? { column, hint: keyHint(key) } : { table: getTableName(table), column })
  }

  return {
    storedKey: (key) => key,

    async storedValues(values, key) {
      const stored = { ...values }
      for (const field of tokenFields) {
        if (values[field] == null) continue
        const account = accountOf(statements, key ?? values) ?? reject('invalid', 'providerAccountId')
        const sealed = await seal(tokens, values[field], field, account, reject)
        const reason = reasonToReject(dialect, columns[field] as Column, sealed)
        stored[field] = reason ? reject(reason, field) : sealed
      }
      return stored
    },

    async reveal(row, _key, use) {
      if (use === 'joined') return row
      for (const field of tokenFields) {
        if (typeof row[field] !== 'string') continue
        try {
          const account = accountOf(statements, row) ?? reject('undecipherable', field)
          row[field] = await open(tokens, row[field], field, account, reject)
        } catch (failure) {
          // A lost key must not keep an account from being changed or removed.
          if ((use !== 'removed' && use !== 'changed') || !(failure instanceof Failure)) throw failure
          delete row[field]
        }
      }
      return row
    },
  }
}

/** Without a strict sql_mode, MySQL would cut an encrypted token that is too long. */
export const reasonToReject = (dialect: SqlDialect, column: Column, sealed: string) =>
  dialect.reasonToReject(column, column.mapToDriverValue(sealed))

/** `encryptAccount` and `decryptAccount`. Without tokens to protect, they only copy. */
export function accountFunctions(tokens: AccountTokens | undefined) {
  const convert = async <T extends object>(operation: string, row: T, convertToken: typeof seal | typeof open): Promise<T> => {
    const reject: Reject = (kind, column, key) => {
      throw new AdapterOperationError(operation, kind, { column, hint: keyHint(key) })
    }
    const { provider, providerAccountId } = Object(row) as Row
    const account = { provider, providerAccountId }
    if (!isAccountKey(account)) return reject('invalid', typeof provider === 'string' ? 'providerAccountId' : 'provider')
    const converted = { ...row } as Row
    for (const field of tokenFields) {
      if (!tokens || converted[field] == null) continue
      if (typeof converted[field] !== 'string') reject('invalid', field)
      converted[field] = await convertToken(tokens, converted[field] as string, field, account, reject)
    }
    return converted as T
  }
  return {
    encryptAccount: <T extends object>(row: T) => convert('encryptAccount', row, seal),
    decryptAccount: <T extends object>(row: T) => convert('decryptAccount', row, open),
  }
}
