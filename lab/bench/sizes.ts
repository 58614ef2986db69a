/** How much is measured: enough for stable medians, or just enough to see that the benchmark works. */
export interface Sizes {
  /** The rounds that are measured, after the warm-up rounds. */
  rounds: number
  warmUp: number
  /** The calls of each operation in one round. */
  calls: number
  /** The number of sessions in the tables before the measurements. */
  resident: number
}

const full: Sizes = {
  rounds: 20,
  warmUp: 5,
  calls: 100,
  resident: 1_000,
}

const quick: Sizes = {
  ...full,
  rounds: 5,
  warmUp: 2,
  calls: 20,
}

/** SQLite answers in microseconds, so there is time for more rounds. */
export function sizesOf(isQuick: boolean, database: string): Sizes {
  const sizes = isQuick ? quick : full
  return database === 'sqlite' ? { ...sizes, rounds: sizes.rounds * 2, warmUp: sizes.warmUp * 2 } : sizes
}
