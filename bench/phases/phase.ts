import type { ClientOptions, Contender, ContenderName } from '../contenders/contender.js'
import { openContender, prepareStore } from '../contenders/index.js'
import type { DatabaseName } from '../databases.js'
import type { Sizes } from '../sizes.js'
import type { Site, Store } from '../stores.js'

/** What every phase gets: a database product, and how much to do with it. */
export interface Ground {
  database: DatabaseName
  site: Site
  sizes: Sizes
}

/** The databases of some contenders, each with its own tables and the same number of sessions. */
export async function prepareStores(
  { database, site, sizes }: Ground,
  names: readonly ContenderName[],
): Promise<Map<ContenderName, Store>> {
  const stores = new Map<ContenderName, Store>()
  for (const name of names) stores.set(name, await prepareStore(site, database, name, sizes.resident))
  return stores
}

/** Lends the contenders on these databases, each over its own connections, and closes them afterwards. */
export async function withContenders<T>(
  { database }: Ground,
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
