/** How much is measured: enough for stable medians, or just enough to see that the benchmark works. */
export interface Sizes {
  /** The rounds that are measured, after the warm-up rounds. */
  rounds: number
  warmUp: number
  /** The calls of each operation in one round. */
  calls: number
  /** The number of sessions in the tables before the measurements. */
  resident: number
  inFlight: number[]
  /** How long a contender runs in one slice, at one level of concurrency. */
  sliceMilliseconds: number
  slices: number
  /** The numbers of sessions in the tables that are compared. */
  growth: number[]
  growthRounds: number
  /** The number of operations during which the heap is measured. */
  memory: number
}

const full: Sizes = {
  rounds: 20,
  warmUp: 5,
  calls: 100,
  resident: 1_000,
  inFlight: [1, 10, 50],
  sliceMilliseconds: 400,
  slices: 5,
  growth: [10_000, 100_000, 1_000_000],
  growthRounds: 15,
  memory: 1_000_000,
}

const quick: Sizes = {
  ...full,
  rounds: 5,
  warmUp: 2,
  calls: 20,
  sliceMilliseconds: 50,
  slices: 2,
  growth: [1_000, 10_000],
  growthRounds: 5,
  memory: 20_000,
}

/** SQLite answers in microseconds, so there is time for more rounds. */
export function sizesOf(isQuick: boolean, database: string): Sizes {
  const sizes = isQuick ? quick : full
  return database === 'sqlite' ? { ...sizes, rounds: sizes.rounds * 2, warmUp: sizes.warmUp * 2 } : sizes
}
