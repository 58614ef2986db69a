import type { DialectName } from './dialect.js'
import { dialects, provide } from './dialects.js'

// Bundlers that split make a file of its own of each.
const loaders: Record<DialectName, () => Promise<void>> = {
  pg: () => import('./pg/dialect.js').then(({ pg, pgNamed }) => provide(pg, pgNamed)),
  mysql: () => import('./mysql/dialect.js').then(({ mysql }) => provide(mysql)),
  sqlite: () => import('./sqlite/dialect.js').then(({ sqlite }) => provide(sqlite)),
}

/** Loads the dialect of tables that were all written by hand. Where it is known already, there is nothing to wait for. */
export function loading(name: DialectName): Promise<void> | undefined {
  return 'name' in dialects[name].plain ? undefined : loaders[name]()
}
