import type { Parts, SecretCounts } from 'drizzle-auth-adapter/internal'
import type { Context } from './command.js'
import { number, some } from './progress.js'
import type { SecretTables } from './secret-tables.js'
import { hasAccounts } from './secret-tables.js'

/** Prints how many secrets are stored in each form. Returns 1 if some must still be rewritten, or cannot be decrypted. */
export function reportSecrets(
  counts: SecretCounts,
  tables: SecretTables,
  { accounts }: Parts,
  decrypt: boolean,
  { stdout }: Context,
): number {
  const { sessions, tokens } = counts
  const newest = accounts?.cipher.newest as string
  const keys = new Set([newest, ...tokens.byKey.keys()])
  const under = [...keys].map((key) => `${number(tokens.byKey.get(key) ?? 0)} under key ${key}`)
  const encrypted = [...tokens.byKey.values()].reduce((sum, count) => sum + count, tokens.damaged)
  const all = tokens.plain + encrypted
  const left = {
    sessions: tables.sessionsTable && !decrypt ? sessions.plain : 0,
    tokens: !hasAccounts(tables) ? 0 : decrypt ? encrypted : all - (tokens.byKey.get(newest) ?? 0),
  }
  if (tables.sessionsTable) {
    const foreign = sessions.foreign > 0 ? [`${number(sessions.foreign)} hashed differently, which cannot sign anyone in`] : []
    stdout.write(`sessions: ${[`${number(sessions.plain)} plain`, `${number(sessions.hashed)} hashed`, ...foreign].join(', ')}\n`)
  }
  if (hasAccounts(tables)) {
    const damaged = tokens.damaged > 0 ? [`${number(tokens.damaged)} damaged`] : []
    stdout.write(`tokens: ${[`${number(tokens.plain)} plain`, ...under, ...damaged].join(', ')}\n`)
  }
  const isDone = left.sessions + left.tokens === 0
  const parts = [
    ...(tables.sessionsTable ? [some(left.sessions, 'session')] : []),
    ...(hasAccounts(tables) ? [some(left.tokens, 'token')] : []),
  ]
  stdout.write(isDone ? 'nothing left to rewrite\n' : `left to rewrite: ${parts.join(' and ')}\n`)
  const unreadable = [...tokens.unreadable].map(([key, count]) => `${some(count, 'token')} under key ${key}`)
  if (unreadable.length > 0)
    stdout.write(`cannot be decrypted: ${unreadable.join(', ')}. Add the right secrets to AUTH_TOKEN_KEYS, or set the columns to null.\n`)
  return isDone && unreadable.length === 0 ? 0 : 1
}
