/** How much of everything a run does. */
export interface Sizes {
  tokens: number
  /** How often each token is asked for at once. */
  asks: number
  emails: number
  /** Rows that are written on one machine and read at once on another. */
  hops: number
  /** People in flight, and seconds, while servers are killed. */
  people: number
  trafficSeconds: number
  /** Sessions that are revoked while the replica lags. */
  revoked: number
  lagSeconds: number
  loadClients: number
  /** Seconds of load for the adapter, and half as many for the hand-written code. */
  loadSeconds: number
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
  loadClients: 50,
  loadSeconds: 60,
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
  loadClients: 50,
  loadSeconds: 10,
}
