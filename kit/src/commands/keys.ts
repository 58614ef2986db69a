import type { Parts } from 'drizzle-auth-adapter/internal'
import { AdapterConfigError, partsOf, secretsAtRest } from 'drizzle-auth-adapter/internal'
import { Problem } from './command.js'

/** Reads the secrets from the environment. Messages contain names and positions, never values. */
export function partsOfEnvironment(env: Record<string, string | undefined>, only: 'sessions' | 'accounts' | undefined): Parts {
  const { AUTH_TOKEN_KEYS: keys, AUTH_SESSION_HMAC: hmac } = env
  if (!keys && only !== 'sessions')
    throw new Problem(
      'AUTH_TOKEN_KEYS is not set. Set it to the value that your app has: id:secret pairs separated by commas, the newest first. ' +
        'To work without it, pass --only sessions.',
      2,
    )
  try {
    const secrets = secretsAtRest({
      ...(only !== 'accounts' && { sessionTokens: { mode: 'migrating', ...(hmac !== undefined && { hmac }) } }),
      ...(only !== 'sessions' && { accountTokens: { mode: 'migrating', keys } }),
    })
    return partsOf(secrets, 'secrets')
  } catch (error) {
    if (!(error instanceof AdapterConfigError)) throw error
    const message = error.message.replace('secretsAtRest: ', '')
    throw new Problem(message.replace('accountTokens.keys', 'AUTH_TOKEN_KEYS').replace('sessionTokens.hmac', 'AUTH_SESSION_HMAC'), 2)
  }
}
