import { configError } from '../query/errors.js'
import type { AccountTokens, AccountTokensMode } from './accounts.js'
import { accountModes } from './accounts.js'
import type { TokenKey } from './cipher.js'
import { createCipher } from './cipher.js'
import type { SessionTokens, SessionTokensMode } from './sessions.js'
import { hashWith, sessionModes } from './sessions.js'

/** What `secretsAtRest` protects, and how. */
export interface SecretsOptions {
  /**
   * How session tokens are stored. With `hmac`, a secret of 32 characters or more, for apps whose own session tokens are short.
   *
   * @default 'plain'
   */
  sessionTokens?: SessionTokensMode | { mode: SessionTokensMode; hmac?: string | undefined }
  /** How the OAuth tokens of accounts are stored. Without it, they are untouched. */
  accountTokens?: {
    /** @default 'encrypted' */
    mode?: AccountTokensMode
    /** The first encrypts, all decrypt. */
    keys: readonly TokenKey[]
  }
}

/** What is protected, and how. */
export interface Parts {
  sessions?: SessionTokens
  accounts?: AccountTokens
}

const shortestSecret = 32

/** Checks the options. Messages name places and never values: anything may be a secret that was put into the wrong place. */
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
  if (!Array.isArray(keys) || keys.length === 0) fail('accountTokens.keys must be a list of one key or more')
  const read = keys.map((key: TokenKey, index) => {
    const place = `accountTokens.keys[${index}]`
    known(key, ['id', 'secret'], place)
    if (typeof key.id !== 'string' || !/^[^.,:\s\p{C}]+$/u.test(key.id))
      fail(`${place}.id must be a text, not empty, without dots, colons, commas, spaces and control characters`)
    return { id: key.id, secret: secretOf(key.secret, `${place}.secret`) }
  })
  const twice = read.findIndex(({ id }, index) => read.findIndex((other) => other.id === id) < index)
  if (twice >= 0) fail(`accountTokens.keys[${twice}] has the id of another key. Give each key an id of its own`)
  return { mode: oneOf(accountModes, mode, 'accountTokens.mode'), cipher: createCipher(read) }
}

function secretOf(secret: unknown, place: string): string {
  if (secret === undefined || secret === '') fail(`${place} is missing. Is its environment variable set?`)
  if (typeof secret !== 'string' || secret.length < shortestSecret || !secret.isWellFormed())
    fail(`${place} must be a text of ${shortestSecret} characters or more`)
  // Files and variables add and lose them, and then the app and the command have different secrets.
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
