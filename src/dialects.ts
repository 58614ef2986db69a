import type { Dialect, DialectName } from './dialect.js'

/** A dialect, and the same for connections that keep prepared statements under names. */
export interface Forms {
  readonly plain: Dialect
  readonly naming: Dialect
}

const provided: Partial<Record<DialectName, Forms>> = {}

/** Makes a dialect known. The tables of `defineTables` bring theirs, so that an app loads no other. */
export function provide(plain: Dialect, naming = plain): Forms {
  const forms = { plain, naming }
  provided[plain.name] = forms
  return forms
}

/** A dialect that some tables have brought. */
export function known(name: DialectName): Forms | undefined {
  return provided[name]
}

// For tables that were all written by hand. Bundlers that split make a file of its own of each.
const loaders: Record<DialectName, () => Promise<Forms>> = {
  pg: () => import('./pg/dialect.js').then(({ pg, pgNamed }) => provide(pg, pgNamed)),
  mysql: () => import('./mysql/dialect.js').then(({ mysql }) => provide(mysql)),
  sqlite: () => import('./sqlite/dialect.js').then(({ sqlite }) => provide(sqlite)),
}

/** The dialect, brought or loaded. */
export async function loaded(name: DialectName): Promise<Forms> {
  return known(name) ?? loaders[name]()
}
