import { Problem } from './command.js'
import type { Parts } from './core.js'
import { AdapterConfigError, partsOf, secretsAtRest } from './core.js'

const usage = 'It holds id:secret pairs separated by commas, the newest first'

/** The secrets that the variables of the environment give. Messages name variables and positions, never values. */
export function partsOfEnvironment(env: Record<string, string | undefined>, only: 'sessions' | 'accounts' | undefined): Parts {
  const { AUTH_TOKEN_KEYS: pairs, AUTH_SESSION_HMAC: hmac } = env
  if (!pairs && only !== 'sessions') throw new Problem(`AUTH_TOKEN_KEYS is not set. ${usage}. Without it, pass --only sessions.`, 2)
  try {
    const secrets = secretsAtRest({
      ...(only !== 'accounts' && { sessionTokens: { mode: 'migrating', ...(hmac !== undefined && { hmac }) } }),
      ...(only !== 'sessions' && { accountTokens: { mode: 'migrating', keys: keysOf(pairs as string) } }),
    })
    return partsOf(secrets, 'secrets')
  } catch (error) {
    if (!(error instanceof AdapterConfigError)) throw error
    const named = error.message
      .replace('secretsAtRest: ', '')
      .replace(/accountTokens\.keys\[(\d+)\]/, (_, index) => `pair ${Number(index) + 1} of AUTH_TOKEN_KEYS`)
      .replace(/\.(id|secret) /, ': the $1 ')
      .replace('sessionTokens.hmac', 'AUTH_SESSION_HMAC')
    throw new Problem(named, 2)
  }
}

function keysOf(pairs: string) {
  return pairs.split(',').map((pair, index) => {
    const colon = pair.indexOf(':')
    const [id, secret] = [pair.slice(0, colon).trim(), pair.slice(colon + 1)]
    if (colon < 0 || id === '') throw new Problem(`pair ${index + 1} of AUTH_TOKEN_KEYS is not id:secret. ${usage}.`, 2)
    return { id, secret }
  })
}
