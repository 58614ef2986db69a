/** The sizes of a run. */
export interface Sizes {
  tokens: number
  /** How many callers use each token concurrently. */
  asks: number
  emails: number
  /** The number of rows that are written on one machine and immediately read on another. */
  hops: number
  /** The number of concurrent people, and the seconds of traffic, while servers are killed. */
  people: number
  trafficSeconds: number
  /** The number of sessions that are revoked while the replica lags. */
  revoked: number
  lagSeconds: number
}

export const full: Sizes = {
  tokens: 200,
  asks: 60,
  emails: 60,
  hops: 300,
  people: 24,
  trafficSeconds: 60,
  revoked: 200,
  lagSeconds: 3,
}

export const short: Sizes = {
  tokens: 40,
  asks: 60,
  emails: 20,
  hops: 100,
  people: 12,
  trafficSeconds: 20,
  revoked: 50,
  lagSeconds: 2,
}
