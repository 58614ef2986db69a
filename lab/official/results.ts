export interface Measured {
  shown: string
  right: boolean
}

/** What the comparison records. Databases go by their titles. */
export interface OfficialResults {
  versions: string[]
  /** Whether each adapter can be imported with this version of Drizzle. */
  drizzle1: { version: string; official: boolean; ours: boolean }
  /** How many cases our adapter passed on each database. */
  ours: Record<string, number>
  /** For each case, the first error of the official adapter on the databases on which it failed. */
  cases: Record<string, Record<string, string>>
  facts: Record<string, Record<string, { official: Measured; ours: Measured }>>
}
