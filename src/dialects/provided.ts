import type { Dialect, DialectName } from '../dialect.js'

/** The dialects that tables of `defineTables` have brought with them, so that an app bundles no other. */
export const provided: Partial<Record<DialectName, Dialect>> = {}

export function provide(dialect: Dialect): void {
  provided[dialect.name] = dialect
}
