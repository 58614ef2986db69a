import type { RuntimeName } from '../../matrix/runtimes.js'

export interface Driver {
  /** A file of `matrix/drivers`. */
  name: string
  runtime: RuntimeName
  /** The most connections of a client that has a pool. */
  connections?: number
}

const isV1 = process.env.DRIZZLE === 'drizzle 1.0'

/** On the runtime that the tests run on, with packages of the project's own. */
const few: Driver[] = [
  { name: 'better-sqlite3', runtime: 'Node.js' },
  { name: 'libsql', runtime: 'Node.js' },
]

/** Every driver of the matrix that two processes can share a file with, on each runtime that it runs on. */
const all: Driver[] = [
  ...few,
  { name: isV1 ? 'sqlite-proxy-v1' : 'sqlite-proxy', runtime: 'Node.js' },
  { name: 'libsql', runtime: 'Node.js 24' },
  { name: 'libsql', runtime: 'Bun' },
  { name: 'libsql', runtime: 'Deno' },
  { name: 'bun-sqlite', runtime: 'Bun' },
  // Drizzle 0.45 has none of these.
  ...(isV1
    ? [
        { name: 'bun-sql-sqlite', runtime: 'Bun' } as const,
        { name: 'node-sqlite', runtime: 'Node.js 22' } as const,
        { name: 'node-sqlite', runtime: 'Node.js 24' } as const,
        { name: 'node-sqlite', runtime: 'Node.js 26' } as const,
      ]
    : []),
]

const isWhole = process.env.PROCESSES === 'all'

/** Those to test: all of them where PROCESSES is `all`, which needs what `npm run matrix` installs. */
export const chosenDrivers = (): Driver[] => (isWhole ? all : few)

/** How many people sign in to an app in its life. */
export const people = isWhole ? 150 : 20
