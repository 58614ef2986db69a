import type { Dialect, DialectName } from './dialect.js'

/** A dialect, and the same for connections that keep prepared statements under names. */
interface Forms {
  readonly plain: Dialect
  readonly naming: Dialect
}

// Each is empty until its dialect is provided: an adapter may hold it before that, and reads it when an operation runs.
const empty = (): Forms => ({ plain: {} as Dialect, naming: {} as Dialect })

export const dialects: Readonly<Record<DialectName, Forms>> = { pg: empty(), mysql: empty(), sqlite: empty() }

/** Makes a dialect known. The tables of `defineTables` bring theirs, so that an app bundles no other. */
export function provide(dialect: Dialect, naming = dialect): void {
  Object.assign(dialects[dialect.name].plain, dialect)
  Object.assign(dialects[dialect.name].naming, naming)
}
