import type { RuntimeName } from '../../../matrix/runtimes.js'

export interface Driver {
  /** A file of `matrix/drivers`. */
  name: string
  runtime: RuntimeName
  /** The most connections of a client that has a pool. */
  connections?: number
}

const isV1 = process.env.DRIZZLE === 'drizzle 1.0'

/** Drivers that run on the runtime of the tests. */
const few: Driver[] = [
  { name: 'better-sqlite3', runtime: 'Node.js' },
  { name: 'libsql', runtime: 'Node.js' },
]

/** Every driver of the matrix with which two processes can share a file, on each runtime that it supports. */
const all: Driver[] = [
  ...few,
  { name: isV1 ? 'sqlite-proxy-v1' : 'sqlite-proxy', runtime: 'Node.js' },
  { name: 'libsql', runtime: 'Node.js 24' },
  { name: 'libsql', runtime: 'Bun' },
  { name: 'libsql', runtime: 'Deno' },
  { name: 'bun-sqlite', runtime: 'Bun' },
  // Drizzle 0.45 does not support these.
  ...(isV1
    ? [
        { name: 'bun-sql-sqlite', runtime: 'Bun' } as const,
        { name: 'node-sqlite', runtime: 'Node.js 22' } as const,
        { name: 'node-sqlite', runtime: 'Node.js 24' } as const,
        { name: 'node-sqlite', runtime: 'Node.js 26' } as const,
      ]
    : []),
]

const runsAll = process.env.PROCESSES === 'all'

/** The drivers to test. With PROCESSES=all, these are all of them, which needs the packages and runtimes that `npm run matrix` installs. */
export const chosenDrivers = (): Driver[] => (runsAll ? all : few)

/** How many people sign in to an app before it is stopped. */
export const people = runsAll ? 150 : 20
