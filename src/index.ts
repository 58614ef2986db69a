export { DrizzleAdapter } from './adapter.js'
export type {
  AdapterAccount,
  AdapterAccountType,
  AdapterAuthenticator,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from './contract.js'
export type { Dialect } from './dialect.js'
export type { FailureKind } from './errors.js'
export { AdapterConfigError, AdapterOperationError } from './errors.js'
export type { DeletedExpired, DeleteExpiredOptions, ExpiredProgress, ExpiringTables } from './expired.js'
export { deleteExpired } from './expired.js'
export type {
  AccountsTable,
  Adapter,
  AdapterOptions,
  AuthenticatorsTable,
  SessionsTable,
  Tables,
  UsersTable,
  VerificationTokensTable,
} from './types.js'
