import type { Adapter } from 'drizzle-auth-adapter'
import type { Measured } from './results.js'
import type { Opened } from './targets.js'

/** Something that the official adapter is known to get wrong on some databases. */
export interface Fact {
  what: string
  /** The databases on which it is wrong. */
  wrong: readonly string[]
  /** Whether it needs tables without foreign keys. */
  withoutForeignKeys?: boolean
  measure(opened: Opened): Promise<Measured>
}

export const fact = (what: string, wrong: string[], measure: (adapter: Adapter) => Promise<Measured>): Fact => ({
  what,
  wrong,
  measure: ({ adapter }) => measure(adapter),
})

/** Makes attempts to store something, and names those that failed. */
export async function kept(attempts: Record<string, () => Promise<boolean>>): Promise<Measured> {
  const lost: string[] = []
  for (const [name, attempt] of Object.entries(attempts)) if (!(await attempt().catch(() => false))) lost.push(name)
  return { shown: lost.length === 0 ? 'kept' : `refused: ${lost.join(', ')}`, right: lost.length === 0 }
}

/** The result of a lookup with another key than the stored one, which must find nothing. */
export async function found(row: PromiseLike<unknown>, name: string): Promise<Measured> {
  const nothing = (await row) === null
  return { shown: nothing ? 'null' : name, right: nothing }
}
