import { accountNames } from '../library.js'
import type { AccountKey, AccountNames, TokenField } from '../models.js'
import { tokenFields } from '../models.js'
import type { Row, Values } from '../query/drizzle.js'
import type { FailureKind } from '../query/errors.js'
import { AdapterOperationError, Failure } from '../query/errors.js'
import { rethrowWritten } from '../query/stored-table.js'
import type { Table } from '../query/table.js'
import type { Cipher } from './cipher.js'
import { isEncrypted, parse } from './cipher.js'

export const accountModes = ['ready', 'migrating', 'encrypted'] as const

/** Which forms of OAuth tokens are read and written. */
export type AccountTokensMode = (typeof accountModes)[number]

/** How OAuth tokens are stored. */
export interface AccountTokens {
  readonly mode: AccountTokensMode
  readonly cipher: Cipher
}

/** Throws a failure about a column. */
export type Reject = (kind: FailureKind, field: string, key?: string) => never

/** Returns the stored form of a token. */
export async function seal({ mode, cipher }: AccountTokens, token: unknown, field: TokenField, account: AccountKey, reject: Reject) {
  if (typeof token !== 'string' || !token.isWellFormed()) return reject('invalid', field)
  // A plain token with the prefix of encrypted tokens would be read as an encrypted one, so it is always encrypted.
  return mode === 'ready' && !isEncrypted(token) ? token : cipher.encrypt(token, field, account)
}

/** Returns the token of a stored form. */
export async function open({ mode, cipher }: AccountTokens, stored: string, field: TokenField, account: AccountKey, reject: Reject) {
  const encrypted = parse(stored)
  if (!encrypted) return mode === 'encrypted' ? reject('undecipherable', field) : stored
  return (await cipher.decrypt(encrypted, field, account)) ?? reject('undecipherable', field, encrypted.key)
}

const keyHint = (key: string | undefined) => (key === undefined ? undefined : `key ${key}`)

/** Returns the key of an account, or `undefined` if a part of it is missing or is not text. */
export function accountOf(row: Row, names: AccountNames = accountNames.authjs): AccountKey | undefined {
  const { [names.provider]: provider, [names.providerAccountId]: providerAccountId } = row
  const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed()
  return isText(provider) && isText(providerAccountId) ? ({ provider, providerAccountId } as AccountKey) : undefined
}

/** Wraps the accounts table: tokens are stored encrypted, and callers see them decrypted. */
export function protectAccounts(table: Table, tokens: AccountTokens): Table {
  const reject: Reject = (kind, field, key) => {
    const column = table.columns[field]?.name
    // If a token cannot be decrypted, the error names the column and the key, and nothing else.
    throw new Failure(kind, kind === 'undecipherable' ? { column, hint: keyHint(key) } : { table: table.name, column })
  }

  const sealTokens = async (values: object, given: object): Promise<object> => {
    const sealed: Values = { ...values }
    for (const field of tokenFields) {
      if (sealed[field] == null || !table.columns[field]) continue
      const account = accountOf(table.keyOf(given) ?? {}) ?? reject('invalid', 'providerAccountId')
      sealed[field] = await seal(tokens, sealed[field], field, account, reject)
    }
    return sealed
  }

  const openTokens = async (row: Row, isStrict: boolean): Promise<Row> => {
    const opened = { ...row }
    for (const field of tokenFields) {
      if (typeof row[field] !== 'string') continue
      try {
        const account = accountOf(row) ?? reject('undecipherable', field)
        opened[field] = await open(tokens, row[field], field, account, reject)
      } catch (failure) {
        if (isStrict || !(failure instanceof Failure)) throw failure
        delete opened[field]
      }
    }
    return opened
  }

  // Tokens that cannot be decrypted are left out: a lost key must not keep an account from being listed, changed or removed.
  const openStrictly = (row: Row) => openTokens(row, true)
  const openReadable = (row: Row) => openTokens(row, false)

  const openOr = async (row: Row | null, openRow: (row: Row) => Promise<Row>) => row && openRow(row)

  return {
    ...table,
    unprotected: table,
    seal: sealTokens,
    open: openTokens,
    lookup(by) {
      const find = table.lookup(by)
      return async (given) => openOr(await find(given), openStrictly)
    },
    list: async (where, options) => Promise.all((await table.list(where, options)).map(openReadable)),
    insert: async (input) => {
      const row = await table.insert(await sealTokens(input, input))
      return openStrictly(row).catch(rethrowWritten)
    },
    updateByKey: async (input) => openOr(await table.updateByKey(await sealTokens(input, input)), openReadable),
    deleteByKey: async (given) => openOr(await table.deleteByKey(given), openReadable),
  }
}

/** Creates `encryptAccount` and `decryptAccount`. Without `accountTokens`, they only copy the row. */
export function accountFunctions(tokens: AccountTokens | undefined) {
  const convert = async <T extends object>(operation: string, row: T, convertToken: typeof seal | typeof open): Promise<T> => {
    const reject: Reject = (kind, column, key) => {
      throw new AdapterOperationError(operation, kind, { column, hint: keyHint(key) })
    }
    const converted: Row = { ...(Object(row) as Row) }
    // A row of Better Auth has other names.
    const names = Object.hasOwn(converted, accountNames.betterAuth.provider) ? accountNames.betterAuth : accountNames.authjs
    const account = accountOf(converted, names)
    if (!account) return reject('invalid', typeof converted[names.provider] === 'string' ? names.providerAccountId : names.provider)
    for (const field of tokenFields) {
      const name = names[field]
      if (!tokens || converted[name] == null) continue
      if (typeof converted[name] !== 'string') reject('invalid', name)
      converted[name] = await convertToken(tokens, converted[name] as string, field, account, (kind, _, key) => reject(kind, name, key))
    }
    return converted as T
  }
  return {
    encryptAccount: <T extends object>(row: T) => convert('encryptAccount', row, seal),
    decryptAccount: <T extends object>(row: T) => convert('decryptAccount', row, open),
  }
}
