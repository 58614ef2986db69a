/**
 * Stores session tokens as hashes and OAuth tokens encrypted.
 *
 * @module
 */

export type { AccountTokensMode } from './accounts.js'
export type { TokenKey } from './cipher.js'
export type { SecretsOptions } from './options.js'
export type { ProtectedSecrets, ProtectProgress, ProtectSecretsOptions } from './protect.js'
export { protectSecrets } from './protect.js'
export type { Secrets } from './secrets.js'
export { secretsAtRest } from './secrets.js'
export type { SessionTokensMode } from './sessions.js'
export type { SecretTables } from './tables.js'
