/** What a provider sends when it issues or renews tokens. */
export interface IssuedTokens {
  access_token?: unknown
  refresh_token?: unknown
  id_token?: unknown
  expires_in?: unknown
  expires_at?: unknown
  scope?: unknown
  token_type?: unknown
  session_state?: unknown
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

// Some token endpoints send numbers as text.
const whole = (value: unknown) =>
  Number.isSafeInteger(Math.floor(Number(value))) && value != null && value !== '' ? Math.floor(Number(value)) : undefined

/** The time so many seconds from now, as `expires_at` has it. */
export const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

/** The fields of an account that new tokens set. `undefined` is a field that they leave alone. */
export function changesOf(issued: IssuedTokens) {
  const expires_in = whole(issued.expires_in)
  const expires_at = whole(issued.expires_at) ?? (expires_in === undefined ? undefined : inSeconds(expires_in))
  return {
    access_token: text(issued.access_token),
    refresh_token: text(issued.refresh_token),
    id_token: text(issued.id_token),
    scope: text(issued.scope),
    token_type: text(issued.token_type)?.toLowerCase() as Lowercase<string> | undefined,
    session_state: text(issued.session_state),
    expires_in,
    expires_at,
  }
}
