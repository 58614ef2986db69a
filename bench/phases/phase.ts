import type { ClientOptions, Contender, ContenderName } from '../contenders/contender.js'
import { openContender, prepareStore } from '../contenders/index.js'
import type { DatabaseName } from '../databases.js'
import type { Sizes } from '../sizes.js'
import type { DatabaseServer, Store } from '../stores.js'

/** What every phase gets: the database, its server, and how much to measure. */
export interface PhaseContext {
  database: DatabaseName
  server: DatabaseServer
  sizes: Sizes
}

/** Creates a database for each of these contenders, with its own tables and the same number of sessions. */
export async function prepareStores(
  { database, server, sizes }: PhaseContext,
  names: readonly ContenderName[],
): Promise<Map<ContenderName, Store>> {
  const stores = new Map<ContenderName, Store>()
  for (const name of names) stores.set(name, await prepareStore(server, database, name, sizes.resident))
  return stores
}

/** Connects the contenders to their databases, and closes the connections afterwards. */
export async function withContenders<T>(
  { database }: PhaseContext,
  stores: Map<ContenderName, Store>,
  options: ClientOptions,
  use: (contenders: Contender[]) => Promise<T>,
): Promise<T> {
  const contenders = [...stores].map(([name, store]) => openContender(store, database, name, options))
  try {
    return await use(contenders)
  } finally {
    for (const contender of contenders) await contender.close()
  }
}
