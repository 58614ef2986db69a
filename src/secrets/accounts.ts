import { accountNames } from '../library.js'
import type { AccountKey, AccountNames, TokenField } from '../models.js'
import { tokenFields } from '../models.js'
import type { Row, Values } from '../query/drizzle.js'
import type { FailureKind } from '../query/errors.js'
import { AdapterOperationError, Failure } from '../query/errors.js'
import { rethrowWritten } from '../query/stored-table.js'
import type { ModelTable } from '../query/table.js'
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

/** Returns the key of an account, or `undefined` if a part of it is missing or is not text. */
export function accountOf(row: Row, names: AccountNames = accountNames.authjs): AccountKey | undefined {
  const { [names.provider]: provider, [names.providerAccountId]: providerAccountId } = row
  const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed()
  return isText(provider) && isText(providerAccountId) ? ({ provider, providerAccountId } as AccountKey) : undefined
}

/** Throws a failure about a column, by its name in code. `key` is the id of the key that does not decrypt it. */
type Reject = (kind: FailureKind, name: string, key?: string) => never

/** Encrypts and decrypts the tokens of accounts whose columns have these names. */
function tokenCodec({ mode, cipher }: AccountTokens, names: AccountNames, fields: readonly TokenField[], reject: Reject) {
  const sealToken = async (token: unknown, field: TokenField, account: AccountKey) => {
    if (typeof token !== 'string' || !token.isWellFormed()) return reject('invalid', names[field])
    // A plain token with the prefix of encrypted tokens would be read as an encrypted one, so it is always encrypted.
    return mode === 'ready' && !isEncrypted(token) ? token : cipher.encrypt(token, field, account)
  }

  const openToken = async (stored: string, field: TokenField, account: AccountKey | undefined) => {
    const encrypted = parse(stored)
    if (account && !encrypted && mode !== 'encrypted') return stored
    const token = account && encrypted && (await cipher.decrypt(encrypted, field, account))
    return token ?? reject('undecipherable', names[field], encrypted?.key)
  }

  return {
    /** Encrypts the tokens among these values. The account is needed only if there are any. */
    async seal(values: Values, account: () => AccountKey): Promise<Values> {
      const sealed = { ...values }
      for (const field of fields) {
        const token = values[names[field]]
        if (token != null) sealed[names[field]] = await sealToken(token, field, account())
      }
      return sealed
    },

    /** Decrypts the tokens of a stored row. Unless `isStrict` is true, tokens that cannot be decrypted are left out. */
    async open(row: Row, isStrict: boolean): Promise<Row> {
      const opened = { ...row }
      const account = accountOf(row, names)
      for (const field of fields) {
        const stored = row[names[field]]
        if (typeof stored !== 'string') continue
        try {
          opened[names[field]] = await openToken(stored, field, account)
        } catch (failure) {
          if (isStrict || !(failure instanceof Failure)) throw failure
          delete opened[names[field]]
        }
      }
      return opened
    },
  }
}

const keyHint = (key: string | undefined) => (key === undefined ? undefined : `key ${key}`)

/** The token codec of a table. If a token cannot be decrypted, its error names the column and the key, and nothing else. */
export function tokenCodecOf(table: ModelTable, tokens: AccountTokens, names: AccountNames) {
  const fields = tokenFields.filter((field) => table.columns[names[field]])
  const reject: Reject = (kind, name, key) => {
    const column = table.columns[name]?.name ?? name
    throw new Failure(kind, kind === 'undecipherable' ? { column, hint: keyHint(key) } : { table: table.name, column })
  }
  return { ...tokenCodec(tokens, names, fields, reject), fields, reject }
}

/** Wraps the accounts table: tokens are stored encrypted, and callers see them decrypted. */
export function protectAccounts(table: ModelTable, tokens: AccountTokens): ModelTable {
  const { seal, open, reject } = tokenCodecOf(table, tokens, accountNames.authjs)
  const sealTokens = (values: object, given: object) =>
    seal(values as Values, () => accountOf(table.keyOf(given) ?? {}) ?? reject('invalid', 'providerAccountId'))
  // Tokens that cannot be decrypted are left out: a lost key must not keep an account from being listed, changed or removed.
  const openReadable = async (row: Row | null) => row && open(row, false)

  return {
    ...table,
    unprotected: table,
    seal: sealTokens,
    open,
    lookup(by) {
      const find = table.lookup(by)
      return async (given) => {
        const row = await find(given)
        return row && open(row, true)
      }
    },
    list: async (where, options) => Promise.all((await table.list(where, options)).map((row) => open(row, false))),
    insert: async (input) => {
      const row = await table.insert(await sealTokens(input, input))
      return open(row, true).catch(rethrowWritten)
    },
    updateByKey: async (input) => openReadable(await table.updateByKey(await sealTokens(input, input))),
    deleteByKey: async (given) => openReadable(await table.deleteByKey(given)),
  }
}

/** Creates `encryptAccount` and `decryptAccount`. Without `accountTokens`, they only copy the row. */
export function accountFunctions(tokens: AccountTokens | undefined) {
  const convert = async <T extends object>(operation: string, row: T, isEncrypting: boolean): Promise<T> => {
    const reject: Reject = (kind, column, key) => {
      throw new AdapterOperationError(operation, kind, { column, hint: keyHint(key) })
    }
    const given: Row = { ...(Object(row) as Row) }
    // A row of Better Auth has other names.
    const names = Object.hasOwn(given, accountNames.betterAuth.provider) ? accountNames.betterAuth : accountNames.authjs
    const account = accountOf(given, names)
    if (!account) return reject('invalid', typeof given[names.provider] === 'string' ? names.providerAccountId : names.provider)
    if (!tokens) return given as T
    const wrong = tokenFields.find((field) => !['string', 'undefined'].includes(typeof (given[names[field]] ?? undefined)))
    if (wrong) return reject('invalid', names[wrong])
    const { seal, open } = tokenCodec(tokens, names, tokenFields, reject)
    return (await (isEncrypting ? seal(given, () => account) : open(given, true))) as T
  }
  return {
    encryptAccount: <T extends object>(row: T) => convert('encryptAccount', row, true),
    decryptAccount: <T extends object>(row: T) => convert('decryptAccount', row, false),
  }
}
