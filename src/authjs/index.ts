/**
 * Pieces for the configuration of Auth.js: passwords with database sessions, and OAuth tokens that stay valid.
 *
 * @module
 */

export type { AccessTokens, AccessTokensOptions } from './access-tokens.js'
export { accessTokens } from './access-tokens.js'
export { credentialSessions } from './credential-sessions.js'
export type { AccessTokenErrorKind } from './errors.js'
export { AccessTokenError } from './errors.js'
export { freshTokens } from './fresh-tokens.js'
export type { Refresh, RefreshOptions } from './refresh-with.js'
export { refreshWith } from './refresh-with.js'
export type { IssuedTokens } from './tokens.js'
