import type { Context } from './command.js'
import type { Parts, SecretCounts, SecretTables } from './core.js'
import { number, some } from './progress.js'

/** Prints what there is in which form, and says whether something is left to do. */
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
    tokens: !tables.accountsTable ? 0 : decrypt ? encrypted : all - (tokens.byKey.get(newest) ?? 0),
  }
  if (tables.sessionsTable) {
    const foreign = sessions.foreign > 0 ? [`${number(sessions.foreign)} hashed in the other way, which sign nobody in`] : []
    stdout.write(`sessions: ${[`${number(sessions.plain)} plain`, `${number(sessions.hashed)} hashed`, ...foreign].join(', ')}\n`)
  }
  if (tables.accountsTable) {
    const damaged = tokens.damaged > 0 ? [`${number(tokens.damaged)} damaged`] : []
    stdout.write(`tokens: ${[`${number(tokens.plain)} plain`, ...under, ...damaged].join(', ')}\n`)
  }
  const isDone = left.sessions + left.tokens === 0
  stdout.write(isDone ? 'nothing is left to do\n' : `left to do: ${some(left.sessions, 'session')} and ${some(left.tokens, 'token')}\n`)
  return isDone ? 0 : 1
}
