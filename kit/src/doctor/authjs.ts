import type { ModelName, Tables } from 'drizzle-auth-adapter/internal'
import { keys, modelNames, models, tokenFields } from 'drizzle-auth-adapter/internal'
import type { Table } from 'drizzle-orm'
import type { TableModel } from './model.js'
import { isKey as isKeyOf, withoutIndex } from './model.js'

const plain = { indexed: {}, lengths: {}, bits: {} }
const { user: userId, expires } = withoutIndex

const tables: Record<ModelName, TableModel> = {
  users: { ...plain, model: 'users', fields: models.users, keys: [keys.users, ['email']], lengths: { id: 36, email: 254 } },
  accounts: {
    model: 'accounts',
    fields: models.accounts,
    keys: [keys.accounts],
    indexed: { userId },
    lengths: {
      ...{ userId: 36, provider: 32, providerAccountId: 255, scope: 1000 },
      ...Object.fromEntries(tokenFields.map((field) => [field, 4096])),
    },
    bits: { expires_at: 32 },
  },
  sessions: {
    ...plain,
    model: 'sessions',
    fields: models.sessions,
    keys: [keys.sessions],
    indexed: { userId, expires },
    expires: 'expires',
    lengths: { sessionToken: 46, userId: 36 },
  },
  verificationTokens: {
    ...plain,
    model: 'verificationTokens',
    fields: models.verificationTokens,
    keys: [keys.verificationTokens],
    indexed: { expires },
    expires: 'expires',
    lengths: { identifier: 254, token: 64 },
  },
  authenticators: {
    model: 'authenticators',
    fields: models.authenticators,
    keys: [keys.authenticators],
    indexed: { userId },
    // Credential ids may have 1,023 bytes, which are 1,364 characters in base64.
    lengths: { userId: 36, credentialID: 1364, providerAccountId: 1364, credentialPublicKey: 500 },
    bits: { counter: 32 },
  },
}

/** The tables that are given, in the order of the contract. */
export function givenTables(given: Partial<Tables>): { model: ModelName; table: Table }[] {
  return modelNames.flatMap((model) => {
    const table = given[`${model}Table`]
    return table ? [{ model, table }] : []
  })
}

export const authjsTables = (given: Partial<Tables>): { about: TableModel; table: Table }[] =>
  givenTables(given).map(({ model, table }) => ({ about: tables[model], table }))

/** Whether the column must be compared exactly. */
export const isKey = (model: ModelName, field: string) => isKeyOf(tables[model], field)
