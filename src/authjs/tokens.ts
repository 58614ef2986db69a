import type { OptionalText } from '../models.js'
import { optionalTexts } from '../models.js'

/** The fields that a provider sends when it issues or renews tokens. */
export type IssuedTokens = { [Name in OptionalText | 'expires_in' | 'expires_at']?: unknown }

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

// Some token endpoints send numbers as text.
const whole = (value: unknown) =>
  Number.isSafeInteger(Math.floor(Number(value))) && value != null && value !== '' ? Math.floor(Number(value)) : undefined

/** The time so many seconds from now, as `expires_at` has it. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** The fields of an account that new tokens change. Fields that are `undefined` stay unchanged. */
export function changesOf(issued: IssuedTokens) {
  const expires_in = whole(issued.expires_in)
  const expires_at = whole(issued.expires_at) ?? (expires_in === undefined ? undefined : inSeconds(expires_in))
  const texts = Object.fromEntries(optionalTexts.map((field) => [field, text(issued[field])])) as { [Name in OptionalText]?: string }
  const token_type = texts.token_type?.toLowerCase() as Lowercase<string> | undefined
  return { ...texts, token_type, expires_in, expires_at }
}
