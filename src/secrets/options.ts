import { configError } from '../query/errors.js'
import type { AccountTokens, AccountTokensMode } from './accounts.js'
import { accountModes } from './accounts.js'
import type { TokenKey } from './cipher.js'
import { createCipher } from './cipher.js'
import type { SessionTokens, SessionTokensMode } from './sessions.js'
import { hashWith, sessionModes } from './sessions.js'

/** The options of `secretsAtRest`. */
export interface SecretsOptions {
  /**
   * How session tokens are stored. If your app creates its own session tokens and they are short, set `hmac` to a secret of 32 characters
   * or more.
   *
   * @default 'plain'
   */
  sessionTokens?: SessionTokensMode | { mode: SessionTokensMode; hmac?: string | undefined }
  /** How the OAuth tokens of accounts are stored. By default, they are stored as plain text. */
  accountTokens?: {
    /** @default 'encrypted' */
    mode?: AccountTokensMode
    /**
     * The keys, newest first. The first one encrypts, all of them decrypt. As text, they are pairs separated by commas: `id:secret,id:secret`.
     * `undefined` is rejected. The type allows it so that you can pass an environment variable.
     */
    keys: readonly TokenKey[] | string | undefined
  }
}

/** The checked options. A part that is not protected is absent. */
export interface Parts {
  sessions?: SessionTokens
  accounts?: AccountTokens
}

const shortestSecret = 32

/** Checks the options. Messages name the option and never its value, because a secret may have been put in the wrong place. */
export function readOptions(options: SecretsOptions): Parts {
  if (typeof crypto === 'undefined' || !crypto.subtle)
    fail('this runtime has no crypto.subtle. Use Node.js 20 or newer, or another current runtime')
  known(options, ['sessionTokens', 'accountTokens'], 'options')
  const { sessionTokens = 'plain', accountTokens } = options
  const sessions = readSessions(sessionTokens)
  const accounts = accountTokens === undefined ? undefined : readAccounts(accountTokens)
  return { ...(sessions && { sessions }), ...(accounts && { accounts }) }
}

function readSessions(given: NonNullable<SecretsOptions['sessionTokens']>): SessionTokens | undefined {
  const isObject = typeof given === 'object'
  if (isObject) known(given, ['mode', 'hmac'], 'sessionTokens')
  const mode = oneOf(sessionModes, isObject ? given.mode : given, `sessionTokens${isObject ? '.mode' : ''}`)
  const hmac = isObject && 'hmac' in given ? secretOf(given.hmac, 'sessionTokens.hmac') : undefined
  return mode === 'plain' ? undefined : { mode, hash: hashWith(hmac) }
}

function readAccounts(given: NonNullable<SecretsOptions['accountTokens']>): AccountTokens {
  known(given, ['mode', 'keys'], 'accountTokens')
  const { mode = 'encrypted', keys } = given
  const isText = typeof keys === 'string'
  if (keys === undefined || keys === '') fail(`accountTokens.keys ${missing}`)
  const list = isText ? parsePairs(keys) : keys
  if (!Array.isArray(list) || list.length === 0) fail('accountTokens.keys must be a list of one key or more, or a text id:secret,id:secret')
  const placeOf = (index: number) => (isText ? `pair ${index + 1} of accountTokens.keys` : `accountTokens.keys[${index}]`)
  const read = list.map((key: TokenKey, index) => {
    const place = placeOf(index)
    const nameOf = (property: string) => (isText ? `the ${property} of ${place}` : `${place}.${property}`)
    known(key, ['id', 'secret'], place)
    if (typeof key.id !== 'string' || !/^[^.,:\s\p{C}]+$/u.test(key.id))
      fail(`${nameOf('id')} must be a text without dots, colons, commas, spaces and control characters, and not empty`)
    return { id: key.id, secret: secretOf(key.secret, nameOf('secret')) }
  })
  const twice = read.findIndex(({ id }, index) => read.findIndex((other) => other.id === id) < index)
  if (twice >= 0) fail(`${placeOf(twice)} has the same id as another key. Give each key a different id`)
  return { mode: oneOf(accountModes, mode, 'accountTokens.mode'), cipher: createCipher(read) }
}

/** Parses `id:secret,id:secret`. A pair is split at its first colon, so a secret can contain colons, but no commas. */
function parsePairs(text: string): TokenKey[] {
  return text.split(',').map((pair, index) => {
    const colon = pair.indexOf(':')
    const id = pair.slice(0, colon).trim()
    if (colon < 0 || id === '')
      fail(
        `pair ${index + 1} of accountTokens.keys is not id:secret. Write pairs separated by commas, the newest first: id:secret,id:secret`,
      )
    return { id, secret: pair.slice(colon + 1) }
  })
}

const missing = 'is missing. Set the environment variable that it comes from'

function secretOf(secret: unknown, place: string): string {
  if (secret === undefined || secret === '') fail(`${place} ${missing}`)
  if (typeof secret !== 'string' || secret.length < shortestSecret || !secret.isWellFormed())
    fail(`${place} must be a text of ${shortestSecret} characters or more`)
  // Files and shells add and strip whitespace, so the app and the command could end up with different secrets.
  if (secret !== (secret as string).trim()) fail(`${place} begins or ends with a space or a line break. Remove it`)
  return secret as string
}

function oneOf<const T extends string>(values: readonly T[], given: unknown, place: string): T {
  const found = values.find((value) => value === given)
  return found ?? fail(`${place} must be one of ${values.join(', ')}`)
}

function known(given: unknown, names: readonly string[], place: string): void {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isObject || Object.keys(given).some((name) => !names.includes(name)))
    fail(`${place} must be an object with ${names.join(' and ')}, and nothing else`)
}

function fail(message: string): never {
  return configError(`secretsAtRest: ${message}`)
}
