export interface Measured {
  shown: string
  right: boolean
}

/** The answers on one database. */
export interface DatabaseAnswers {
  /** The title of the column. */
  name: string
  /** How many cases our adapter passed. */
  ours: number
  /** For each case, the reason why the official adapter failed, or null if it passed. */
  cases: Record<string, string | null>
  facts: { what: string; official: Measured; ours: Measured }[]
}

/** What `npm run official` records. */
export interface OfficialResults {
  versions: string[]
  databases: DatabaseAnswers[]
  /** Whether each adapter can be imported with this version of Drizzle. */
  drizzle1: { version: string; official: boolean; ours: boolean }
}

/** How many cases passed. */
export const passed = (cases: DatabaseAnswers['cases']) => Object.values(cases).filter((reason) => reason === null).length
