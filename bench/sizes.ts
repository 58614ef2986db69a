/** How much is done: enough for steady medians, or just enough to see that it works. */
export interface Sizes {
  /** The rounds that count, after those that only warm up. */
  rounds: number
  warmUp: number
  /** The calls of each operation in one round. */
  calls: number
  /** The sessions in the tables before anything is measured. */
  resident: number
  inFlight: number[]
  /** How long one contender runs at one level of one concurrency round. */
  sliceMilliseconds: number
  slices: number
  /** The sessions of each table whose growth is compared. */
  growth: number[]
  growthRounds: number
  /** The operations after which the heap must be where it was. */
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
