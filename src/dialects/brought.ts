import type { Dialect } from '../dialect.js'

const brought = new WeakMap<object, Dialect>()

/** The tables, which have their dialect with them from now on, so that an app bundles no other. */
export function bringing<T extends object>(dialect: Dialect, tables: T): T {
  for (const table of Object.values(tables)) brought.set(table, dialect)
  return tables
}

export function broughtBy(tables: object): Dialect | undefined {
  return Object.values(tables ?? {})
    .map((table) => brought.get(table))
    .find(Boolean)
}
